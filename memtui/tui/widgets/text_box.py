"""A box of paragraphs, wrapped to the width and scrolled by itself: the selected entry, a question, a page."""

from __future__ import annotations

from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.tui.widgets.painted import Painter
from memtui.view.lines import Line, wrap


class TextBox(ScrollView, Painter, can_focus=False):
    """Paragraphs of spans, wrapped; what goes on below hangs so many cells in."""

    def __init__(self, *, id: str | None = None, hanging_cells: int = 0) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._hanging_cells = hanging_cells
        self._paragraphs: tuple[Line, ...] = ()
        self._wrapped: list[Line] = []

    def show(self, paragraphs: tuple[Line, ...]) -> None:
        """Show other paragraphs, from the top."""
        if paragraphs == self._paragraphs:
            return
        self._paragraphs = paragraphs
        self._wrap()
        self.scroll_to(y=0, animate=False)

    def page(self, pages: float) -> None:
        """Scroll by pages, or by parts of one."""
        lines = max(round(self.size.height * abs(pages)) - 1, 1)
        self.scroll_relative(y=lines if pages > 0 else -lines, animate=False)

    def render_line(self, y: int) -> Strip:
        """The strip of one line on screen."""
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        return self.strip(self._wrapped[at] if at < len(self._wrapped) else (), width)

    def on_resize(self, event: Resize) -> None:
        """Lines are wrapped to the width."""
        self._wrap()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        wrapped = (wrap(paragraph, width, self._hanging_cells) for paragraph in self._paragraphs)
        self._wrapped = [line for lines in wrapped for line in lines] if width else []
        self.virtual_size = Size(0, len(self._wrapped))
        self.refresh()
