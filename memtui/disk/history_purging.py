"""Purging: one transaction for what is to go, and the space that it frees is overwritten.

It never raises for the state of the database. What could not be written is no purge: nothing is said to be gone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from memtui.disk import history_purge
from memtui.disk.files import is_missing
from memtui.disk.history_db import Database
from memtui.disk.history_purge import Searched
from memtui.disk.history_versions import find_file_id


@dataclass(frozen=True, slots=True)
class Purging:
    """What leaves one history for good. A file is named by its key, None stands for all files.

    Every count may be 0 because nothing could be deleted: the `problem` of the history then tells why.
    """

    _database: Database

    @property
    def traces(self) -> str:
        """Why what was purged last may still lie in the database, in words; empty when it is gone."""
        return self._database.traces

    def versions(self, file_key: str | None = None, older_than: float | None = None) -> int:
        """Delete versions and give their count: those from before a time, or everything that is known.

        With `older_than` (seconds since 1970) what stands in the file is kept.
        """

        def work(connection: sqlite3.Connection, file_id: int) -> int:
            if older_than is None:
                return history_purge.purge_file(connection, file_id)
            return history_purge.purge_older(connection, file_id, older_than)

        return self._purge(file_key, work)

    def text(self, file_key: str | None, text: str, *, inside: bool = False) -> int:
        """Cut the entry with this text out of all versions, with undo steps and summaries; give the count.

        `inside`: cut the text out of the entries that hold more as well.
        """

        def work(connection: sqlite3.Connection, file_id: int) -> int:
            return history_purge.purge_text(connection, file_id, text, inside=inside)

        return self._purge(file_key, work)

    def unreadable(self, file_key: str) -> int:
        """Delete the versions of a file that are damaged and give their count."""
        return self._purge(file_key, history_purge.purge_unreadable)

    def search(self, file_key: str, text: str) -> Searched:
        """How many versions of a file hold the text, or tell it in their undo steps, and of how many nobody knows."""

        def work(connection: sqlite3.Connection) -> Searched:
            file_id = find_file_id(connection, file_key)
            return Searched() if file_id is None else history_purge.search_text(connection, file_id, text)

        found = self._database.read(work, None)
        if found is not None or is_missing(self._database.path):
            return found or Searched()
        return Searched(problem=self._database.problem or "History could not be read.")

    def _purge(self, file_key: str | None, work: Callable[[sqlite3.Connection, int], int]) -> int:
        no_files: list[int] = []
        if not self._database.read(lambda connection: _file_ids(connection, file_key), no_files):
            return 0

        def purge_files(connection: sqlite3.Connection) -> int:
            return sum(work(connection, file_id) for file_id in _file_ids(connection, file_key))

        count = self._database.write(purge_files, None)
        if count is None:
            return 0
        self._database.wipe_freed_space()
        return count


def _file_ids(connection: sqlite3.Connection, file_key: str | None) -> list[int]:
    if file_key is None:
        return [row[0] for row in connection.execute("SELECT id FROM files")]
    file_id = find_file_id(connection, file_key)
    return [] if file_id is None else [file_id]
