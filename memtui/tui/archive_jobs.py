"""What the archive's screen asks of the store, for the store's thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.core.model import FILE_NAMES
from memtui.disk.archive import read_archive
from memtui.view.archive_rows import ArchiveState
from memtui.view.events import Event

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs


class ArchiveJobs:
    """The jobs on one home's archive."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs

    def open(self) -> ArchiveState:
        """Read the archive beside the files as they stand."""
        store = self.jobs.store
        live = {key: store.inspect(key, scan=False).document.texts for key in FILE_NAMES}
        return ArchiveState(read_archive(store.memories), live, now_s=time.time())

    def restore(self, key: str, text: str, allow: Sequence[str] = ()) -> tuple[Event, ...]:
        """Add an archived entry again, through every guard."""
        store = self.jobs.store
        return self.jobs.commit(key, lambda: store.add(key, text, allow=tuple(allow), source="archive"))
