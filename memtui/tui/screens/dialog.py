"""The base of everything that opens above the review screen: esc, ctrl+q or a click beside it steps back."""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeVar

from textual.binding import Binding
from textual.events import Click
from textual.screen import ModalScreen

from memtui.tui.widgets.text_box import TextBox

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], inherit_bindings=False):
    """A modal screen with one safe way out."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape,ctrl+q", "back", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def on_click(self, event: Click) -> None:
        """A click beside the box steps back."""
        if event.widget is self:
            self.action_back()

    def action_page(self, pages: int) -> None:
        """Scroll a long text."""
        self.query_one(TextBox).page(pages)

    @abstractmethod
    def action_back(self) -> None:
        """Leave by the safe way."""
