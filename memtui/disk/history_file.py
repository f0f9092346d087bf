"""The database file itself: made private, opened, given its tables, moved aside when it is damaged.

Refuses links and whatever is not a plain file; deletes nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memtui.disk.creation import FILE_MODE, give_to_folder_owner, open_new, sync_folder
from memtui.disk.faults import shown, write_failed

if sys.platform != "win32":
    import fcntl

BUSY_WAIT_S: Final = 2.0
"""How long another process is waited for before history is skipped for this step."""

ASIDE: Final = ".damaged-"
"""What follows a database's name once it is moved aside, and the time behind it."""

SCHEMA_VERSION: Final = 1

# Each table and index that a write touches costs 4 kB of log. 15 pages a write were too slow, 11 are not.
SCHEMA: Final = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
    version_count INTEGER NOT NULL DEFAULT 0, stored_bytes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, uses INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
    base_id INTEGER, head_bytes INTEGER NOT NULL, tail_bytes INTEGER NOT NULL, depth INTEGER NOT NULL,
    is_zlib INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE INDEX blobs_base ON blobs (base_id) WHERE base_id IS NOT NULL;
-- AUTOINCREMENT: an id that a screen still shows must never come to name another version.
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL, blob_id INTEGER NOT NULL,
    when_s REAL NOT NULL, source TEXT NOT NULL, summary TEXT NOT NULL,
    is_certain INTEGER NOT NULL, stored_bytes INTEGER NOT NULL
);
CREATE INDEX versions_file ON versions (file_id, id);
CREATE TRIGGER version_added AFTER INSERT ON versions BEGIN
    UPDATE files SET version_count = version_count + 1, stored_bytes = stored_bytes + NEW.stored_bytes
    WHERE id = NEW.file_id;
END;
CREATE TRIGGER version_dropped AFTER DELETE ON versions BEGIN
    UPDATE files SET version_count = version_count - 1, stored_bytes = stored_bytes - OLD.stored_bytes
    WHERE id = OLD.file_id;
