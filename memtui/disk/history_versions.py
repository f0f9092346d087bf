"""Versions in the database: what is recorded, listed, dropped by the bounds and purged.

Every function works inside the caller's transaction and knows nothing of connections or failures.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from memtui.disk.history_blobs import digest, keep_blob, read_blob, release_blobs

SIDE_SOURCES: Final = ("displaced", "left_over", "backup", "staged")
"""Where bytes come from that history keeps although they are not what stands in the file afterwards."""

_MARKS: Final = ", ".join("?" * len(SIDE_SOURCES))

STOOD: Final = "is_certain AND versions.id NOT IN (SELECT id FROM writes)"
"""SQL: the version is what a look found or a finished write made, not what a write is about to make."""

DAY_S: Final = 86_400.0

MAX_NUMBER: Final = 1e12
"""Neither a time (the year 33,658) nor a size (a terabyte) beyond this was written by memtui."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much history keeps of one file; the oldest versions go first."""

    max_versions: int = 10_000
    max_age_s: float = 180 * DAY_S
    max_bytes: int = 256 * 1024 * 1024
    """As stored, packed."""


@dataclass(frozen=True, slots=True)
class Version:
    """One content that stood in a file (or was about to, or was found beside it)."""

    id: int
    when: float
    """Seconds since 1970."""
    source: str
    """Who wrote it: memtui, tool, outside, restore, approved, archive, copy, moved_from or moved_to; or, of bytes kept
    from beside the file, one of SIDE_SOURCES.
    """
    summary: str
    sha256: str
    size_bytes: int
    stood: bool
    """False for bytes that an interrupted write was about to put there: they may never have stood."""
    read_raw: Callable[[int], bytes] = field(repr=False, compare=False)

    @property
    def raw(self) -> bytes:
        """The bytes. Raises `Unreadable` when they were purged meanwhile or are damaged."""
        return self.read_raw(self.id)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest version of a file that is not from a side source."""

    id: int
    blob_id: int
    sha256: bytes
    stood: bool


def find_file_id(connection: sqlite3.Connection, file_key: str) -> int | None:
    """The number under which the database knows a file; None when it has never seen it."""
    row = connection.execute("SELECT id FROM files WHERE key = ?", (os.fsencode(file_key),)).fetchone()
    return row[0] if row else None


def make_file_id(connection: sqlite3.Connection, file_key: str) -> int:
    """The number of a file, new when it has none."""
    file_id = find_file_id(connection, file_key)
    if file_id is None:
        file_id = connection.execute("INSERT INTO files (key) VALUES (?)", (os.fsencode(file_key),)).lastrowid
    return int(file_id or 0)


def newest_versions(connection: sqlite3.Connection, file_id: int) -> list[Newest]:
    """The newest versions down to the first of which it is certain that it stood; side sources left out."""
    found: list[Newest] = []
    for row in connection.execute(
        f"SELECT versions.id, blob_id, sha256, {STOOD} FROM versions JOIN blobs ON blobs.id = blob_id"
        f" WHERE file_id = ? AND source NOT IN ({_MARKS}) ORDER BY versions.id DESC",
        (file_id, *SIDE_SOURCES),
    ):
        found.append(Newest(row[0], row[1], row[2], bool(row[3])))
        if found[-1].stood:
            break
    return found


def record_seen(
    connection: sqlite3.Connection, file_id: int, raw_bytes: bytes, source: str, summary: str, when: float
) -> None:
    """Record bytes that were seen, unless they are the newest version (of that source, for a side source)."""
    sha256 = digest(raw_bytes)
    if source in SIDE_SOURCES:
        row = connection.execute(
            "SELECT sha256 FROM versions JOIN blobs ON blobs.id = blob_id WHERE file_id = ? AND source = ?"
            " ORDER BY versions.id DESC LIMIT 1",
            (file_id, source),
        ).fetchone()
        is_known = row is not None and row[0] == sha256
    else:
        is_known = any(newest.sha256 == sha256 for newest in newest_versions(connection, file_id))
    if not is_known:
        add_version(connection, file_id, raw_bytes, sha256, source, summary, when)


def add_version(
    connection: sqlite3.Connection,
    file_id: int,
    raw_bytes: bytes,
    sha256: bytes,
    source: str,
    summary: str,
    when: float,
    *,
    base: tuple[int, bytes] | None = None,
) -> int:
    """Add a version and give its id; `base` is a stored content (id, bytes) it resembles."""
    blob_id, stored_bytes = keep_blob(connection, raw_bytes, sha256, base)
    storable_summary = summary.encode("utf-8", "replace").decode("utf-8")
    cursor = connection.execute(
        "INSERT INTO versions (file_id, blob_id, when_s, source, summary, is_certain, stored_bytes)"
        " VALUES (?, ?, ?, ?, ?, 1, ?)",
        (file_id, blob_id, when, source, storable_summary, stored_bytes),
    )
    return int(cursor.lastrowid or 0)


def list_versions(
    connection: sqlite3.Connection,
    file_id: int,
    limit: int | None,
    standing_only: bool,
    read_raw: Callable[[int], bytes],
) -> list[Version]:
    """The file's versions, newest first; `standing_only` leaves out what may never have stood in it."""
    condition = f"AND {STOOD} AND source NOT IN ({_MARKS})" if standing_only else ""
    rows = connection.execute(
        f"SELECT versions.id, when_s, source, summary, lower(hex(sha256)), size_bytes, {STOOD}"
        f" FROM versions JOIN blobs ON blobs.id = blob_id WHERE file_id = ? {condition}"
        " ORDER BY versions.id DESC LIMIT ?",
        (file_id, *(SIDE_SOURCES if standing_only else ()), -1 if limit is None else limit),
    )
    return [_version(row, read_raw) for row in rows]


