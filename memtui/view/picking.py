"""What a dialog lets a person pick from: rows with a page each, found by typing.

Lines are display-safe already; what is searched is raw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memtui.core.search import filter_indexes
from memtui.core.visible import clip, preview
from memtui.view.detail import marked_text
from memtui.view.lines import Line, Span, Tone, spread

PICK_HINT: Final = "type to filter · enter takes it · esc leaves it"
LABEL_CELLS: Final = 400


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be picked."""

    label: Line
    right: Line = ()
    page: tuple[Line, ...] = ()
    """What is to be known before it is picked."""
    words: str = ""
    """What the filter looks in. Untrusted."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A question with rows as answers."""

    title: str
    rows: tuple[Choice, ...]
    position: int = 0
    """The row under the cursor at first."""
    note: str = ""
    """What is to be said above the rows; empty for nothing."""
    empty: str = "There is nothing to choose from."


def text_choice(label: str, text: str) -> Choice:
    """One untrusted text to pick."""
    line: Line = (Span(f"{clip(label, 20)}  ", Tone.DIM), Span(preview(text, LABEL_CELLS)))
    return Choice(line, page=(marked_text(text),), words=text)


def choice_line(choice: Choice, is_cursor: bool, width_cells: int) -> Line:
    """One row."""
    cursor = Span("▸ " if is_cursor else "  ", Tone.KEY)
    return spread((cursor, *choice.label), (*choice.right, Span(" ")) if choice.right else (), width_cells)


def matching(rows: tuple[Choice, ...], query: str) -> tuple[int, ...]:
    """Indexes of the rows that hold all the words, in their order."""
    if not query.strip():
        return tuple(range(len(rows)))
    return tuple(sorted(hit.index for hit in filter_indexes([row.words for row in rows], query)))
