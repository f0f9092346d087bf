"""The audit screen as one immutable value, and the one function that moves it on.

What a finding is stands in the audit; here stands which are shown, in which order, and where the cursor is. It knows
no widget, no file and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from memtui.core.search import filter_indexes
from memtui.core.threats.finding import Finding, Severity
from memtui.view.cursor import clamped

if TYPE_CHECKING:
    from memtui.audit import AuditFinding
    from memtui.core.rewording import AgentAdvice

MEMORY: Final = "memory"
STAGED: Final = "staged"
BACKUP: Final = "backup"

_ORDER: Final = {
    ("dangerous", MEMORY): 0, ("dangerous", STAGED): 1, ("blocked", MEMORY): 2, ("blocked", STAGED): 3,
    ("warning", MEMORY): 4, ("warning", STAGED): 5, ("hidden", MEMORY): 6, ("hidden", STAGED): 7,
}  # fmt: skip
"""What the agent reads comes first; a backup is read by nobody."""
_LAST: Final = 8


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One finding, ready to be shown."""

    one: AuditFinding
    """With its text: raw, to be shown through `core.visible`."""
    home_label: str
    """Which home it stands in; "" for the one that is open."""
    place: str
    """Where in the home, in a few words."""
    file_label: str
    """The file as people write it."""
    advice: AgentAdvice | None = None
    """For a note that the agent hides."""

    @property
    def finding(self) -> Finding:
        """What was found."""
        return self.one.finding

    @property
    def is_own(self) -> bool:
        """True when it stands in the home that is open."""
        return not self.home_label

    @property
    def identity(self) -> tuple[object, ...]:
        """By what the row is known again after another audit."""
        return (self.one.file, self.one.text, self.one.finding.id, self.one.number)

    @property
    def words(self) -> str:
        """Everything that the filter looks at."""
        finding, one = self.finding, self.one
        return " ".join((finding.id, finding.family, one.state, self.place, self.home_label, one.text))


def sort_key(row: AuditRow) -> tuple[object, ...]:
    """Known and fine last; else the most severe first, and of these what the agent reads."""
    finding = row.finding
    rank = _ORDER.get((str(row.one.state), str(row.one.kind)), _LAST)
    return (finding.suppressed, -finding.severity.rank, rank, row.home_label, row.one.file, row.one.number)


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
    homes: int = 0
    entries: int = 0
    family: str = ""
    """The one class that is shown; "" for all."""
    entry_state: str = ""
    """The one state of entries that is shown; "" for all."""
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
        """The states that there are, the worst first."""
        ranked = sorted(self.rows, key=lambda row: _ORDER.get((str(row.one.state), MEMORY), _LAST))
        return tuple(dict.fromkeys(str(row.one.state) for row in ranked))

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


@dataclass(frozen=True, slots=True)
class HomesAudited:
    """Some more homes were gone through."""

    rows: Sequence[AuditRow]
    homes: int
    entries: int
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
    """The next class, or all again."""


@dataclass(frozen=True, slots=True)
class StateChosen:
    """The next state of entries, or all again."""


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
    wanted = state.picked.identity if state.picked else state.wanted
    return replace(
        state, rows=(), shown=(), is_every_home=event.is_every_home, is_running=True, homes=0, entries=0, problems=(),
        wanted=wanted,
    )  # fmt: skip


def _audited(state: AuditState, event: HomesAudited) -> AuditState:
    picked = state.picked
    known = {row.identity for row in state.rows}
    fresh = [row for row in event.rows if row.identity not in known]
    rows = tuple(sorted((*state.rows, *fresh), key=sort_key))
    problems = tuple(dict.fromkeys((*state.problems, *event.problems)))
    moved = replace(
        state, rows=rows, homes=state.homes + event.homes, entries=state.entries + event.entries, problems=problems
    )
    return _showing(moved, state.wanted or (picked.identity if picked else None))


def _ended(state: AuditState, event: AuditEnded) -> AuditState:
    return replace(state, is_running=False, wanted=None)


def _cursor_set(state: AuditState, event: CursorSet) -> AuditState:
    return replace(state, position=clamped(event.position, len(state.shown)), wanted=None)


def _class_chosen(state: AuditState, event: ClassChosen) -> AuditState:
    return _showing(replace(state, family=_next(state.family, state.families)))


def _state_chosen(state: AuditState, event: StateChosen) -> AuditState:
    return _showing(replace(state, entry_state=_next(state.entry_state, state.entry_states)))


def _words_typed(state: AuditState, event: WordsTyped) -> AuditState:
    return _showing(replace(state, query=event.query))


def _filters_cleared(state: AuditState, event: FiltersCleared) -> AuditState:
    return _showing(replace(state, family="", entry_state="", query=""))


def _next(chosen: str, choices: Sequence[str]) -> str:
    order = ("", *choices)
    return order[(order.index(chosen) + 1) % len(order)] if chosen in order else ""


def _showing(state: AuditState, wanted: tuple[object, ...] | None = None) -> AuditState:
    """The state with its filters applied anew; the wanted row, else the selected one, stays selected if it can."""
    if wanted is None and state.picked is not None:
        wanted = state.picked.identity
    indexes = [
        index for index, row in enumerate(state.rows)
        if state.family in ("", row.finding.family) and state.entry_state in ("", str(row.one.state))
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
