"""The audit screen as one immutable value, and the one function that moves it on.

What a finding is stands in the audit; here stands which are shown, in which order, and where the cursor is. It knows
no widget, no file and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from memtui.core.search import filter_indexes
from memtui.core.threats.finding import Finding, Severity
from memtui.view.audit_finding import HIDDEN_RULE, AuditRow, badge_of, rank_of, sort_key
from memtui.view.cursor import clamped


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at; each thing counts once."""

    homes: int = 0
    entries: int = 0
    """In memory files."""
    staged: int = 0
    """Staged writes, whatever they hold."""
    backups: int = 0

    def __add__(self, other: Looked) -> Looked:
        return Looked(
            self.homes + other.homes, self.entries + other.entries, self.staged + other.staged,
            self.backups + other.backups,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditState:
    """All that is on the audit screen."""

    rows: tuple[AuditRow, ...] = ()
    """Sorted."""
    shown: tuple[int, ...] = ()
    """Indexes of the rows that the filters let through."""
    position: int = 0
    is_every_home: bool = False
    is_running: bool = True
    is_stale: bool = False
    """True while the rows are those of the audit before: they stay until the first of the new ones are there."""
    looked: Looked = Looked()
    family: str = ""
    """The one class that is shown; "" for all."""
    entry_state: str = ""
    """The one state that is shown, by its badge's word; "" for all."""
    query: str = ""
    problems: tuple[str, ...] = ()
    """What could not be read, and what is wrong with a person's own rules; display-safe."""
    wanted: tuple[object, ...] | None = field(default=None, compare=False)
    """The row that was selected before the audit began anew."""

    @property
    def picked(self) -> AuditRow | None:
        """The selected row."""
        return self.rows[self.shown[self.position]] if self.shown else None

    @property
    def listed(self) -> tuple[AuditRow, ...]:
        """The rows shown."""
        return tuple(self.rows[index] for index in self.shown)

    @property
    def is_filtered(self) -> bool:
        """True when some rows may be left out."""
        return bool(self.family or self.entry_state or self.query.strip())

    @property
    def families(self) -> tuple[str, ...]:
        """The classes that there are, in order."""
        return tuple(sorted({row.finding.family for row in self.rows}))

    @property
    def entry_states(self) -> tuple[str, ...]:
        """The states that there are, as the badges say them, the worst first."""
        ranked = sorted(self.rows, key=lambda row: (row.finding.suppressed, rank_of(row)))
        return tuple(dict.fromkeys(badge_of(row).word for row in ranked))

    @property
    def markable(self) -> tuple[AuditRow, ...]:
        """The findings of the selected one's entry that can be marked as known and fine."""
        picked = self.picked
        return tuple(row for row in self.rows if picked and row.entry == picked.entry and row.can_be_known)

    def found_in(self, entry_of: AuditRow) -> tuple[Finding, ...]:
        """What memtui itself finds in the entry that a finding stands in."""
        rows = (row for row in self.rows if row.entry == entry_of.entry)
        return tuple(row.finding for row in rows if row.finding.id != HIDDEN_RULE)

    def kept_by(self, marks: Collection[tuple[str, str]]) -> AuditRow | None:
        """The finding from the cursor on, else the nearest before it, that stays in its place when these are marked."""
        listed = self.listed
        nearest = (*listed[self.position :], *reversed(listed[: self.position]))
        return next((row for row in nearest if not row.finding.suppressed and row.mark not in marks), None)

    def counted(self) -> dict[str, int]:
        """How many findings block, warn, are told, and are known and fine."""
        counts = {severity.value: 0 for severity in reversed(Severity)}
        known = 0
        for row in self.rows:
            known += row.finding.suppressed
            counts[row.finding.severity.value] += not row.finding.suppressed
        return {**counts, "known and fine": known}


@dataclass(frozen=True, slots=True)
class AuditBegan:
    """An audit of the open home, or of every home, begins."""

    is_every_home: bool
    wanted: tuple[object, ...] | None = None
    """The row to select; None for the one that is."""


@dataclass(frozen=True, slots=True)
class HomesAudited:
    """Some more homes were gone through."""

    rows: Sequence[AuditRow]
    looked: Looked
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditEnded:
    """Every home was gone through."""


@dataclass(frozen=True, slots=True)
class CursorSet:
    """The cursor was moved to a place among the rows shown."""

    position: int


@dataclass(frozen=True, slots=True)
class ClassChosen:
    """The next class, or all again; the one before with -1."""

    step: int = 1


@dataclass(frozen=True, slots=True)
class StateChosen:
    """The next state of entries, or all again; the one before with -1."""

    step: int = 1


@dataclass(frozen=True, slots=True)
class WordsTyped:
    """The filter's words changed."""

    query: str


@dataclass(frozen=True, slots=True)
class FiltersCleared:
    """Everything is to be shown again."""


AuditEvent = (
    AuditBegan | HomesAudited | AuditEnded | CursorSet | ClassChosen | StateChosen | WordsTyped | FiltersCleared
)


def reduce_audit(state: AuditState, event: AuditEvent) -> AuditState:
    """The state after an event."""
    step: Callable[[AuditState, Any], AuditState] = _STEPS[type(event)]
    return step(state, event)


def _began(state: AuditState, event: AuditBegan) -> AuditState:
    wanted = event.wanted or state.wanted or (state.picked.identity if state.picked else None)
    return replace(state, is_every_home=event.is_every_home, is_running=True, is_stale=True, wanted=wanted)


def _audited(state: AuditState, event: HomesAudited) -> AuditState:
    picked, before = state.picked, _emptied(state)
    known = {row.identity for row in before.rows}
    fresh = [row for row in event.rows if row.identity not in known]
    rows = tuple(sorted((*before.rows, *fresh), key=sort_key))
    problems = tuple(dict.fromkeys((*before.problems, *event.problems)))
    moved = replace(before, rows=rows, looked=before.looked + event.looked, problems=problems)
    return _showing(moved, state.wanted or (picked.identity if picked else None))


def _ended(state: AuditState, event: AuditEnded) -> AuditState:
    return replace(_emptied(state), is_running=False, wanted=None)


def _emptied(state: AuditState) -> AuditState:
    """The state without what the audit before found."""
    if not state.is_stale:
        return state
    return replace(state, rows=(), shown=(), looked=Looked(), problems=(), is_stale=False)


def _cursor_set(state: AuditState, event: CursorSet) -> AuditState:
    return replace(state, position=clamped(event.position, len(state.shown)), wanted=None)


def _class_chosen(state: AuditState, event: ClassChosen) -> AuditState:
    return _filtered(replace(state, family=_next(state.family, state.families, event.step)))


def _state_chosen(state: AuditState, event: StateChosen) -> AuditState:
    return _filtered(replace(state, entry_state=_next(state.entry_state, state.entry_states, event.step)))


def _words_typed(state: AuditState, event: WordsTyped) -> AuditState:
    return _filtered(replace(state, query=event.query))


def _filters_cleared(state: AuditState, event: FiltersCleared) -> AuditState:
    return _showing(replace(state, family="", entry_state="", query=""))


def _next(chosen: str, choices: Sequence[str], step: int) -> str:
    order = ("", *choices)
    return order[(order.index(chosen) + step) % len(order)] if chosen in order else ""


def _filtered(state: AuditState) -> AuditState:
    """The state under other filters, the cursor on the worst they let through; without any it stays on its row."""
    shown = _showing(state)
    return replace(shown, position=0) if shown.is_filtered else shown


def _showing(state: AuditState, wanted: tuple[object, ...] | None = None) -> AuditState:
    """The state with its filters applied anew; the wanted row, else the selected one, stays selected if it can."""
    if wanted is None and state.picked is not None:
        wanted = state.picked.identity
    indexes = [
        index for index, row in enumerate(state.rows)
        if state.family in ("", row.finding.family) and state.entry_state in ("", badge_of(row).word)
    ]  # fmt: skip
    if state.query.strip():
        hits = filter_indexes([state.rows[index].words for index in indexes], state.query)
        indexes = [indexes[hit.index] for hit in hits]
    places = (place for place, index in enumerate(indexes) if state.rows[index].identity == wanted)
    fallback = clamped(state.position, len(indexes))
    return replace(state, shown=tuple(indexes), position=next(places, fallback))


_STEPS: Final[dict[type, Callable[[AuditState, Any], AuditState]]] = {
    AuditBegan: _began, HomesAudited: _audited, AuditEnded: _ended, CursorSet: _cursor_set,
    ClassChosen: _class_chosen, StateChosen: _state_chosen, WordsTyped: _words_typed, FiltersCleared: _filters_cleared,
}  # fmt: skip
