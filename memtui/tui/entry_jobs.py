"""The writes of single entries, and undo, for the store's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.core.change import Exactly
from memtui.view.events import Event

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs
    from memtui.view.draft import Draft


class EntryJobs:
    """What a person does to entries one by one."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs

    def save(self, draft: Draft, allow: tuple[str, ...] = ()) -> tuple[Event, ...]:
        """Write a draft: a new entry, or another text for the entry it was opened on."""
        if draft.before is None:
            return self.jobs.commit(draft.group, lambda: self.jobs.store.add(draft.group, draft.text, allow=allow))
        key, meant = draft.group, Exactly(draft.before)
        return self.jobs.commit(key, lambda: self.jobs.store.replace(key, meant, draft.text, allow=allow), draft.before)

    def remove(self, key: str, text: str) -> tuple[Event, ...]:
        """Remove the entry with exactly this text."""
        return self.jobs.commit(key, lambda: self.jobs.store.remove(key, Exactly(text)), text)

    def undo(self, key: str) -> tuple[Event, ...]:
        """Take back the last change made through memtui."""
        return self.jobs.commit(key, lambda: self.jobs.store.undo(key))

    def redo(self, key: str) -> tuple[Event, ...]:
        """Make the change again that was last taken back."""
        return self.jobs.commit(key, lambda: self.jobs.store.redo(key))
