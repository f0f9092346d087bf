"""What the resolver asks of the store, for the store's thread: read, cut, compare, scan, write, delete.

Jobs return events; they know no widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.actions.backups import (
    Deleted,
    back_up,
    delete_backups,
    is_identical,
    restore_backup,
    why_kept,
)
from memtui.actions.resolve import candidates, open_draft, pieces_of, write_resolution
from memtui.actions.sources import backup_named, sources
from memtui.core.encodings import PLAIN, broken_bytes, guesses
from memtui.core.errors import MemoryRefused
from memtui.core.model import ExternalChange
from memtui.core.resolve import FILE_NOW, Draft
from memtui.core.verdicts import describe
from memtui.disk.backups import read_backup
from memtui.tui.restoring import RestoreView, restore_view
from memtui.view.events import Event
from memtui.view.resolver import Cut, Encodings, SourceRow
from memtui.view.resolver_events import DraftOpened, SourceCut, SourcesJudged, TextsMarked

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs


class ResolverJobs:
    """The resolver's jobs for one target."""

    def __init__(self, jobs: StoreJobs, key: str) -> None:
        self.jobs, self.key = jobs, key

    def open(self, encoding: str = "", *, keeps_picks: bool = False) -> DraftOpened:
        """Read and cut the file. `encoding` as in `open_draft`; raises InvalidArgument for a wrong one."""
        store = self.jobs.store
        draft = open_draft(store, self.key, encoding)
        file = store.inspect(self.key, scan=False)
        reasons = describe(replace(file, external=ExternalChange()))
        marks = {one.text: one for one in candidates(store, draft)}
        return DraftOpened(
            draft, reasons, marks, _encodings(draft.base.raw_bytes, draft.encoding), keeps_picks
        )

    def judge(self) -> SourcesJudged:
        """Compare every copy with the file."""
        judged = sources(self.jobs.store, self.key)
        return SourcesJudged(
            tuple(
                SourceRow(one) if one.name == FILE_NOW else SourceRow(one, is_identical(one), why_kept(one))
                for one in judged
            )
        )

    def cut(self, draft: Draft, source: str, encoding: str = "") -> SourceCut:
        """Read and cut one source; what keeps it from being cut is told in its problem."""
        store = self.jobs.store
        try:
            raw_bytes = draft.base.raw_bytes
            if source != FILE_NOW:
                raw_bytes = read_backup(backup_named(store.path_of(self.key), source))
            pieces = pieces_of(store, self.key, source, encoding)
        except MemoryRefused as refusal:
            return SourceCut(source, Cut((), problem=str(refusal)))
        found = candidates(store, draft.with_pieces(pieces), source)
        return SourceCut(
            source, Cut(pieces, _encodings(raw_bytes, encoding)), {one.text: one for one in found}
        )

    def mark(self, draft: Draft, source: str, texts: Sequence[str]) -> TextsMarked:
        """Compare and scan texts that a person just made."""
        found = candidates(self.jobs.store, draft.with_pieces((*draft.pieces, *texts)), source)
        return TextsMarked({one.text: one for one in found})

    def write(self, draft: Draft, allow: tuple[str, ...] = ()) -> tuple[Event, ...]:
        """Write the draft."""
        return self.jobs.commit(
            self.key, lambda: write_resolution(self.jobs.store, self.key, draft, allow=allow)
        )

    def view_backup(self, name: str) -> RestoreView:
        """What putting a backup back would change. Raises a MemoryRefused."""
        store = self.jobs.store
        return restore_view(store, self.key, read_backup(backup_named(store.path_of(self.key), name)))

    def restore(self, name: str) -> tuple[Event, ...]:
        """Put a backup back byte for byte."""
        return self.jobs.commit(self.key, lambda: restore_backup(self.jobs.store, self.key, name))

    def delete(self, names: Sequence[str], *, only_identical: bool) -> Deleted:
        """Delete backups once history holds them. Raises a MemoryRefused."""
        if only_identical:
            return delete_backups(self.jobs.store, self.key, names, is_identical)
        return delete_backups(self.jobs.store, self.key, names)

    def back_up(self) -> str:
        """Make a backup of the file; its name. Raises WriteFailed."""
        return back_up(self.jobs.store.inspect(self.key, scan=False)).name


def _encodings(raw_bytes: bytes, encoding: str) -> Encodings | None:
    broken = broken_bytes(raw_bytes)
    if broken is None:
        return None
    found = guesses(raw_bytes)
    return Encodings(broken, found, encoding or (found[0].encoding if found else PLAIN))
