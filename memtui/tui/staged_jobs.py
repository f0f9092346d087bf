"""What the staged writes' screen asks of the store, for the store's thread: list, count, approve, reject.

Jobs return events; they know no widget.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.actions.pending import Answered, approve, approve_all, pending_views, queue_of, reject_all
from memtui.view.events import Event, StagedCounted
from memtui.view.staged import StagedListed

if TYPE_CHECKING:
    from memtui.actions.pending import PendingView
    from memtui.tui.jobs import StoreJobs


class StagedJobs:
    """The jobs on one home's staged writes."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs

    def count(self, known: int | None) -> StagedCounted:
        """How many there are; `known` is how many there were, None when they were never counted."""
        count = queue_of(self.jobs.store).count()
        return StagedCounted(count, 0 if known is None else max(0, count - known))

    def list(self) -> StagedListed:
        """Read every record and what it would change now."""
        now_s = time.time()
        return StagedListed(pending_views(self.jobs.store, now_s), now_s)

    def approve(
        self, view: PendingView, edited: Mapping[int, str], allow: Collection[str] = ()
    ) -> tuple[Event, ...]:
        """Write what was shown; the events of the change, or of its refusal."""
        store = self.jobs.store
        return self.jobs.commit(view.staged.target, lambda: approve(store, view, dict(edited), allow))

    def approve_all(self, views: Sequence[PendingView]) -> tuple[Answered, ...]:
        """Approve one after the other."""
        return approve_all(self.jobs.store, views)

    def reject(self, views: Sequence[PendingView]) -> tuple[Answered, ...]:
        """Drop the records that were shown."""
        return reject_all(self.jobs.store, [view.staged for view in views])
