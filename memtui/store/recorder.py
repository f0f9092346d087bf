"""Keeps what a write is about to replace: in history, or in a backup beside the file when history cannot.

It never lets a write go on whose previous bytes are kept nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from memtui.core.change import Change
from memtui.core.threats.masking import masked_preview
from memtui.disk.backups import make_backup
from memtui.disk.files import is_missing
from memtui.disk.history import History, Write
from memtui.store.past import Past

SUMMARY_CELLS: Final = 60
WRITING_WHOLE: Final = frozenset({"add", "replace", "batch", "resolve", "split"})
"""Actions whose new texts somebody meant as one entry each; what undo or restore bring back may be merged."""


class Recorder:
    """History of the memory files, opened on first need."""

    def __init__(self, db_path: Path | None) -> None:
        """`db_path`: where the database lies; None keeps no history and makes a backup before every write."""
        self._db_path = db_path
        self._history: History | None = None
        self._has_told_dropped = False

    @property
    def db_path(self) -> Path | None:
        """Where the database lies; None when no history is kept."""
        return self._db_path

    @property
    def problem(self) -> str:
        """What is wrong with history, in words for a person; empty when nothing is known to be."""
        return self._history.problem if self._history else ""

    @property
    def past(self) -> Past:
        """What history knows already."""
        # Made when asked for: kept, it would be a circle, and the database of every home that was looked at stay open.
        return Past(self.looking)

    def tell_dropped(self) -> str:
        """What history's bounds dropped, in words: once a process, since a full history drops with every write."""
        if self._history is None or self._has_told_dropped or not self._history.dropped_notice:
            return ""
        self._has_told_dropped = True
        return self._history.dropped_notice

    def looking(self) -> History | None:
        """The history if there is one; looking never makes a database."""
        if self._history is None and (self._db_path is None or is_missing(self._db_path)):
            return None
        return self._opened()

    def keep(self, path: Path, mode: int, raw_bytes: bytes, source: str, summary: str) -> None:
        """Make sure these bytes are kept. Raises WriteFailed when neither history nor a backup could take them."""
        if not raw_bytes:
            return
        history, now = self._opened(), time.time()
        if history is None or not history.record(str(path), raw_bytes, source, summary, now):
            make_backup(path, raw_bytes, mode, int(now))

    def begin(self, path: Path, mode: int, before: bytes, after: bytes, change: Change, source: str) -> int | None:
        """Keep both sides of a write that is about to happen; the id to `settle` with, None without history.

        Raises WriteFailed when the previous bytes could be kept nowhere.
        """
        history, now = self._opened(), time.time()
        if history is not None:
            write = Write(
                before_bytes=before,
                after_bytes=after,
                source=source,
                summary=summary_of(change),
                when=now,
                action=change.action,
                steps=change.steps,
                undoes=change.undoes,
                redoes=change.redoes,
                whole_texts=change.new_texts if change.action in WRITING_WHOLE else (),
            )
            announced = history.record_write(str(path), write)
            if announced is not None:
                return announced
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

    def forget_step(self, change: Change) -> None:
        """Forget what an undo or redo took that others had done in part: taken once more, it would hit their text."""
        taken = change.undoes or change.redoes
        if taken and change.found_done and self._history is not None:
            self._history.forget_change(taken)

    def observe(self, path: Path, raw_bytes: bytes, summary: str) -> None:
        """Record a version that another program wrote; what cannot be recorded shows in `problem`."""
        history = self._opened()
        if history is not None:
            history.record(str(path), raw_bytes, "outside", summary, time.time())

    def keep_aside(self, path: Path, raw_bytes: bytes, source: str, summary: str) -> bool:
        """Keep bytes from beside the file that are about to be deleted; False when history could not take them."""
        history = self._opened()
        return history is not None and history.record(str(path), raw_bytes, source, summary, time.time())

    def remember_whole(self, path: Path, texts: Sequence[str]) -> None:
        """Note that somebody meant each of these texts as one entry, however it looks."""
        history = self._opened()
        if history is not None:
            history.remember_whole(str(path), texts)

    def _opened(self) -> History | None:
        if self._history is None and self._db_path is not None:
            self._history = History.open(self._db_path)
        return self._history


def summary_of(change: Change) -> str:
    """One line for the timeline: what was done, and the text it was done to."""
    text = change.after if change.after is not None else change.before
    shown = f": {masked_preview(text, SUMMARY_CELLS)}" if text else ""
    if len(change.steps) < 2:
        return f"{change.action}{shown}"
    added = sum(step.before is None for step in change.steps)
    removed = sum(step.after is None for step in change.steps)
    if change.action == "split":
        return f"split into {added} {'entry' if added == 1 else 'entries'}{shown}"
    if max(added, removed) == len(change.steps) or not added + removed:
        return f"{change.action} of {len(change.steps)} entries{shown}"
    counts = {"+": added, "−": removed, "~": len(change.steps) - added - removed}
    told = " ".join(f"{sign}{count}" for sign, count in counts.items() if count)
    return f"{change.action} of entries {told}{shown}"
