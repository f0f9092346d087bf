"""The staged writes' screen as one immutable value, and the one function that moves it on.

It remembers what each record was meant for when it was first listed, so that a file that changes underneath
cannot slip another entry under an approval. It knows no widget, no file and no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memtui.view.cursor import clamped

if TYPE_CHECKING:
    from memtui.actions.pending import PendingView
    from memtui.disk.pending_records import PendingWrite


@dataclass(frozen=True, slots=True)
class StagedState:
    """All that the screen shows."""

    views: tuple[PendingView, ...] | None = None
    """Oldest first; None before they were read."""
    position: int = 0
    first: Mapping[str, PendingWrite] = field(default_factory=lambda: MappingProxyType({}))
    """By id: the record as it was first listed, with the entries it was meant for then."""
    now_s: float = 0.0
    """When they were read."""
    problem: str = ""
    """The last failure, in words; goes with the next step."""
    wanted: str = ""
    """The id of the record on which the cursor is put first."""

    @property
    def view(self) -> PendingView | None:
        """The record under the cursor."""
        return self.views[self.position] if self.views else None

    def as_listed(self, view: PendingView) -> PendingView:
        """What an approval stands for: the record with the entry that was first shown."""
        return replace(view, staged=self.first.get(view.staged.id, view.staged))

    def is_other(self, view: PendingView) -> bool:
        """True when the record, or the entry that it hits, is not what was first listed."""
        first = self.first.get(view.staged.id, view.staged)
        return (first.target, first.operations) != (view.staged.target, view.staged.operations)


class StagedListed(NamedTuple):
    """The records were read beside the files as they stand."""

    views: tuple[PendingView, ...]
    now_s: float


class StagedPicked(NamedTuple):
    """The cursor was put on a record."""

    position: int


class SeenAnew(NamedTuple):
    """A person was shown what a record hits now, so that this is what an approval stands for."""

    pending_id: str


class StagedFailed(NamedTuple):
    """Something was not done."""

    problem: str


StagedEvent = StagedListed | StagedPicked | SeenAnew | StagedFailed


def reduce_staged(state: StagedState, event: StagedEvent) -> StagedState:
    """The state after an event."""
    match event:
        case StagedListed(views, now_s):
            return _listed(state, views, now_s)
        case StagedPicked(position):
            return replace(state, position=clamped(position, len(state.views or ())), problem="")
        case SeenAnew(pending_id):
            now = {view.staged.id: view.staged for view in state.views or () if view.staged.id == pending_id}
            return replace(state, first={**state.first, **now})
        case StagedFailed(problem):
            return replace(state, problem=problem)


def _listed(state: StagedState, views: tuple[PendingView, ...], now_s: float) -> StagedState:
    """The cursor stays on its record, or on the one that took its place."""
    picked = state.view.staged.id if state.view else state.wanted
    ids = [view.staged.id for view in views]
    at = ids.index(picked) if picked in ids else state.position
    first = {view.staged.id: state.first.get(view.staged.id, view.staged) for view in views}
    return replace(state, views=views, position=clamped(at, len(views)), first=first, now_s=now_s)
