"""`reduce`: the state after an event. Pure, and linear in the number of rows at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from memtui.core.model import ExternalChange
from memtui.view.cursor import clamped
from memtui.view.events import (
    ChangeCommitted,
    ChangeRefused,
    CommandBegun,
    EntryPicked,
    Event,
    FileLoaded,
    FilterMatched,
    FilterTyped,
    FindingsArrived,
    HomeNotFound,
    HomeOpened,
    LockAwaited,
    ProblemDismissed,
    ProblemSeen,
    SideSwitched,
    SnapshotChosen,
    SnapshotFrozen,
    StagedCounted,
    TargetSwitched,
    WaitEnded,
    WatchChanged,
)
from memtui.view.rows import EntryKey, Side, find_row
from memtui.view.state import GroupLoad, GroupView, Phase, ViewState


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
        return replace(group, outside=_joined(group.outside, event.external)) if event.external else group

    return _with_group(state, event.group, lambda group: outside(_loaded(state, group, event.load, moves)))


def _joined(one: ExternalChange, other: ExternalChange) -> ExternalChange:
    """Both, each text once: a second look before the first is recorded tells the same again."""
    return ExternalChange(
        tuple(dict.fromkeys((*one.added, *other.added))),
        tuple(dict.fromkeys((*one.removed, *other.removed))),
        tuple(dict.fromkeys((*one.changed, *other.changed))),
    )


def _findings_arrived(state: ViewState, event: FindingsArrived) -> ViewState:
    return _with_group(state, event.group, lambda group: _loaded(state, group, event.load, {}))


def _snapshot_frozen(state: ViewState, event: SnapshotFrozen) -> ViewState:
    loads = dict(event.loads)

    def frozen(group: GroupView) -> GroupView:
        if group.key not in loads:
            return group
        return replace(_loaded(state, group, loads[group.key], {}), outside=ExternalChange())

    return replace(state, groups=tuple(frozen(group) for group in state.groups), problem="", is_refusal=False)


def _snapshot_chosen(state: ViewState, event: SnapshotChosen) -> ViewState:
    loads = dict(event.loads)
    groups = (
        _loaded(state, group, loads[group.key], {}) if group.key in loads else group for group in state.groups
    )
    return replace(state, groups=tuple(groups))


def _staged_counted(state: ViewState, event: StagedCounted) -> ViewState:
    return replace(state, staged_count=event.staged, staged_serial=state.staged_serial + 1)


def _change_committed(state: ViewState, event: ChangeCommitted) -> ViewState:
    moves = {step.before: step.after for step in event.change.steps if step.before and step.after}
    state = _with_group(state, event.group, lambda group: _loaded(state, group, event.load, moves))
    if event.change.action in ("add", "undo", "redo", "replace") and event.change.after is not None:
        state = _with_group(state, event.group, lambda group: _picking(group, event.change.after or ""))
    return replace(state, problem="", is_refusal=False)


def _change_refused(state: ViewState, event: ChangeRefused) -> ViewState:
    return replace(state, problem=event.message, is_refusal=True)


def _filter_typed(state: ViewState, event: FilterTyped) -> ViewState:
    state = replace(state, query=event.query)
    if event.query.strip():
        return state
    return replace(state, groups=tuple(_showing(group, tuple(range(len(group.rows)))) for group in state.groups))


def _filter_matched(state: ViewState, event: FilterMatched) -> ViewState:
    def matched(group: GroupView) -> GroupView:
        is_current = group.load is not None and group.load.serial == event.serial and state.query == event.query
        return _showing(group, event.indexes, otherwise=0) if is_current else group

    return _with_group(state, event.group, matched)


def _entry_picked(state: ViewState, event: EntryPicked) -> ViewState:
    def picked(group: GroupView) -> GroupView:
        return replace(group, position=clamped(event.position, len(group.shown)))

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
    return replace(state, problem=event.message, is_refusal=False)


def _problem_dismissed(state: ViewState, event: ProblemDismissed) -> ViewState:
    return replace(state, problem="", is_refusal=False)


def _command_begun(state: ViewState, event: CommandBegun) -> ViewState:
    return replace(state, problem="", is_refusal=False) if state.is_refusal else state


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
    moved = replace(group, load=load, shown=shown, position=clamped(group.position, len(shown)))
    return _showing(moved, shown, wanted)


def _kept(group: GroupView, load: GroupLoad) -> tuple[int, ...]:
    known = {group.rows[index].key for index in group.shown}
    return tuple(index for index, row in enumerate(load.rows) if row.key in known)


def _showing(
    group: GroupView, shown: tuple[int, ...], wanted: EntryKey | None = None, otherwise: int | None = None
) -> GroupView:
    """The group with other rows shown; the wanted (else the selected) entry stays selected where it still is.

    Where it is not, the row at `otherwise` is, or at the same place when that is None.
    """
    wanted = wanted or (group.picked.key if group.picked else None)
    index = find_row(group.rows, shown, wanted) if wanted else None
    place = group.position if otherwise is None else otherwise
    position = clamped(place, len(shown)) if index is None else index
    return replace(group, shown=shown, position=position)


def _picking(group: GroupView, text: str) -> GroupView:
    return _showing(group, group.shown, EntryKey(Side.LIVE, text))


_STEPS: Final[dict[type, Callable[[ViewState, Any], ViewState]]] = {
    HomeOpened: _home_opened, HomeNotFound: _home_not_found, FileLoaded: _file_loaded,
    FindingsArrived: _findings_arrived, SnapshotFrozen: _snapshot_frozen, ChangeCommitted: _change_committed,
    ChangeRefused: _change_refused, FilterTyped: _filter_typed, FilterMatched: _filter_matched,
    EntryPicked: _entry_picked, TargetSwitched: _target_switched, SideSwitched: _side_switched,
    WatchChanged: _watch_changed, LockAwaited: _lock_awaited, WaitEnded: _wait_ended,
    ProblemSeen: _problem_seen, ProblemDismissed: _problem_dismissed, StagedCounted: _staged_counted,
    SnapshotChosen: _snapshot_chosen, CommandBegun: _command_begun,
}
