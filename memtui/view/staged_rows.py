"""The staged writes line by line, and the box with what one of them would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.diff import word_spans
from memtui.core.errors import ThreatFound
from memtui.core.model import FILE_NAMES, Budget
from memtui.core.threats.finding import Severity
from memtui.core.visible import cell_width, clip, preview, visible_text
from memtui.view.amounts import age_words, counted, moment_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, finding_lines, marked_text
from memtui.view.diffs import diff_paragraphs
from memtui.view.gauges import bar, budget_tone, left_words, used_words
from memtui.view.lines import Line, Span, Tone, fit, line_width
from memtui.view.rows import CHANGED, GONE, NEW, Badge
from memtui.view.staged import StagedState

if TYPE_CHECKING:
    from memtui.actions.pending import PendingView, StagedChange
    from memtui.disk.pending_records import StagedOperation

WORD_CELLS: Final = 70
"""From this width on a row has room for the record's origin and the badge's word."""
ORIGIN_CELLS: Final = 18
MAX_NEAR: Final = 5
MAX_REFUSAL_CHARS: Final = 2_000
MAX_OPERATIONS: Final = 20
MAX_OPERATION_CELLS: Final = 400

UNREADABLE: Final = Badge("?", "cannot be read", Tone.BAD)
OTHER: Final = Badge("~", "changed since listed", Tone.WARN)
NEAR: Final = Badge("≈", "near-duplicate", Tone.WARN)
THREAT: Final = Badge("!", "threat", Tone.BAD)
WARNED: Final = Badge("?", "warning", Tone.WARN)

_ACTIONS: Final[Mapping[str, Badge]] = {
    "add": Badge(NEW.mark, "add", Tone.GOOD),
    "replace": Badge(CHANGED.mark, "replace", Tone.NOTE),
    "remove": Badge(GONE.mark, "remove", Tone.WARN),
    "batch": Badge("≡", "batch", Tone.NOTE),
}
_REFUSALS: Final[Mapping[str, str]] = {
    "invalid": "not valid",
    "threat": "threat",
    "over_budget": "over budget",
    "no_match": "no such entry",
    "ambiguous": "names several",
    "conflict": "entry changed",
    "merged": "names a part",
    "drift": "file drifted",
    "unreadable": "cannot be read",
}
"""By the code of the refusal with which an approval would end."""


def row_badge(state: StagedState, view: PendingView) -> Badge | None:
    """The worst thing to be said of a record."""
    if view.staged.problem:
        return UNREADABLE
    if state.is_other(view):
        return OTHER
    if view.refusal_code:
        return Badge("✗", _REFUSALS.get(view.refusal_code, "refused"), Tone.BAD)
    severities = {one.severity for change in view.changes for one in change.findings if not one.suppressed}
    if severities:
        return THREAT if Severity.BLOCK in severities else WARNED
    return NEAR if any(change.similar for change in view.changes) else None


def row_line(state: StagedState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """Action, age, file, text, and what stands against it."""
    assert state.views is not None
    view = state.views[position]
    staged, is_wide = view.staged, width_cells >= WORD_CELLS
    action = UNREADABLE if staged.problem else _ACTIONS.get(staged.action, UNREADABLE)
    name = "" if staged.problem else FILE_NAMES[staged.target].removesuffix(".md")
    left: Line = (
        cursor_sign(is_cursor),
        Span(f"{action.mark} ", action.tone),
        Span(f"{age_of(view):>6}  ", Tone.DIM),
        Span(f"{name:<6}  ", Tone.PLAIN),
    )
    badge = row_badge(state, view)
    right: Line = (Span(f"  {badge.mark} {badge.word} " if badge and is_wide else f" {badge.mark} " if badge else " ",
                        badge.tone if badge else Tone.PLAIN),)
    if is_wide:
        right = (Span(f"  {clip(staged.origin, ORIGIN_CELLS)}", Tone.DIM), *right)
    room = max(width_cells - line_width(left) - line_width(right), 0)
    text = preview(row_text(view), room)
    return fit((*left, Span(text), Span(" " * (room - cell_width(text))), *right), width_cells)


def row_text(view: PendingView) -> str:
    """The one text that tells a record from others. Untrusted."""
    if view.staged.problem:
        return f"{view.staged.id}: {view.staged.problem}"
    if len(view.changes) > 1:
        return f"{counted(len(view.changes), 'operation')}: " + " · ".join(
            change.after or change.before or "" for change in view.changes
        )
    change = view.changes[0]
    return change.after or change.before or str(view.staged.operations[0].old_text or "")


def operation_lines(operations: Sequence[StagedOperation]) -> tuple[Line, ...]:
    """Operations of a record as it tells them, a line each: the sign of the action, the text."""
    lines: list[Line] = []
    for one in operations[:MAX_OPERATIONS]:
        action = _ACTIONS.get(one.action, UNREADABLE)
        told = next((text for text in (one.content, one.matched_entry, one.old_text) if isinstance(text, str)), "")
        lines.append((Span(f"{action.mark} ", action.tone), Span(clip(told, MAX_OPERATION_CELLS))))
    if (more := len(operations) - MAX_OPERATIONS) > 0:
        lines.append((Span(f"… and {more:,} more", Tone.DIM),))
    return tuple(lines)


def age_of(view: PendingView) -> str:
    """How long ago it was staged; `—` where the record does not tell."""
    return "—" if view.staged.created_at <= 0 else age_words(view.age_s)


def budget_line(view: PendingView | None, width_cells: int) -> Line | None:
    """The file's gauge after an approval, with the numbers now and then; None when nothing can be told."""
    if view is None or view.staged.problem:
        return None
    after = view.projected or view.budget
    name = Span(f"{FILE_NAMES[view.staged.target]} ", Tone.STRONG)
    told = f" {view.budget.used_chars:,} → {_numbers(after)}" if view.projected else f" {_numbers(after)} now"
    room = width_cells - line_width((name, Span(told)))
    return fit((name, *bar(after, max(0, min(room, 40)), budget_tone(after)), Span(told)), width_cells)


