"""Everything the screens show, as one immutable value, and the one function that moves it on.

It knows no widget, no file and no clock. Groups stand for whatever a store holds: how many there are and what each
can do (limit, snapshot, drift, editing) is said by its capabilities, never assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui.core.model import Change, ExternalChange, MemoryFile
from memtui.view.rows import EntryKey, RowView, Side, SnapshotText, find_row

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice


class Phase(StrEnum):
    """How far the opening of a home is."""

    OPENING = "opening"
    OPEN = "open"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a group of entries can do."""

    has_limit: bool = True
    has_snapshot: bool = True
    has_drift: bool = True
    is_editable: bool = True


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home in use, in display-safe words."""

    label: str
    profile: str
    flavour: str
    rules: str
    """Which agent's rules decide what the agent sees; empty when none do."""
    read_only: str = ""
    """Why nothing can be written; empty when it can."""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """What the session holds of one group."""

    texts: tuple[SnapshotText, ...]
    frozen_words: str
    """When it was frozen, as people say it: `09:12`."""


@dataclass(frozen=True, slots=True)
class GroupLoad:
    """One look at one group, complete: made in a worker, taken over as a whole."""

    serial: int
    """Grows with every look; an older look never replaces a newer one."""
    file: MemoryFile
    rows: tuple[RowView, ...]
    snapshot: SnapshotView | None = None
    is_scanned: bool = False
    threat_count: int = 0
    """Entries that are dangerous, seen by the agent or not."""
    unseen_count: int = 0
    """Entries that the agent hides although nothing in them looks dangerous."""
    advice: Mapping[str, AgentAdvice] = field(default_factory=dict)
    """Why the agent hides an entry and which other words it would see, by the entry's text."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """One group of entries: today `memory` and `user`."""

    key: str
    label: str
    file_name: str
    capabilities: Capabilities = field(default_factory=Capabilities)
    load: GroupLoad | None = None
    shown: tuple[int, ...] = ()
    """Indexes of the rows that the filter lets through, in order."""
    position: int = 0
    """Index into `shown` of the selected row."""
    outside: ExternalChange = field(default_factory=ExternalChange)
    """What other programs changed since the snapshot was frozen, as last told."""

    @property
    def rows(self) -> tuple[RowView, ...]:
        """All rows, shown or not."""
        return self.load.rows if self.load else ()

    @property
    def picked(self) -> RowView | None:
        """The selected row."""
        return self.rows[self.shown[self.position]] if self.shown else None


@dataclass(frozen=True, slots=True)
class ViewState:
    """All that is on screen."""

    phase: Phase = Phase.OPENING
    home: HomeView | None = None
    groups: tuple[GroupView, ...] = ()
    current: int = 0
    side: Side = Side.LIVE
    query: str = ""
    watch: str = ""
    """How the folder is watched, in one or two words."""
    waiting: str = ""
    """What a running job waits for; empty when nothing waits."""
    problem: str = ""
    """The last failure, in words; stays until it is put away or something succeeds."""
    staged_count: int = 0

    @property
    def group(self) -> GroupView | None:
        """The group on screen."""
        return self.groups[self.current] if self.groups else None

    @property
    def picked(self) -> RowView | None:
        """The selected row of the group on screen."""
        return self.group.picked if self.group else None


# Events are named tuples: making a frozen dataclass costs 0.4 ms of every start, and there are many of them.


class HomeOpened(NamedTuple):
    """A home was opened: its groups, still without their files."""

    home: HomeView
    groups: tuple[GroupView, ...]


class HomeNotFound(NamedTuple):
    """No home could be opened."""

    message: str


class FileLoaded(NamedTuple):
    """A file was read; `external` is what others changed since the last look."""

    group: str
    load: GroupLoad
    external: ExternalChange = ExternalChange()


class FindingsArrived(NamedTuple):
    """The same look again, with the scanner's findings and the agent's view."""

    group: str
    load: GroupLoad


class SnapshotFrozen(NamedTuple):
    """A new session was begun: every group was frozen again."""

    loads: tuple[tuple[str, GroupLoad], ...]


class ChangeCommitted(NamedTuple):
    """A change was written and the file read again."""

    group: str
    change: Change
    load: GroupLoad


class ChangeRefused(NamedTuple):
    """A change was not written; the file is as it was."""

    group: str
    code: str
    message: str
    details: Mapping[str, Any] = MappingProxyType({})


class FilterTyped(NamedTuple):
    """The filter's words changed."""

    query: str


