"""The base of everything that opens above the review screen: esc or a click beside it steps back."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, TypeVar

from textual.binding import Binding
from textual.events import Click
from textual.screen import ModalScreen

from memtui.tui.widgets.text_box import TextBox

Answer = TypeVar("Answer")
MOST_OF_HEIGHT: Final = 0.9
"""Of the screen; as the style sheet has it."""


class Dialog(ModalScreen[Answer], inherit_bindings=False):
    """A modal screen with one safe way out."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "back", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (50, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]

    def on_resize(self) -> None:
        """Fit the text into what the rest of the dialog leaves."""
        self.call_after_refresh(self._fit_body)

    def _fit_body(self) -> None:
        """A long text scrolls, and gives way to the buttons and the line to type in, which stay in sight."""
        for body in self.query("#dialog > #body"):
            box = self.query_one("#dialog")
            others = sum(child.outer_size.height for child in box.children if child is not body)
            room = int(self.size.height * MOST_OF_HEIGHT) - box.gutter.height - body.styles.margin.height - others
            body.styles.max_height = max(room, 1)

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
