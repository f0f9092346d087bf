"""What happened: the past-tense values that `reduce` takes.

They are named tuples: making a frozen dataclass costs 0.4 ms of every start, and there are many of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from memtui.core.change import Change
from memtui.core.model import ExternalChange
from memtui.view.rows import Side
from memtui.view.state import GroupLoad, GroupView, HomeView


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


class SnapshotChosen(NamedTuple):
    """Another source of the snapshot was chosen, or what it holds changed."""

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


class CommandBegun(NamedTuple):
    """Another command was called: the refusal of the one before is answered."""


class StagedCounted(NamedTuple):
    """The writes that wait for approval were counted; `came` of them since the last time."""

    staged: int
    came: int = 0


Event = (
    HomeOpened | HomeNotFound | FileLoaded | FindingsArrived | SnapshotFrozen | ChangeCommitted | ChangeRefused
    | FilterTyped | FilterMatched | EntryPicked | TargetSwitched | SideSwitched | WatchChanged | LockAwaited
    | WaitEnded | ProblemSeen | ProblemDismissed | CommandBegun | StagedCounted | SnapshotChosen
)