class FilterMatched(NamedTuple):
    """The rows that a query lets through were found, for one look at a group."""

    group: str
    serial: int
    query: str
    indexes: tuple[int, ...]


class EntryPicked(NamedTuple):
    """A row was selected, by its place among the shown ones."""

    position: int


class TargetSwitched(NamedTuple):
    """Another group was called."""

    place: int


class SideSwitched(NamedTuple):
    """The other pane was called."""

    side: Side


class WatchChanged(NamedTuple):
    """The folder is watched in another way now."""

    words: str


class LockAwaited(NamedTuple):
    """A job waits for a lock that another program holds."""

    message: str


class WaitEnded(NamedTuple):
    """The lock was had, or the wait given up."""


class ProblemSeen(NamedTuple):
    """Something failed that is no refusal of a change."""

    message: str


class ProblemDismissed(NamedTuple):
    """The failure on the status line was put away."""


Event = (
    HomeOpened | HomeNotFound | FileLoaded | FindingsArrived | SnapshotFrozen | ChangeCommitted | ChangeRefused
    | FilterTyped | FilterMatched | EntryPicked | TargetSwitched | SideSwitched | WatchChanged | LockAwaited
    | WaitEnded | ProblemSeen | ProblemDismissed
)


def reduce(state: ViewState, event: Event) -> ViewState:
    """The state after an event."""
    step: Callable[[ViewState, Any], ViewState] = _STEPS[type(event)]
    return step(state, event)


def _home_opened(state: ViewState, event: HomeOpened) -> ViewState:
    problem = " ".join(event.home.problems)
    return replace(ViewState(watch=state.watch), phase=Phase.OPEN, home=event.home, groups=event.groups,
                   problem=problem)


def _home_not_found(state: ViewState, event: HomeNotFound) -> ViewState:
    return replace(state, phase=Phase.MISSING, problem=event.message, groups=(), home=None)


def _file_loaded(state: ViewState, event: FileLoaded) -> ViewState:
    moves = dict(event.external.changed)

    def outside(group: GroupView) -> GroupView:
        return replace(group, outside=event.external) if event.external else group

    return _with_group(state, event.group, lambda group: outside(_loaded(state, group, event.load, moves)))


def _findings_arrived(state: ViewState, event: FindingsArrived) -> ViewState:
    return _with_group(state, event.group, lambda group: _loaded(state, group, event.load, {}))


def _snapshot_frozen(state: ViewState, event: SnapshotFrozen) -> ViewState:
    for key, load in event.loads:
        state = _with_group(state, key, lambda group, load=load: replace(  # type: ignore[misc]
            _loaded(state, group, load, {}), outside=ExternalChange()))
    return replace(state, problem="")


def _change_committed(state: ViewState, event: ChangeCommitted) -> ViewState:
    moves = {step.before: step.after for step in event.change.steps if step.before and step.after}
    state = _with_group(state, event.group, lambda group: _loaded(state, group, event.load, moves))
    if event.change.action in ("add", "undo", "redo", "replace") and event.change.after is not None:
        state = _with_group(state, event.group, lambda group: _picking(group, event.change.after or ""))
    return replace(state, problem="", waiting="")


def _change_refused(state: ViewState, event: ChangeRefused) -> ViewState:
    return replace(state, problem=event.message, waiting="")


def _filter_typed(state: ViewState, event: FilterTyped) -> ViewState:
    state = replace(state, query=event.query)
    if event.query.strip():
        return state
    return replace(state, groups=tuple(_showing(group, tuple(range(len(group.rows)))) for group in state.groups))


