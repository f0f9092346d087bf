"""The cursor of a list: where it may stand, and the sign it has there."""

from __future__ import annotations

from memtui.view.lines import Span, Tone


def clamped(position: int, count: int) -> int:
    """The position, moved onto one of so many rows; 0 where there is none."""
    return max(0, min(position, count - 1))


def cursor_sign(is_cursor: bool) -> Span:
    """The first cell of a row."""
    return Span("▸" if is_cursor else " ", Tone.KEY)
