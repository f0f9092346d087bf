"""One line of a pane: cursor, mark, preview, word and size in aligned columns."""

from __future__ import annotations

from typing import Final

from memtui.core.visible import cell_width, preview
from memtui.view.cursor import cursor_sign
from memtui.view.lines import Line, Span, Tone
from memtui.view.rows import Badge, Half, RowView, Side

WORD_CELLS: Final = 40
"""From this width on a row has room for the badge's word."""


def row_line(row: RowView, side: Side, is_picked: bool, size_cells: int, width_cells: int) -> Line:
    """A row's half, exactly as wide as asked; a dot stands where the other side has an entry and this one has none."""
    cursor = cursor_sign(is_picked)
    half = row.half(side)
    if half is None:
        return (cursor, Span("  ·", Tone.DIM))
    badge = half.badge
    mark = Span(f"{badge.mark if badge else ' '} ", badge.tone if badge else Tone.PLAIN)
    right = _right(half, size_cells if side is Side.LIVE else 0, width_cells)
    room = width_cells - 3 - sum(cell_width(span.text) for span in right)
    text = preview(half.text, room)
    gap = " " * max(room - cell_width(text), 0)
    return (cursor, mark, Span(text, _text_tone(badge)), Span(gap), *right)


def _right(half: Half, size_cells: int, width_cells: int) -> Line:
    spans: list[Span] = []
    if width_cells >= WORD_CELLS:
        for badge in half.badges[: 1 if width_cells < 2 * WORD_CELLS else 3]:
            spans.append(Span(f"  {badge.word}", badge.tone))
    if size_cells:
        spans.append(Span(f"{half.size_chars:>{size_cells + 2},}", Tone.DIM))
    return (*spans, Span(" "))


def _text_tone(badge: Badge | None) -> Tone:
    return Tone.DIM if badge is not None and badge.tone is Tone.DIM else Tone.PLAIN
