"""The one connection to the history database: opened lazily, closed before a fork, never a reason to stop.

Every failure becomes words in `problem` and a default answer. A damaged database is moved aside, never
deleted. Nothing here knows what the tables mean.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from memtui.core.errors import WriteFailed
from memtui.core.visible import visible_text
from memtui.disk.creation import make_folder
from memtui.disk.faults import reason_of, shown
from memtui.disk.files import is_missing
from memtui.disk.history_file import (
    BUSY_WAIT_S,
    Unusable,
    folder_turn,
    identity_of,
    move_aside,
    opened_for_reading,
    opened_for_writing,
    prepare_file,
    transaction,
)

T = TypeVar("T")

REST_S: Final = 10.0
"""For so long after a wait in vain nobody waits that long again: a file of 40 merged entries asks 40 times."""
SHORT_WAIT_S: Final = 0.02

DAMAGE: Final = (TypeError, ValueError, ArithmeticError, LookupError)
"""What follows from a damaged row that SQLite takes for sound: text where a number belongs, a row that is not there."""

FAILURES: Final = (sqlite3.Error, OSError, WriteFailed, Unusable, *DAMAGE)

_open_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_gate = threading.RLock()
"""Held around every use of SQLite, and across a fork, so that no child inherits SQLite's locks half taken."""

_inherited: list[sqlite3.Connection] = []
"""Connections of a parent process, kept referenced: closing one would touch the parent's log."""


def _before_fork() -> None:
    _gate.acquire()
    for database in list(_open_databases):
        database.close()


def _in_child() -> None:
    global _gate
    _gate = threading.RLock()


if hasattr(os, "register_at_fork"):
    # SQLite keeps a table of its file locks in the process: a child that opens the same file anew would
    # believe that it holds locks which only the parent has. So nothing is open while a process forks.
    os.register_at_fork(
        before=_before_fork, after_in_parent=lambda: _gate.release(), after_in_child=_in_child
    )