def get_version(
    connection: sqlite3.Connection, version_id: int, read_raw: Callable[[int], bytes]
) -> Version | None:
    """One version, None when it is not there (any more)."""
    row = connection.execute(
        f"SELECT versions.id, when_s, source, summary, lower(hex(sha256)), size_bytes, {STOOD}"
        " FROM versions JOIN blobs ON blobs.id = blob_id WHERE versions.id = ?",
        (version_id,),
    ).fetchone()
    return _version(row, read_raw) if row else None


def _version(
    row: tuple[int, object, object, object, object, object, object], read_raw: Callable[[int], bytes]
) -> Version:
    version_id, when, source, summary, sha256, size_bytes, stood = row
    seconds, size = number(when), int(number(size_bytes))
    return Version(version_id, seconds, word(source), word(summary), word(sha256), size, bool(stood), read_raw)


def number(value: object) -> float:
    """The number that a column holds, 0 for what damage made of it."""
    return float(value) if isinstance(value, (int, float)) and abs(value) < MAX_NUMBER else 0.0


def word(value: object) -> str:
    """The text that a column holds, "" for what damage made of it."""
    return value if isinstance(value, str) else ""


def read_version(connection: sqlite3.Connection, version_id: int) -> bytes | None:
    """The bytes of a version, None when it is not there. Raises `Unreadable` when they are damaged."""
    row = connection.execute("SELECT blob_id FROM versions WHERE id = ?", (version_id,)).fetchone()
    return read_blob(connection, row[0]) if row else None


def drop_beyond(connection: sqlite3.Connection, file_id: int, bounds: Bounds, now: float) -> int:
    """Drop the oldest until the bounds hold, but none that stands or is being written. Gives the count."""
    count, stored_bytes = connection.execute(
        "SELECT version_count, stored_bytes FROM files WHERE id = ?", (file_id,)
    ).fetchone()
    dropped: list[int] = []
    kept: set[int] = set()
    for version_id, when, size in oldest_first(connection, file_id):
        is_old = when < now - bounds.max_age_s
        if not (is_old or count > bounds.max_versions or stored_bytes > bounds.max_bytes):
            break
        kept = kept or standing_ids(connection, file_id)
        if version_id not in kept:
            dropped.append(version_id)
            count, stored_bytes = count - 1, stored_bytes - size
    delete_versions(connection, dropped)
    return len(dropped)


def oldest_first(connection: sqlite3.Connection, file_id: int) -> Iterator[tuple[int, float, int]]:
    """Id, time and stored size of the file's versions."""
    yield from connection.execute(
        "SELECT id, when_s, stored_bytes FROM versions WHERE file_id = ? ORDER BY id", (file_id,)
    )


def standing_ids(connection: sqlite3.Connection, file_id: int) -> set[int]:
    """What stands in the file as far as history knows, the newest of all, both sides of a write under way."""
    kept = {newest.id for newest in newest_versions(connection, file_id)}
    kept.update(
        row[0] for row in connection.execute("SELECT max(id) FROM versions WHERE file_id = ?", (file_id,))
    )
    for pair in connection.execute("SELECT before_version, id FROM writes WHERE file_id = ?", (file_id,)):
        kept.update(pair)
    return kept


def delete_versions(connection: sqlite3.Connection, version_ids: Iterable[int]) -> None:
    """Delete versions, the undo steps that led to them, and contents that nothing names any more."""
    blob_ids = []
    for version_id in version_ids:
        row = connection.execute(
            "DELETE FROM versions WHERE id = ? RETURNING blob_id", (version_id,)
        ).fetchone()
        if row:
            blob_ids.append(row[0])
        connection.execute("DELETE FROM changes WHERE id = ?", (version_id,))
    release_blobs(connection, blob_ids)
