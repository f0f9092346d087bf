"""History: every version of every memory file that memtui saw or wrote, and the log that feeds undo.

The face that the store uses. It never raises for the state of the database: what cannot be kept is answered
with False or None and said in `problem`, so that the caller puts a backup beside the memory file. It reads no
memory file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from memtui.core.errors import Unreadable
from memtui.disk import history_versions, undo_log
from memtui.disk.faults import shown
from memtui.disk.history_blobs import digest
from memtui.disk.history_db import Database
from memtui.disk.history_purging import Purging
from memtui.disk.history_versions import DAY_S, Bounds, Version
from memtui.disk.undo_log import LoggedChange, Write

__all__ = ["Bounds", "History", "LoggedChange", "Version", "Write"]

T = TypeVar("T")

Wanted = Callable[[LoggedChange], bool]


def is_any(change: LoggedChange) -> bool:
    """True: whichever change comes first."""
    return True


@dataclass(slots=True)
class History:
    """The history of all files in one database. A file is named by its key, its real path."""

    _database: Database
    bounds: Bounds = field(default_factory=Bounds)
    dropped_notice: str = ""
    """What the bounds dropped last, in words; empty while they have dropped nothing."""

    @classmethod
    def open(cls, db_path: Path, bounds: Bounds | None = None) -> History:
        """Use the database at `db_path`. Never raises; nothing is created before something is recorded."""
        history = cls(Database(db_path), bounds or Bounds())
        history._database.read(lambda connection: None, None)
        return history

    @property
    def problem(self) -> str:
        """Why history is not kept, or what happened to it, in words for a person; empty when all is well."""
        return self._database.problem

    @property
    def purging(self) -> Purging:
        """Deletes versions and texts for good."""
        return Purging(self._database)

    def close(self) -> None:
        """Let go of the database; the next use opens it again."""
        self._database.close()

    def record(self, file_key: str, raw_bytes: bytes, source: str, summary: str, when: float) -> bool:
        """Keep bytes that were seen in (or beside) a file; on the disk when it answers True.

        The content that is already the newest version is not recorded twice. `when` is in seconds since 1970.
        """

        def work(connection: sqlite3.Connection) -> bool:
            file_id = history_versions.make_file_id(connection, file_key)
            undo_log.confirm_standing(connection, file_id, digest(raw_bytes))
            history_versions.record_seen(connection, file_id, raw_bytes, source, summary, when)
            _drop_beyond(self, connection, file_id, file_key, when)
            return True

        return self._database.write(work, False)

    def record_write(self, file_key: str, write: Write) -> int | None:
        """Hold the bytes before and after a write, and its undo steps, before the file is replaced.

        To be called under the file's lock, with what stands in the file as `write.before_bytes`. Gives the id
        for `confirm` or `abandon`; None when history cannot hold it.
        """

        def work(connection: sqlite3.Connection) -> int | None:
            file_id = history_versions.make_file_id(connection, file_key)
            write_id = undo_log.announce(connection, file_id, write)
            _drop_beyond(self, connection, file_id, file_key, write.when)
            return write_id

        return self._database.write(work, None)

    def confirm(self, write_id: int) -> None:
        """Say that the file was replaced. A lost confirmation is made up for by the next look or write."""
        # Not flushed: the next durable commit does that, and after a power failure the file itself tells.
        self._database.write(partial(undo_log.confirm, write_id=write_id), None, is_durable=False)

    def abandon(self, write_id: int) -> None:
        """Say that the file was not replaced."""
        self._database.write(partial(undo_log.abandon, write_id=write_id), None, is_durable=False)

    def forget_change(self, change_id: int) -> None:
        """Take a change out of what can be undone or redone; its versions stay."""
        self._database.write(partial(undo_log.forget, change_id=change_id), None, is_durable=False)

    def versions(
        self, file_key: str, limit: int | None = None, *, standing_only: bool = False
    ) -> list[Version]:
        """The file's versions, newest first; with `standing_only` those that stood in it for certain."""
        read_raw = partial(_read_raw, self._database)
        return _read_file(
            self._database,
            file_key,
            lambda connection, file_id: history_versions.list_versions(
                connection, file_id, limit, standing_only, read_raw
            ),
            [],
        )

    def version(self, version_id: int) -> Version | None:
        """One version; None when it is not in the history (any more)."""
        read_raw = partial(_read_raw, self._database)
        return self._database.read(
            lambda connection: history_versions.get_version(connection, version_id, read_raw), None
        )

    def next_undo(
        self, file_key: str, standing_bytes: bytes | None = None, wanted: Wanted = is_any
    ) -> LoggedChange | None:
        """The change that undo would take back.

        `standing_bytes`: what stands in the file, read under its lock; decides first about a write cut short.
        `wanted`: only a change for which it is true, however deep it lies.
        """
        _settle(self._database, file_key, standing_bytes)
        return _first(self._database, file_key, undo_log.done_changes, wanted)

    def next_redo(
        self, file_key: str, standing_bytes: bytes | None = None, wanted: Wanted = is_any
    ) -> LoggedChange | None:
        """The change that redo would make again; `standing_bytes` and `wanted` as in `next_undo`."""
        _settle(self._database, file_key, standing_bytes)
        return _first(self._database, file_key, undo_log.undone_changes, wanted)

    def remember_whole(self, file_key: str, texts: Sequence[str]) -> None:
        """Note that each text was written whole by a guarded operation: it is one entry, however it looks."""

        def work(connection: sqlite3.Connection) -> None:
            undo_log.remember_whole(connection, history_versions.make_file_id(connection, file_key), texts)

        self._database.write(work, None, is_durable=False)

    def written_whole(self, file_key: str, text: str) -> bool:
        """True when a guarded operation wrote this very text as one entry."""
        return _read_file(
            self._database,
            file_key,
            lambda connection, file_id: undo_log.is_whole(connection, file_id, text),
            False,
        )


