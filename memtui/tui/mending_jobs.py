"""Tidy and split, for the store's thread: what they would change, and the write itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.actions.split import parts_of, split, split_change
from memtui.actions.tidy import tidied, tidy
from memtui.core.change import Change, Exactly
from memtui.core.diff import DiffLine
from memtui.tui.restoring import bytes_diff
from memtui.view.events import Event

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs


class MendingJobs:
    """Jobs that change no entry's words."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs

    def view_tidied(self, key: str) -> tuple[DiffLine, ...]:
        """What tidying would change, line by line."""
        file = self.jobs.store.inspect(key, scan=False)
        return bytes_diff(file.raw, tidied(file))

    def tidy(self, key: str) -> tuple[Event, ...]:
        """Write the canonical form."""
        return self.jobs.commit(key, lambda: tidy(self.jobs.store, key))

    def view_split(self, key: str, text: str) -> Change:
        """What a split would make of the file. Raises a MemoryRefused when there is nothing to split."""
        file = self.jobs.store.inspect(key, scan=False)
        return split_change(file, Exactly(text), parts_of(file, text))

    def split(self, key: str, text: str) -> tuple[Event, ...]:
        """Make entries of an entry's notes."""
        return self.jobs.commit(key, lambda: split(self.jobs.store, key, Exactly(text)))
