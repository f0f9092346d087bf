"""The base of everything that opens above the review screen: esc, ctrl+q or a click beside it steps back."""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeVar

from textual.binding import Binding
from textual.events import Click
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], inherit_bindings=False):
    """A modal screen with one safe way out."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [Binding("escape,ctrl+q", "back", show=False)]

    def on_click(self, event: Click) -> None:
        """A click beside the box steps back."""
        if event.widget is self:
            self.action_back()

    @abstractmethod
    def action_back(self) -> None:
        """Leave by the safe way."""