def _drop_beyond(
    history: History, connection: sqlite3.Connection, file_id: int, file_key: str, now: float
) -> None:
    bounds = history.bounds
    dropped = history_versions.drop_beyond(connection, file_id, bounds, now)
    if dropped:
        history.dropped_notice = (
            f"The oldest {dropped} versions of {shown(file_key)} were dropped: history keeps"
            f" {bounds.max_versions:,} versions, {bounds.max_age_s / DAY_S:g} days"
            f" or {bounds.max_bytes // 1_048_576} MB of a file."
        )


def _read_file(
    database: Database, file_key: str, work: Callable[[sqlite3.Connection, int], T], default: T
) -> T:
    def find_and_work(connection: sqlite3.Connection) -> T:
        file_id = history_versions.find_file_id(connection, file_key)
        return default if file_id is None else work(connection, file_id)

    return database.read(find_and_work, default)


def _first(
    database: Database,
    file_key: str,
    changes: Callable[[sqlite3.Connection, int], Iterator[LoggedChange]],
    wanted: Wanted,
) -> LoggedChange | None:
    def find(connection: sqlite3.Connection, file_id: int) -> LoggedChange | None:
        return next(filter(wanted, changes(connection, file_id)), None)

    return _read_file(database, file_key, find, None)


def _settle(database: Database, file_key: str, standing_bytes: bytes | None) -> None:
    if standing_bytes is not None and _read_file(database, file_key, undo_log.is_interrupted, False):
        sha256 = digest(standing_bytes)

        def work(connection: sqlite3.Connection) -> None:
            undo_log.settle(connection, history_versions.make_file_id(connection, file_key), sha256)

        database.write(work, None)


def _read_raw(database: Database, version_id: int) -> bytes:
    raw_bytes = database.read(lambda connection: history_versions.read_version(connection, version_id), None)
    if raw_bytes is None:
        raise Unreadable(database.problem or "This version is not in the history any more.")
    return raw_bytes
