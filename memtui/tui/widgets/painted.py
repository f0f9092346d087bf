"""The base of every widget that draws lines of spans: tones become styles here and nowhere else.

Strips are built from display-safe spans directly: no markup is parsed and no rich text is made on the way.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from memtui.view.lines import Line, Tone, fit

TONE_CLASSES = frozenset(f"tone--{tone.value}" for tone in Tone)


class Painter(Widget):
    """Turns lines into strips; mixed into widgets and scroll views."""

    ALLOW_SELECT = False

    def tone_style(self, tone: Tone) -> Style:
        """What the sheet says of a tone, without a background of its own.

        The bottom screen alone carries the tones: on every widget they cost a third of the start-up's styling.
        """
        full: Style = self.app.screen_stack[0].get_component_rich_style(f"tone--{tone.value}")
        return Style(
            color=full.color, bold=full.bold, dim=full.dim, underline=full.underline, reverse=full.reverse
        )

    def strip(self, line: Line, width_cells: int, over: Style | None = None) -> Strip:
        """One line as a strip of exactly this width, in the widget's own style or `over` it.

        Nothing is dim on a selected row: its colour leaves too little contrast.
        """
        base = self.rich_style + over if over else self.rich_style
        tones = {Tone.DIM: Tone.PLAIN} if over else {}
        segments = [
            Segment(span.text, base + self.tone_style(tones.get(span.tone, span.tone)))
            for span in fit(line, width_cells)
        ]
        return Strip(segments).adjust_cell_length(width_cells, base)


class PaintedLines(Painter):
    """A widget of a few lines that are drawn anew whenever they change."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()

    def lines(self, width_cells: int) -> Iterable[Line]:
        """The lines for a width. Widgets whose lines depend on the width override this."""
        return self._lines

    def set_lines(self, lines: Iterable[Line]) -> None:
        """Show other lines."""
        if (fresh := tuple(lines)) != self._lines:
            self._lines = fresh
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The strip of one line of the content."""
        width = self.content_size.width
        drawn = tuple(self.lines(width))
        return self.strip(drawn[y] if y < len(drawn) else (), width)