def _numbers(budget: Budget) -> str:
    return f"{used_words(budget)}  {left_words(budget)}"


def detail_of(state: StagedState) -> Detail:
    """What the record under the cursor would change, and what is to be said of it."""
    view = state.view
    if view is None:
        return Detail("Staged write")
    staged = view.staged
    ago = f"{age_of(view)} ago ({moment_words(staged.created_at, state.now_s)})"
    parts = (
        f"Staged write {state.position + 1} of {len(state.views or ())}",
        clip(staged.id, 40),
        clip(staged.origin, 40),
        ago if staged.created_at > 0 else "at an unknown time",
    )
    paragraphs = [*_verdict_lines(state, view)]
    for number, change in enumerate(view.changes, start=1):
        paragraphs += [()] if paragraphs else []
        if len(view.changes) > 1:
            paragraphs.append((Span(f"{number} of {len(view.changes)} · {clip(change.action, 20)}", Tone.STRONG),))
        paragraphs += _change_lines(change)
    if staged.problem and staged.summary:
        paragraphs.append((Span(clip(staged.summary, 400), Tone.DIM),))
    return Detail(" · ".join(filter(None, parts)), tuple(paragraphs))


def _verdict_lines(state: StagedState, view: PendingView) -> list[Line]:
    if view.staged.problem:
        why = visible_text(view.staged.problem)
        return [(Span(f"? This record cannot be approved: {why} r drops it.", Tone.BAD),)]
    lines: list[Line] = []
    if state.is_other(view):
        lines.append((Span("~ Another text than when this was listed: approving shows both first.", Tone.WARN),))
    if view.refusal_code == ThreatFound.code:
        lines.append((Span("✗ It holds a threat, told below: approving asks before it is written.", Tone.BAD),))
    elif view.refusal:
        why = visible_text(view.refusal[:MAX_REFUSAL_CHARS], keep_newlines=True)
        lines.append((Span(f"✗ Approving it would be refused: {why}", Tone.BAD),))
    return lines


def _change_lines(change: StagedChange) -> list[Line]:
    lines: list[Line] = []
    if change.before is not None and change.after is not None:
        lines += _before_and_after(change, change.before, change.after)
    elif change.diff:
        lines += _one_sided(change)
    else:
        lines.append((Span("· It names no entry and holds no text.", Tone.DIM),))
    if change.action != "add":
        lines.append((Span(_meant_words(change), Tone.DIM),))
    lines += [line for finding in change.findings for line in finding_lines(finding)]
    lines += [
        (Span("≈ Nearly the same stands there: ", Tone.WARN), Span(f"“{clip(text, 300)}”"))
        for text in change.similar[:MAX_NEAR]
    ]
    return lines


def _meant_words(change: StagedChange) -> str:
    if change.before is None:
        return "  It names no entry that stands in the file now."
    if change.is_pinned:
        return "  The record itself pins this entry."
    return "  This is the entry that its words name now."


def _before_and_after(change: StagedChange, before: str, after: str) -> list[Line]:
    if "\n" in before or "\n" in after:
        return list(diff_paragraphs(change.diff, 200))
    gone, come = word_spans(before, after)
    flagged = [(start, end, Tone.FLAG) for one in change.findings for start, end in one.spans]
    return [
        (Span("− ", Tone.BAD), *marked_text(before, [(*span, Tone.BAD) for span in gone])),
        (Span("+ ", Tone.GOOD), *marked_text(after, [*((*span, Tone.GOOD) for span in come), *flagged])),
    ]


def _one_sided(change: StagedChange) -> list[Line]:
    text = change.after if change.after is not None else change.before or ""
    sign = Span("+ ", Tone.GOOD) if change.after is not None else Span("− ", Tone.BAD)
    flagged = [(start, end, Tone.FLAG) for one in change.findings for start, end in one.spans]
    return [(sign, *marked_text(text, flagged))]