END;
CREATE TABLE whole_entries (
    file_id INTEGER NOT NULL, sha256 BLOB NOT NULL, PRIMARY KEY (file_id, sha256)
) WITHOUT ROWID;
-- A change is named by the version that it made; `turn` by the write that took it back or made it again last.
CREATE TABLE changes (
    id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL, when_s REAL NOT NULL, source TEXT NOT NULL,
    action TEXT NOT NULL, steps TEXT NOT NULL, before_version INTEGER NOT NULL, is_undone INTEGER NOT NULL,
    turn INTEGER
);
CREATE INDEX changes_file ON changes (file_id, id);
CREATE INDEX changes_undone ON changes (file_id, id) WHERE is_undone = 1;
-- Announced and not yet confirmed, named by the version that each is about to make.
CREATE TABLE writes (
    id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL, before_version INTEGER NOT NULL,
    undoes INTEGER, redoes INTEGER
);
"""


class Unusable(Exception):
    """What stands at the path is not a history that this program may use."""


def prepare_file(path: Path, creates: bool) -> None:
    """Make the file (0600 whatever the umask) in its folder, and refuse what is not a plain file.

    Raises `Unusable` for a link or anything else that is not a plain file, `OSError` when it cannot be made.
    """
    if creates:
        with contextlib.suppress(FileExistsError):
            descriptor = open_new(path)
            give_to_folder_owner(descriptor, path.parent)
            os.close(descriptor)
            sync_folder(path.parent)
    mode = os.lstat(path).st_mode
    if not stat.S_ISREG(mode):
        raise Unusable(f"{shown(path)} is not a plain file (a folder, a link or a device stands there).")
    if stat.S_IMODE(mode) & 0o077:
        with contextlib.suppress(PermissionError):
            os.chmod(path, FILE_MODE)


def opened_for_writing(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    connection.text_factory = _as_text
    try:
        # A file system without shared memory answers with another mode than wal; that serves too, slower.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")
        found_version = connection.execute("PRAGMA user_version").fetchone()[0]
        if found_version == 0:
            _create_schema(connection)
        elif found_version > SCHEMA_VERSION:
            raise Unusable(f"{shown(path)} was written by a newer memtui (format {found_version}).")
        elif not has_turns(connection):
            _add_turns(connection)
    except BaseException:  # an interrupt, too, must not leave the connection open
        connection.close()
        raise
    return connection


def _as_text(raw: bytes) -> str:
    # One damaged letter in one summary must not hide all other versions.
    return raw.decode("utf-8", "replace")


def _create_schema(connection: sqlite3.Connection) -> None:
    with transaction(connection, "BEGIN IMMEDIATE", True):
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in _statements(SCHEMA):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def has_turns(connection: sqlite3.Connection) -> bool:
    """False for a history begun without the column `turn` that could not be written since."""
    return any(row[1] == "turn" for row in connection.execute("PRAGMA table_info(changes)"))


def _add_turns(connection: sqlite3.Connection) -> None:
    with transaction(connection, "BEGIN IMMEDIATE", True):
        if not has_turns(connection):
            connection.execute("ALTER TABLE changes ADD COLUMN turn INTEGER")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, begin: str, is_durable: bool) -> Iterator[None]:
    """Commit at the end, roll back after any exception. An empty `begin` leaves it to the statements."""
    if not begin:
        yield
        return
    if not is_durable:
        connection.execute("PRAGMA synchronous=NORMAL")
    try:
        connection.execute(begin)
        yield
        connection.execute("COMMIT")
    except BaseException:  # an interrupt, too, must not leave the write lock held
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        if not is_durable:
            connection.execute("PRAGMA synchronous=FULL")


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def opened_for_reading(path: Path) -> sqlite3.Connection:
    """Open what cannot be written. Without a log beside it, `immutable` spares the shared memory file."""
    is_alone = not os.path.lexists(f"{path}-wal")
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    connection.text_factory = _as_text
    try:
        connection.execute("SELECT count(*) FROM versions").fetchone()
    except BaseException:  # an interrupt, too, must not leave the connection open
        connection.close()
        raise
    return connection


def move_aside(path: Path, damaged_identity: tuple[int, int]) -> str:
    """Rename a damaged database and its log. Gives a sentence about it, "" when another process was faster.

    Raises `OSError` when it cannot be renamed.
    """
    with folder_turn(path.parent, is_alone=True):
        if identity_of(path) != damaged_identity:
            return ""
        aside = _free_name(path, int(time.time()))
        # The log first: a new database beside an old log would replay it.
        for suffix in ("-wal", "-shm", ""):
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{path}{suffix}", f"{aside}{suffix}")
    return f"The history database was damaged. It is kept as {shown(aside)}; a new one was begun."


def set_aside(path: Path) -> tuple[Path, ...]:
    """The damaged databases that were moved aside, by their own names without those of their logs; never raises."""
    try:
        names = [name for name in os.listdir(path.parent) if name.startswith(f"{path.name}{ASIDE}")]
    except OSError:
        return ()
    return tuple(path.with_name(name) for name in sorted({re.sub("-(?:wal|shm)$", "", name) for name in names}))


def delete_set_aside(aside: Path) -> None:
    """Delete a damaged database that was moved aside, and its log. Raises WriteFailed."""
    for suffix in ("-wal", "-shm", ""):
        try:
            os.unlink(f"{aside}{suffix}")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise write_failed(error, aside, f"{shown(aside.name)} was not deleted") from error


@contextlib.contextmanager
def folder_turn(folder: Path, *, is_alone: bool) -> Iterator[None]:
    """Openings share the turn, moving aside has it alone: else one opens the old file with the new one's log.

    Raises `BlockingIOError` when others do not give it up in time.
    """
    if sys.platform == "win32":
        yield  # Windows does not rename files that are open.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        deadline_s = time.monotonic() + BUSY_WAIT_S
        while True:
            try:
                fcntl.flock(descriptor, (fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline_s:
                    raise
                time.sleep(0.002)
            except OSError:
                break  # NFS has no lock for a folder; SQLite's own locks still hold.
        yield
    finally:
        os.close(descriptor)


def _free_name(path: Path, now_s: int) -> str:
    base, number = f"{path}{ASIDE}{now_s}", 1
    name = base
    while os.path.lexists(name):
        number += 1
        name = f"{base}.{number}"
    return name


def identity_of(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)