def _filter_matched(state: ViewState, event: FilterMatched) -> ViewState:
    def matched(group: GroupView) -> GroupView:
        is_current = group.load is not None and group.load.serial == event.serial and state.query == event.query
        return _showing(group, event.indexes) if is_current else group

    return _with_group(state, event.group, matched)


def _entry_picked(state: ViewState, event: EntryPicked) -> ViewState:
    def picked(group: GroupView) -> GroupView:
        return replace(group, position=_clamped(event.position, len(group.shown)))

    return _with_group(state, state.group.key, picked) if state.group else state


def _target_switched(state: ViewState, event: TargetSwitched) -> ViewState:
    return replace(state, current=event.place) if 0 <= event.place < len(state.groups) else state


def _side_switched(state: ViewState, event: SideSwitched) -> ViewState:
    return replace(state, side=event.side)


def _watch_changed(state: ViewState, event: WatchChanged) -> ViewState:
    return replace(state, watch=event.words)


def _lock_awaited(state: ViewState, event: LockAwaited) -> ViewState:
    return replace(state, waiting=event.message)


def _wait_ended(state: ViewState, event: WaitEnded) -> ViewState:
    return replace(state, waiting="")


def _problem_seen(state: ViewState, event: ProblemSeen) -> ViewState:
    return replace(state, problem=event.message, waiting="")


def _problem_dismissed(state: ViewState, event: ProblemDismissed) -> ViewState:
    return replace(state, problem="")


def _with_group(state: ViewState, key: str, change: Callable[[GroupView], GroupView]) -> ViewState:
    groups = tuple(change(group) if group.key == key else group for group in state.groups)
    return replace(state, groups=groups)


def _loaded(state: ViewState, group: GroupView, load: GroupLoad, moves: dict[str, str]) -> GroupView:
    """The group with a newer look, the same entry selected: under its new text where `moves` says it has one."""
    if group.load is not None and load.serial < group.load.serial:
        return group
    wanted = group.picked.key if group.picked else None
    if wanted is not None and wanted.text in moves:
        wanted = EntryKey(wanted.side, moves[wanted.text])
    is_filtered = bool(state.query.strip())
    # While a filter is on, the old rows' matches stand until the worker has matched the new rows.
    shown = _kept(group, load) if is_filtered else tuple(range(len(load.rows)))
    moved = replace(group, load=load, shown=shown, position=_clamped(group.position, len(shown)))
    return _showing(moved, shown, wanted)


def _kept(group: GroupView, load: GroupLoad) -> tuple[int, ...]:
    known = {group.rows[index].key for index in group.shown}
    return tuple(index for index, row in enumerate(load.rows) if row.key in known)


def _showing(group: GroupView, shown: tuple[int, ...], wanted: EntryKey | None = None) -> GroupView:
    """The group with other rows shown; the wanted (else the selected) entry stays selected where it still is."""
    wanted = wanted or (group.picked.key if group.picked else None)
    index = find_row(group.rows, shown, wanted) if wanted else None
    position = _clamped(group.position, len(shown)) if index is None else index
    return replace(group, shown=shown, position=position)


def _picking(group: GroupView, text: str) -> GroupView:
    return _showing(group, group.shown, EntryKey(Side.LIVE, text))


def _clamped(position: int, count: int) -> int:
    return max(0, min(position, count - 1))


_STEPS: Final[dict[type, Callable[[ViewState, Any], ViewState]]] = {
    HomeOpened: _home_opened, HomeNotFound: _home_not_found, FileLoaded: _file_loaded,
    FindingsArrived: _findings_arrived, SnapshotFrozen: _snapshot_frozen, ChangeCommitted: _change_committed,
    ChangeRefused: _change_refused, FilterTyped: _filter_typed, FilterMatched: _filter_matched,
    EntryPicked: _entry_picked, TargetSwitched: _target_switched, SideSwitched: _side_switched,
    WatchChanged: _watch_changed, LockAwaited: _lock_awaited, WaitEnded: _wait_ended,
    ProblemSeen: _problem_seen, ProblemDismissed: _problem_dismissed,
}
