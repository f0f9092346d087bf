"""A budget as people see it: a bar, its numbers in words, and the tone that warns."""

from __future__ import annotations

from typing import Final

from memtui.core.model import Budget
from memtui.view.lines import Line, Span, Tone

FULL_PERCENT: Final = 90
"""From here on a gauge warns: a third of real files stand between 90 and 100 percent."""


def bar(budget: Budget, width_cells: int, tone: Tone) -> Line:
    """A bar of half-cell steps: `━━━━╸   `."""
    halves = min(budget.used_chars * width_cells * 2 // max(budget.limit_chars, 1), width_cells * 2)
    if budget.used_chars and not halves:
        halves = 1
    full = "━" * (halves // 2) + "╸" * (halves % 2)
    return (Span(full, tone), Span("─" * (width_cells - len(full)), Tone.DIM))


def budget_tone(budget: Budget) -> Tone:
    """Bad over the limit, a warning shortly before it."""
    if budget.is_over:
        return Tone.BAD
    return Tone.WARN if budget.percent >= FULL_PERCENT else Tone.GOOD


def used_words(budget: Budget) -> str:
    """`1,474 / 2,200  67 %`."""
    return f"{budget.used_chars:,} / {budget.limit_chars:,}  {budget.percent} %"


def left_words(budget: Budget) -> str:
    """`726 left`, or `▲ 12 over`."""
    return f"▲ {-budget.left_chars:,} over" if budget.is_over else f"{budget.left_chars:,} left"
