"""Reads another program's SQLite database without leaving a trace beside it.

Refuses what SQLite does by itself: a plain read-only connection makes `-wal` and `-shm` files in the
folder and deletes the log of an empty database; a writable one plays back a journal, which may name any
file for deletion.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from memtui.core.errors import Unreadable
from memtui.core.visible import visible_text
from memtui.disk.faults import access_words, reason_of, shown
from memtui.disk.files import FileIdentity, identity_of, kind_of

BUSY_WAIT_S: Final = 0.25
"""How long a read waits for a writer in rollback mode; in WAL mode nobody waits."""
DEADLINE_S: Final = 2.0
"""No query runs longer: a foreign schema may hold a view that never ends."""
MAX_VALUE_BYTES: Final = 4 * 1024 * 1024
"""SQLite refuses to load a longer value, whatever the database holds."""
MAX_COPY_BYTES: Final = 1024 * 1024 * 1024
ATTEMPTS: Final = 3

_MAGIC: Final = b"SQLite format 3\0"
_GUARDED: Final = "mode=ro&readonly_shm=1"
"""Shares the writer's lock table without being able to make or change it."""
_STILL: Final = "mode=ro&immutable=1"
"""No locks, no side files: right only while nobody writes."""

Result = TypeVar("Result")
Read = Callable[[sqlite3.Connection], Result]


def read_database(path: Path, read: Read[Result]) -> Result:
    """What `read` makes of a connection to the database, which holds a lock no longer than each query.

    Committed frames of a live or left-behind `-wal` are seen. `read` is called again when the file changed
    meanwhile. Raises Unreadable in words: locked, damaged, no database, no access.
    """
    real = Path(os.path.realpath(path))
    try:
        return _read_unwritten(real, read)
    except OSError as error:
        access = access_words(real)
        raise _unreadable(path, f"{reason_of(error)}. {access}".rstrip(" .") + ".") from error
    except sqlite3.Error as error:
        raise _unreadable(path, _words_of(error)) from error


def _read_unwritten(real: Path, read: Read[Result]) -> Result:
    for place in (real, _beside(real, "-wal"), _beside(real, "-shm")):
        if os.path.lexists(place) and not stat.S_ISREG(mode := os.stat(place).st_mode):
            raise _unreadable(place, f"it is {kind_of(mode)}, not a file.")
    if not os.stat(real).st_size:
        raise _unreadable(real, "it is empty.")
    if _beside(real, "-wal").exists() and _beside(real, "-shm").exists():
        try:
            return _query(real, _GUARDED, read)
        except sqlite3.Error as error:
            if not _is_about_side_files(error):
                raise
    elif not _beside(real, "-wal").exists() and not _keeps_a_wal(real):
        return _query(real, _GUARDED, read)
    return _read_still(real, read)


def _read_still(real: Path, read: Read[Result]) -> Result:
    """Read a database that nobody has open; once more when somebody did write meanwhile."""
    for _ in range(ATTEMPTS):
        before = _identities(real)
        try:
            with _settled(real) as (place, query):
                result = _query(place, query, read)
        except sqlite3.DatabaseError:
            if _identities(real) == before:
                raise
            continue
        if _identities(real) == before:
            return result
    raise _unreadable(real, "another program keeps writing to it. Look again later.")


@contextmanager
def _settled(real: Path) -> Iterator[tuple[Path, str]]:
    """The database itself when it has no log, else a private copy of both, where the log may be recovered."""
    log = _beside(real, "-wal")
    if not log.exists():
        yield real, _STILL
        return
    size_bytes = real.stat().st_size + log.stat().st_size
    if size_bytes > MAX_COPY_BYTES:
        raise _unreadable(real, f"reading its log takes a copy, and {size_bytes:,} bytes are too many.")
    with tempfile.TemporaryDirectory(prefix="memtui_") as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(real, copy)
        shutil.copyfile(log, _beside(copy, "-wal"))
        yield copy, "mode=rw"


def _query(place: Path, query: str, read: Read[Result]) -> Result:
    address = f"file:{quote(os.fsencode(place))}?{query}"
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY_WAIT_S, isolation_level=None)) as connection:
        deadline_s = time.monotonic() + DEADLINE_S
        connection.set_progress_handler(lambda: time.monotonic() > deadline_s, 10_000)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        return read(connection)


def _keeps_a_wal(real: Path) -> bool:
    """True when the header says WAL mode. Raises Unreadable for what is no database.

    Asked only while there is no log: closing a file drops every lock that this process has on it.
    """
    with real.open("rb") as stream:
        header = stream.read(20)
    if not header.startswith(_MAGIC):
        raise _unreadable(real, "it is not an SQLite database.")
    return header[18:20] == b"\2\2"


def _identities(real: Path) -> tuple[FileIdentity | None, ...]:
    return tuple(identity_of(_beside(real, suffix)) for suffix in ("", "-wal"))


def _beside(real: Path, suffix: str) -> Path:
    return real.with_name(real.name + suffix)


def _is_about_side_files(error: sqlite3.Error) -> bool:
    return _code_of(error) in (
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PROTOCOL,
    )


def _code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for an error of the Python module's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _words_of(error: sqlite3.Error) -> str:
    words = {
        sqlite3.SQLITE_BUSY: "another program has locked it. Look again later.",
        sqlite3.SQLITE_LOCKED: "another program has locked it. Look again later.",
        sqlite3.SQLITE_NOTADB: "it is not an SQLite database.",
        sqlite3.SQLITE_CORRUPT: "it is damaged.",
        sqlite3.SQLITE_READONLY: "it holds an unfinished write, which the agent completes at its next start.",
        sqlite3.SQLITE_INTERRUPT: f"reading it takes longer than {DEADLINE_S:.0f} seconds.",
        sqlite3.SQLITE_CANTOPEN: "the system does not let it be opened.",
        sqlite3.SQLITE_TOOBIG: "it holds values that are too large.",
        sqlite3.SQLITE_FULL: "no space is left for the private copy that reading it takes.",
    }
    return words.get(_code_of(error), f"{visible_text(str(error))}.")


def _unreadable(path: Path, why: str) -> Unreadable:
    message = f"{shown(path.name)} cannot be read: {why} It lies at {shown(path)}."
    return Unreadable(message, {"path": os.fspath(path)})
