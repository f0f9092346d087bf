"""A page to read: help, or the block that an agent gets. It changes nothing."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.events import Click
from textual.screen import ModalScreen

from memtui.tui.widgets.detail import TextBox
from memtui.view.lines import Line


class ReadingScreen(ModalScreen[None], inherit_bindings=False):
    """A titled page, scrolled by keys or wheel; esc, enter or q puts it away."""

    BINDINGS = [
        Binding("escape,enter,q,ctrl+q,question_mark,f1", "leave", show=False, priority=True),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home,g", "scroll(-1000000)", show=False),
        Binding("end,G", "scroll(1000000)", show=False),
    ]

    def __init__(self, title: str, paragraphs: tuple[Line, ...]) -> None:
        super().__init__()
        self.page_title = title
        self.paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """One scrolling box."""
        with Vertical(id="page"):
            yield TextBox(id="paragraphs")

    def on_mount(self) -> None:
        """Show the page."""
        page = self.query_one("#page")
        page.border_title, page.border_subtitle = self.page_title, "esc closes · arrows scroll"
        self.query_one(TextBox).show(self.paragraphs)

    def on_click(self, event: Click) -> None:
        """A click beside the page puts it away."""
        if event.widget is self:
            self.action_leave()

    def action_leave(self) -> None:
        """Put the page away."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(TextBox).scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        box = self.query_one(TextBox)
        box.scroll_relative(y=pages * max(box.size.height - 1, 1), animate=False)
