"""Keeps what a write is about to replace: in history, or in a backup beside the file when history cannot.

It never lets a write go on whose previous bytes are kept nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from memtui.core.model import Change
from memtui.disk.backups import make_backup
from memtui.disk.history import History, LoggedChange, Version


class Recorder:
    """History of the memory files, opened on first need."""

    def __init__(self, db_path: Path | None) -> None:
        """`db_path`: where the database lies; None keeps no history and makes a backup before every write."""
        self._db_path = db_path
        self._history: History | None = None

    @property
    def problem(self) -> str:
        """What is wrong with history, in words for a person; empty when nothing is known to be."""
        return self._history.problem if self._history else ""

    def looking(self) -> History | None:
        """The history if there is one; looking never makes a database."""
        if self._history is None and (self._db_path is None or not self._db_path.exists()):
            return None
        return self._opened()

    def keep(self, path: Path, mode: int, raw_bytes: bytes, source: str, summary: str) -> None:
        """Make sure these bytes are kept. Raises WriteFailed when neither history nor a backup could take them."""
        if not raw_bytes:
            return
        history = self._opened()
        now = time.time()
        if history is None or not history.record(str(path), raw_bytes, source, summary, now):
            make_backup(path, raw_bytes, mode, int(now))

    def begin(self, path: Path, mode: int, before: bytes, after: bytes, change: Change, source: str) -> int | None:
        """Keep both sides of a write that is about to happen; the id to `settle` with, None without history.

        Raises WriteFailed when the previous bytes could be kept nowhere.
        """
        history = self._opened()
        now = time.time()
        if history is not None:
            logged = history.record_write(
                str(path), before, after, source, str(change), now, steps=change.steps, action=change.action
            )
            if logged is not None:
                return logged
        if before:
            make_backup(path, before, mode, int(now))
        return None

    def settle(self, change_id: int | None, *, written: bool) -> None:
        """Say how the write that `begin` announced ended."""
        if change_id is None or self._history is None:
            return
        if written:
            self._history.confirm(change_id)
        else:
            self._history.abandon(change_id)

    def observe(self, path: Path, raw_bytes: bytes, summary: str) -> None:
        """Record a version that another program wrote; what cannot be recorded shows in `problem`."""
        history = self._opened()
        if history is not None:
            history.record(str(path), raw_bytes, "outside", summary, time.time())

    def versions(self, path: Path, limit: int | None = None) -> list[Version]:
        """Versions of a file, newest first."""
        history = self.looking()
        return history.versions(str(path), limit) if history else []

    def wrote_whole(self, path: Path, text: str) -> bool:
        """True when a guarded operation wrote this very text as one entry."""
        history = self.looking()
        return history.written_whole(str(path), text) if history else False

    def remember_whole(self, path: Path, texts: Sequence[str]) -> None:
        """Note texts that a guarded operation wrote as whole entries."""
        if texts and self._history is not None:
            self._history.remember_whole(str(path), texts)

    def next_undo(self, path: Path) -> LoggedChange | None:
        """The change that undo would take back."""
        history = self.looking()
        return history.next_undo(str(path)) if history else None

    def next_redo(self, path: Path) -> LoggedChange | None:
        """The change that redo would do again."""
        history = self.looking()
        return history.next_redo(str(path)) if history else None

    def mark_undone(self, change_id: int) -> None:
        """Note that a change was taken back."""
        if self._history is not None:
            self._history.mark_undone(change_id)

    def mark_redone(self, change_id: int) -> None:
        """Note that a change that was taken back stands again."""
        if self._history is not None:
            self._history.mark_redone(change_id)

    def _opened(self) -> History | None:
        if self._history is None and self._db_path is not None:
            self._history = History.open(self._db_path)
        return self._history
