"""What widgets tell the screen, in the past tense. They carry values, never widgets."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class RowPicked(Message):
    """A row was clicked; twice in a row opens it."""

    position: int
    is_double: bool = False
    pane: str = ""
    """Id of the list that it stands in."""


@dataclass
class PaneScrolled(Message):
    """A pane was scrolled: the other one follows."""

    top: int


@dataclass
class CommandChosen(Message):
    """A command was clicked or picked in the palette; the key says which group a `takes_group` command means."""

    command_id: str
    key: str = ""


@dataclass
class FilterChanged(Message):
    """The words in the filter bar changed."""

    query: str
