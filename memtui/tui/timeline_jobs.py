"""What the history screen asks of the store, for the store's thread: list, read one version, compare, bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.actions.restore import entry_change, restore_bytes, restore_entry
from memtui.core.codec import parse, render
from memtui.core.diff import RowKind, align
from memtui.core.drift import compare
from memtui.core.errors import MemoryRefused
from memtui.tui.restoring import RestoreView, bytes_diff, restore_view
from memtui.view.events import Event
from memtui.view.timeline import (
    Against,
    Comparison,
    Standing,
    TimelineLoaded,
    VersionCompared,
    VersionEntry,
)

if TYPE_CHECKING:
    from memtui.disk.history import Version
    from memtui.tui.jobs import StoreJobs


class TimelineJobs:
    """The history's jobs for one target."""

    def __init__(self, jobs: StoreJobs, key: str) -> None:
        self.jobs, self.key = jobs, key

    def open(self) -> TimelineLoaded:
        """List the versions; reads no version's bytes."""
        store = self.jobs.store
        versions = tuple(store.history(self.key))
        file = store.inspect(self.key, scan=False)
        return TimelineLoaded(versions, file.document.sha256 if file.exists else "", store.recorder.problem)

    def compare(self, version: Version, before: Version | None, against: Against) -> VersionCompared:
        """Read one version and compare it; what keeps it from being read is told in the comparison."""
        file = self.jobs.store.inspect(self.key, scan=False)
        try:
            raw_bytes = version.raw
            base = file.raw if against is Against.NOW else before.raw if before else b""
        except MemoryRefused as refusal:
            return VersionCompared(Comparison(version.id, against, problem=str(refusal)))
        texts, base_texts = parse(raw_bytes).texts, parse(base).texts
        entries = _entries(texts, file.document.texts)
        counts = compare(base_texts, texts).summary
        return VersionCompared(Comparison(version.id, against, counts, bytes_diff(base, raw_bytes), entries))

    def view_version(self, version: Version) -> RestoreView:
        """What bringing a version back would change. Raises a MemoryRefused."""
        return restore_view(self.jobs.store, self.key, version.raw)

    def view_entry(self, text: str) -> RestoreView:
        """What bringing one entry back would change."""
        store = self.jobs.store
        file = store.inspect(self.key, scan=False)
        change = entry_change(file, text, store.suppressions)
        new_bytes = render(change.texts, file.document.newline, file.document.final_newline)
        return RestoreView(bytes_diff(file.raw, new_bytes), change.notices)

    def restore(self, version: Version) -> tuple[Event, ...]:
        """Bring a version back byte for byte."""
        return self.jobs.commit(self.key, lambda: restore_bytes(self.jobs.store, self.key, version.raw))

    def restore_entry(self, text: str) -> tuple[Event, ...]:
        """Bring one entry back."""
        return self.jobs.commit(self.key, lambda: restore_entry(self.jobs.store, self.key, text))


def _entries(texts: tuple[str, ...], now_texts: tuple[str, ...]) -> tuple[VersionEntry, ...]:
    """The version's entries in their order, each as it stands to the file now."""
    rows = [row for row in align(texts, now_texts) if row.live_index is not None]
    entries = []
    for row in rows:
        assert row.live_index is not None
        text = texts[row.live_index]
        if row.kind is RowKind.CHANGED and row.snapshot_index is not None:
            entries.append(VersionEntry(text, Standing.CHANGED, now_texts[row.snapshot_index]))
        else:
            entries.append(VersionEntry(text, Standing.GONE if row.kind is RowKind.NEW else Standing.LIVE))
    return tuple(entries)
