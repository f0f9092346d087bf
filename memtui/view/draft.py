"""A text that is being written: what it would cost, what it resembles, what the scanner says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memtui.core.budget import budget_of, project
from memtui.core.model import Budget, MemoryFile
from memtui.core.similar import near_duplicates
from memtui.core.threats import scan
from memtui.core.threats.finding import Finding, Severity
from memtui.core.visible import preview
from memtui.view.amounts import counted
from memtui.view.gauges import bar, left_words
from memtui.view.lines import Line, Span, Tone

if TYPE_CHECKING:
    from memtui.store.guard import Suppressing

MAX_COMPARED: Final = 2_000
"""Entries that a draft is compared with while it is typed."""


MAX_NOTICES: Final = 3
"""Lines below the text: it is the text that needs the room."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is being written, for which group, and the text it replaces (None for a new entry)."""

    group: str
    before: str | None
    text: str
    opened: str | None = None
    """The text that the editor was opened with, where that is another than `before`."""

    @property
    def is_changed(self) -> bool:
        """True when leaving would lose something."""
        opened = self.before if self.opened is None else self.opened
        return self.text.strip() != (opened or "").strip()


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is to be said of a draft."""

    near: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def assess(draft: Draft, texts: Sequence[str], suppressions: Suppressing) -> Assessment:
    """Compare and scan a draft; what is known and fine in it is not told. Takes milliseconds: for a worker."""
    text = draft.text.strip()
    if not text:
        return Assessment()
    others = [other for other in texts if other != draft.before][:MAX_COMPARED]
    near = tuple(others[index] for index in near_duplicates(text, others))
    return Assessment(near, tuple(one for one in suppressions.apply(text, scan(text)) if not one.suppressed))


def projected(draft: Draft, file: MemoryFile, theirs: str | None = None) -> Budget:
    """The budget after saving the draft; `theirs` is what another program made of the entry that it replaces."""
    texts = file.document.texts
    text = draft.text.strip()
    limit_chars = file.budget.limit_chars
    before = next((one for one in (draft.before, theirs) if one in texts), None)
    return project(texts, before, text, limit_chars) if text else budget_of(texts, limit_chars)


def count_line(draft: Draft, file: MemoryFile, theirs: str | None = None) -> Line:
    """Characters of the draft and the gauge as it would be; `theirs` as in `projected`."""
    count = len(draft.text.strip())
    budget = projected(draft, file, theirs)
    tone = Tone.BAD if budget.is_over else Tone.GOOD
    left = f"{left_words(budget)}{' the limit' if budget.is_over else ''}"
    return (
        Span(f"{counted(count, 'character')}  "),
        *bar(budget, 16, tone),
        Span(f" {budget.used_chars:,} / {budget.limit_chars:,} after saving  "),
        Span(left, tone if budget.is_over else Tone.DIM),
    )


def notice_lines(assessment: Assessment, *, underneath: str = "") -> tuple[Line, ...]:
    """What the editor says below the text, the most important first, in three lines at most.

    `underneath`: what happened to the entry that is edited.
    """
    lines: list[Line] = []
    if underneath:
        lines.append((Span(underneath, Tone.WARN),))
    for finding in sorted(assessment.findings, key=lambda found: -found.severity.rank):
        mark, tone = ("⊘", Tone.BAD) if finding.severity is Severity.BLOCK else ("?", Tone.WARN)
        lines.append((Span(f"{mark} {finding.id} · {finding.severity.value} · ", tone), Span(finding.why)))
    lines += [(Span("= much like: ", Tone.WARN), Span(preview(text, 200))) for text in assessment.near]
    if len(lines) > MAX_NOTICES:
        more = len(lines) - MAX_NOTICES + 1
        lines[MAX_NOTICES - 1 :] = [(Span(f"… and {more} more", Tone.WARN),)]
    return tuple(lines)
