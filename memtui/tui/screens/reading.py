"""A page to read: help, or the block that an agent gets. It changes nothing."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.text_box import TextBox
from memtui.view.lines import Line
from memtui.view.texts import READING_HINT


class ReadingScreen(Dialog[None]):
    """A titled page, scrolled by keys or wheel; esc, enter or q puts it away."""

    BINDINGS = [
        Binding("enter,q,question_mark,f1", "back", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("space", "page(1)", show=False),
        Binding("home,g", "scroll(-1000000)", show=False),
        Binding("end,G", "scroll(1000000)", show=False),
    ]

    def __init__(self, title: str, paragraphs: tuple[Line, ...], hanging_cells: int = 0) -> None:
        """`hanging_cells`: where the second of two columns begins, and so what goes on below."""
        super().__init__()
        self.hanging_cells = hanging_cells
        self.page_title = title
        self.paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """One scrolling box."""
        with Vertical(id="page"):
            yield TextBox(id="paragraphs", hanging_cells=self.hanging_cells)

    def on_mount(self) -> None:
        """Show the page."""
        page = self.query_one("#page")
        page.border_title, page.border_subtitle = Content(self.page_title), Content(READING_HINT)
        self.query_one(TextBox).show(self.paragraphs)

    def action_back(self) -> None:
        """Put the page away."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(TextBox).scroll_relative(y=lines, animate=False)