class Database:
    """One SQLite file, usable from any thread and across forks. Never raises for the state of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._close_connection = weakref.finalize(self, lambda: None)
        self._identity: tuple[int, int] = (0, 0)
        self._pid = 0
        self._is_read_only = False
        self._failure = ""
        self._notice = ""
        self.traces = ""
        """Why what was deleted last may still lie in the file, in words; empty when it is gone."""
        self._rests_until_s = 0.0

    @property
    def problem(self) -> str:
        """What is wrong, in words for a person; empty when all is well."""
        return self._failure or self.traces or self._notice

    def read(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        """Give `work`'s answer over one consistent state; `default` when nothing can be read."""
        if is_missing(self.path):
            return default
        return self._run(work, default, "BEGIN", creates=False)

    def write(self, work: Callable[[sqlite3.Connection], T], default: T, is_durable: bool = True) -> T:
        """Give `work`'s answer after committing what it did, `default` when that failed.

        It is on the disk then; what is not `is_durable` outlives a killed process, perhaps no power cut.
        """
        return self._run(work, default, "BEGIN IMMEDIATE", creates=True, is_durable=is_durable)

    def wipe_freed_space(self) -> None:
        """Rewrite the file and empty its log, so that what was deleted is gone from both.

        To be called after a deletion that was committed: `traces` speaks of one.
        """
        reason = self._run(_compact, "it could not be rewritten", "", creates=False)
        self.traces = ""
        if reason:
            self._failure = ""
            self.traces = (
                f"What was purged is deleted, but traces of it may still lie in {shown(self.path)}: {reason}. "
                "They go once every program that uses it has ended."
            )

    def close(self) -> None:
        """Close the connection; the next use opens a new one."""
        with _gate:
            self._forget_inherited()
            if self._connection is not None:
                self._close_connection()
                self._connection = None
            _open_databases.discard(self)

    def _run(
        self,
        work: Callable[[sqlite3.Connection], T],
        default: T,
        begin: str,
        *,
        creates: bool,
        is_durable: bool = True,
    ) -> T:
        with _gate:
            now_s = time.monotonic()
            deadline_s = now_s + (SHORT_WAIT_S if now_s < self._rests_until_s else BUSY_WAIT_S)
            can_mend = True
            while True:
                try:
                    return self._attempt(work, default, begin, creates, is_durable)
                except FAILURES as error:
                    if _is_busy(error) and time.monotonic() < deadline_s:
                        # SQLite's own waits grow to 100 ms; a writer among busy ones starved for 2 s.
                        time.sleep(random.uniform(0.0005, 0.003))
                    elif can_mend and self._mended(error):
                        can_mend = False
                        if not creates and is_missing(self.path):
                            return default  # It was set aside, and a look begins no new one.
                    else:
                        self._give_up(error)
                        return default

    def _attempt(
        self, work: Callable[[sqlite3.Connection], T], default: T, begin: str, creates: bool, is_durable: bool
    ) -> T:
        connection = self._connected(creates)
        if creates and self._is_read_only:
            return default
        with transaction(connection, begin, is_durable):
            answer = work(connection)
        self._rests_until_s = 0.0
        if not self._is_read_only:
            self._failure = ""
        return answer

    def _connected(self, creates: bool) -> sqlite3.Connection:
        self._forget_inherited()
        is_replaced = identity_of(self.path) != self._identity
        if self._connection is not None and (is_replaced or (creates and self._is_read_only)):
            self.close()
        if self._connection is None:
            if creates:
                make_folder(self.path.parent)
            with folder_turn(self.path.parent, is_alone=False):
                prepare_file(self.path, creates)
                self._identity, self._pid = identity_of(self.path), os.getpid()
                self._connection = self._opened()
            self._close_connection = weakref.finalize(self, self._connection.close)
            _open_databases.add(self)
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        self._is_read_only = False
        try:
            return opened_for_writing(self.path)
        except sqlite3.OperationalError as error:
            if _code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise
            connection = opened_for_reading(self.path)
            self._is_read_only = True
            self._failure = (
                f"The history in {shown(self.path)} can only be read: it cannot be written ({_said(error)})."
            )
            return connection

    def _forget_inherited(self) -> None:
        if self._connection is not None and self._pid != os.getpid():
            _inherited.append(self._connection)
            self._close_connection.detach()
            self._connection = None

    def _mended(self, error: Exception) -> bool:
        """True when a second try makes sense: another file stands there now, or a damaged one was moved."""
        self._drop_connection()
        if identity_of(self.path) != self._identity:
            return True
        # A malformed schema is quoted in SQLite's message, which then may be no text that Python can read.
        if _code(error) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and not isinstance(error, UnicodeError):
            return False
        try:
            self._notice = move_aside(self.path, self._identity) or self._notice
        except OSError:
            return False
        return True

    def _give_up(self, error: Exception) -> None:
        self._drop_connection()
        if _is_busy(error):
            self._rests_until_s = time.monotonic() + REST_S
        self._failure = f"History cannot be used: {_words(error, self.path)}"

    def _drop_connection(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self.close()
        self._connection = None


def _code(error: Exception) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _compact(connection: sqlite3.Connection) -> str:
    """Rewrite the file and empty its log. Gives why the log could not be emptied, "" when it was."""
    connection.execute("VACUUM")
    is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return "another program is reading it" if is_busy else ""


def _is_busy(error: Exception) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _words(error: Exception, path: Path) -> str:
    if _is_busy(error):
        return f"{shown(path)} has been locked by another program for {BUSY_WAIT_S:g} seconds."
    if _code(error) == sqlite3.SQLITE_FULL:
        return f"the disk that holds {shown(path)} is full."
    if _code(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return f"{shown(path)} or its folder cannot be written ({_said(error)})."
    if isinstance(error, OSError):
        return f"{shown(path)}: {reason_of(error)}."
    if isinstance(error, (Unusable, WriteFailed)):
        return str(error)
    if isinstance(error, DAMAGE):
        return f"{shown(path)} is damaged ({type(error).__name__}). Move it away, and a new one is begun."
    return f"{shown(path)}: {_said(error)}."


def _said(error: Exception) -> str:
    """SQLite's words; those about a malformed schema quote what stands in the file."""
    return visible_text(str(error))
