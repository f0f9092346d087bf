"""The frame of a screen above the review screen: header, banner, gauge, lower box, status and footer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.screens.commanding import CommandScreen
from memtui.tui.widgets.chrome import FooterBar
from memtui.tui.widgets.painted import PaintedLines
from memtui.tui.widgets.text_box import TextBox
from memtui.view import texts
from memtui.view.chrome import staged_spans
from memtui.view.detail import Detail
from memtui.view.lines import Line, Span, Tone, at_most, line_width, one_paragraph, spread, tail, wrap

MAX_BANNER_LINES: Final = 4
MIN_NAME_CELLS: Final = 8


class DrawnScreen(CommandScreen, inherit_bindings=False):
    """Draws what stands around the lists."""

    @abstractmethod
    def compose_lists(self) -> ComposeResult:
        """The lists."""

    def compose(self) -> ComposeResult:
        """Everything from the header to the footer."""
        yield PaintedLines(id="too-small")
        yield PaintedLines(id="header")
        yield PaintedLines(id="banner")
        yield PaintedLines(id="gauge")
        yield from self.compose_lists()
        with Vertical(id="lower"):
            yield TextBox(id="detail")
        yield PaintedLines(id="status")
        yield FooterBar(id="footer")

    def show_header(self, left: Line, *, counts_staged: bool = True) -> None:
        """Show what this screen is about, and in which home; a screen that counts the staged writes itself says so."""
        home = self.state.home
        right: Line = ()
        if home is not None:
            name = f"{home.label} · {home.profile}" if home.profile else home.label
            name += " · read-only" if home.read_only else ""
            staged = staged_spans(self.state) if counts_staged else ()
            # What the screen is about matters more than the start of a path.
            room = self.size.width - line_width(left) - line_width(staged) - 2
            right = (*staged, Span(f"{tail(name, room)} " if room >= MIN_NAME_CELLS else "", Tone.DIM))
        self.query_one("#header", PaintedLines).set_lines((spread(left, right, self.size.width),))

    def show_status(self, problem: str = "", *, told_above: Collection[str] = ()) -> None:
        """Show what is waited for, else of the last failure what the banner does not say already."""
        status = texts.status(self.state)
        for told in told_above:
            status = status.replace(told, "").strip()
        tone = Tone.WARN if self.state.waiting else Tone.BAD
        words = one_paragraph(status if self.state.waiting else problem or status)
        self.show_lines("status", ((Span(words, tone),),) if words else ())

    def show_lines(self, widget_id: str, lines: Iterable[Line], max_lines: int = MAX_BANNER_LINES) -> None:
        """Show sentences in as many lines as they need, up to a number; none when there is none."""
        width = max(self.size.width - 2, 1)
        room = max_lines if self.size.height >= 24 else min(max_lines, 2)
        wrapped = at_most([one for line in lines for one in wrap(line, width)], room, width)
        widget = self.query_one(f"#{widget_id}", PaintedLines)
        widget.set_lines((Span(" "), *line) for line in wrapped)
        widget.styles.height = len(wrapped)
        widget.display = bool(wrapped)

    def show_detail(self, detail: Detail) -> None:
        """Show the whole of what the cursor is on."""
        box = self.query_one("#detail", TextBox)
        box.border_title = Content(detail.title)
        box.show(detail.paragraphs)
