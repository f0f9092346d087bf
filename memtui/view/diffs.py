"""A line diff as paragraphs to read: what changes in colour and sign, what stays folded away.

Bounded, because wrapping ten thousand lines takes longer than a person waits for a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memtui.core.diff import DiffLine
from memtui.core.visible import visible_text
from memtui.view.amounts import counted
from memtui.view.lines import Line, Span, Tone

CONTEXT_LINES: Final = 2
MAX_LINES: Final = 1_000
MAX_LINE_CHARS: Final = 2_000

_TONES: Final = {"+": Tone.GOOD, "-": Tone.BAD, " ": Tone.DIM}
_SIGNS: Final = {"+": "+", "-": "−", " ": " "}


def diff_paragraphs(lines: Sequence[DiffLine], max_lines: int = MAX_LINES) -> tuple[Line, ...]:
    """The changed lines with what stands round them, one paragraph a line."""
    shown = list(_folded(lines))
    paragraphs = [_paragraph(one) for one in shown[:max_lines]]
    if len(shown) > max_lines:
        paragraphs.append((Span(f"⋯ {len(shown) - max_lines:,} more lines of the diff", Tone.DIM),))
    return tuple(paragraphs)


def diff_summary(lines: Sequence[DiffLine]) -> str:
    """`+3 −12 lines`, or that nothing changes."""
    added = sum(one.sign == "+" for one in lines)
    removed = sum(one.sign == "-" for one in lines)
    return f"+{added:,} −{removed:,} lines" if added or removed else "no line changes"


def _folded(lines: Sequence[DiffLine]) -> Iterator[DiffLine | int]:
    """The lines near a change; a number stands for so many that were left out."""
    near = bytearray(len(lines))
    for at, one in enumerate(lines):
        if one.sign != " ":
            low, high = max(at - CONTEXT_LINES, 0), min(at + CONTEXT_LINES + 1, len(lines))
            near[low:high] = b"\1" * (high - low)
    hidden = 0
    for at, one in enumerate(lines):
        if near[at]:
            if hidden:
                yield hidden
            hidden = 0
            yield one
        else:
            hidden += 1
    if hidden:
        yield hidden


def _paragraph(one: DiffLine | int) -> Line:
    if isinstance(one, int):
        return (Span(f"⋯ {counted(one, 'unchanged line')}", Tone.DIM),)
    text = one.text[:MAX_LINE_CHARS]
    more = "" if len(text) == len(one.text) else f" … {len(one.text) - len(text):,} more characters"
    return (Span(f"{_SIGNS[one.sign]} {visible_text(text)}{more}", _TONES[one.sign]),)
