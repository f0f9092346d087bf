"""The undo log and the writes under way: what memtui changed, step by step, so that it can be taken back.

A write is announced before the file is replaced and confirmed after; what a crash left announced is settled
by looking at the file. Every function works inside the caller's transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memtui.core.model import Step
from memtui.disk.history_blobs import digest
from memtui.disk.history_versions import (
    add_version,
    delete_versions,
    newest_versions,
)


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A change that can be undone or redone."""

    id: int
    when: float
    """Seconds since 1970."""
    source: str
    action: str
    steps: tuple[Step, ...]
    before_version: int
    """Id of the version that stood before; it may have been dropped from history meanwhile."""
    after_version: int


@dataclass(frozen=True, slots=True)
class Write:
    """What is about to be written into a file, and why. Times are seconds since 1970."""

    before_bytes: bytes
    after_bytes: bytes
    source: str
    summary: str
    when: float
    action: str
    steps: tuple[Step, ...] = ()
    undoes: int | None = None
    """Id of the logged change that this write takes back; with neither it is logged as a new change."""
    redoes: int | None = None
    """Id of the logged change that this write makes again."""
    whole_texts: tuple[str, ...] = ()
    """Texts that a guarded operation writes as one entry each: they are never taken for merged entries."""


def announce(connection: sqlite3.Connection, file_id: int, write: Write) -> int:
    """Hold the bytes before and after and log the change, not yet as done. Gives the write's id."""
    before_sha256 = digest(write.before_bytes)
    settle(connection, file_id, before_sha256)
    before_id, before_blob_id = _standing(connection, file_id, write, before_sha256)
    after_id = add_version(
        connection,
        file_id,
        write.after_bytes,
        digest(write.after_bytes),
        write.source,
        write.summary,
        write.when,
        stood=False,
        base=(before_blob_id, write.before_bytes),
    )
    change_id = write.undoes or write.redoes or _log(connection, file_id, write, before_id, after_id)
    remember_whole(connection, file_id, write.whole_texts)
    cursor = connection.execute(
        "INSERT INTO writes (file_id, change_id, becomes, before_version, after_version)"
        " VALUES (?, ?, ?, ?, ?)",
        (file_id, change_id, "undone" if write.undoes else "done", before_id, after_id),
    )
    return int(cursor.lastrowid or 0)


def _standing(
    connection: sqlite3.Connection, file_id: int, write: Write, before_sha256: bytes
) -> tuple[int, int]:
    """Version and blob id of what stands in the file now, recorded when history has not seen it."""
    for newest in newest_versions(connection, file_id):
        if newest.sha256 == before_sha256:
            return newest.id, newest.blob_id
    before_id = add_version(
        connection, file_id, write.before_bytes, before_sha256, "outside", "Found before a write", write.when
    )
    blob_id = connection.execute("SELECT blob_id FROM versions WHERE id = ?", (before_id,)).fetchone()[0]
    return before_id, blob_id


def _log(connection: sqlite3.Connection, file_id: int, write: Write, before_id: int, after_id: int) -> int:
    # JSON in ASCII: lone surrogates survive as \udXXX, which SQLite's text would refuse.
    steps = json.dumps([[step.before, step.after, step.index] for step in write.steps])
    cursor = connection.execute(
        "INSERT INTO changes (file_id, when_s, source, action, steps, state, before_version, after_version)"
        " VALUES (?, ?, ?, ?, ?, 'pending', ?, ?)",
        (file_id, write.when, write.source, write.action, steps, before_id, after_id),
    )
    return int(cursor.lastrowid or 0)


def confirm(connection: sqlite3.Connection, write_id: int) -> None:
    """The file was replaced: the new version stands, the change is done. A new change drops redo."""
    row = connection.execute(
        "DELETE FROM writes WHERE id = ? RETURNING file_id, change_id, becomes, after_version", (write_id,)
    ).fetchone()
    if row is None:
        return
    file_id, change_id, becomes, after_id = row
    connection.execute("UPDATE versions SET stood = 1 WHERE id = ?", (after_id,))
    is_new = connection.execute(
        "SELECT 1 FROM changes WHERE id = ? AND state = 'pending'", (change_id,)
    ).fetchone()
    if is_new:
        connection.execute("DELETE FROM changes WHERE file_id = ? AND state = 'undone'", (file_id,))
    connection.execute("UPDATE changes SET state = ? WHERE id = ?", (becomes, change_id))


def abandon(connection: sqlite3.Connection, write_id: int) -> None:
    """The file was not replaced: what the write was about to put there is forgotten."""
    row = connection.execute(
        "DELETE FROM writes WHERE id = ? RETURNING change_id, after_version", (write_id,)
    ).fetchone()
    if row is None:
        return
    change_id, after_id = row
    connection.execute("DELETE FROM changes WHERE id = ? AND state = 'pending'", (change_id,))
    delete_versions(connection, [after_id])


def settle(connection: sqlite3.Connection, file_id: int, standing_sha256: bytes) -> None:
    """Decide about writes that a crash left announced, by what stands in the file. Only under its lock.

    The bytes of both sides stay in history in any case; when the file does not show the new ones, there is no
    change to undo.
    """
    confirm_standing(connection, file_id, standing_sha256)
    connection.execute(
        "DELETE FROM changes WHERE state = 'pending'"
        " AND id IN (SELECT change_id FROM writes WHERE file_id = ?)",
        (file_id,),
    )
    connection.execute("DELETE FROM writes WHERE file_id = ?", (file_id,))


def confirm_standing(connection: sqlite3.Connection, file_id: int, standing_sha256: bytes) -> None:
    """Confirm the announced writes whose bytes stand in the file; right with its lock or without."""
    rows = connection.execute(
        "SELECT writes.id FROM writes JOIN versions ON versions.id = after_version"
        " JOIN blobs ON blobs.id = blob_id WHERE writes.file_id = ? AND sha256 = ? ORDER BY writes.id",
        (file_id, standing_sha256),
    ).fetchall()
    for (write_id,) in rows:
        confirm(connection, write_id)


def is_interrupted(connection: sqlite3.Connection, file_id: int) -> bool:
    """True when a write is announced: it is under way, or a crash interrupted it."""
    row = connection.execute("SELECT 1 FROM writes WHERE file_id = ? LIMIT 1", (file_id,)).fetchone()
    return row is not None


def next_undo(connection: sqlite3.Connection, file_id: int) -> LoggedChange | None:
    """The newest change that is done."""
    return _next(connection, file_id, "done", "DESC")


def next_redo(connection: sqlite3.Connection, file_id: int) -> LoggedChange | None:
    """The change that was undone last."""
    return _next(connection, file_id, "undone", "ASC")


def _next(connection: sqlite3.Connection, file_id: int, state: str, order: str) -> LoggedChange | None:
    row = connection.execute(
        "SELECT id, when_s, source, action, steps, before_version, after_version FROM changes"
        f" WHERE file_id = ? AND state = ? ORDER BY id {order} LIMIT 1",
        (file_id, state),
    ).fetchone()
    if row is None:
        return None
    steps = tuple(Step(before, after, index) for before, after, index in json.loads(row[4]))
    return LoggedChange(row[0], row[1], row[2], row[3], steps, row[5], row[6])


def remember_whole(connection: sqlite3.Connection, file_id: int, texts: Sequence[str]) -> None:
    """Note that each text is one entry, however it looks."""
    connection.executemany(
        "INSERT OR IGNORE INTO whole_entries (file_id, sha256) VALUES (?, ?)",
        [(file_id, text_digest(text)) for text in texts],
    )


def is_whole(connection: sqlite3.Connection, file_id: int, text: str) -> bool:
    """True when `remember_whole` was told of this very text."""
    row = connection.execute(
        "SELECT 1 FROM whole_entries WHERE file_id = ? AND sha256 = ?", (file_id, text_digest(text))
    ).fetchone()
    return row is not None


def text_digest(text: str) -> bytes:
    """The 32 bytes that name an entry's text."""
    return digest(text.encode("utf-8", "surrogatepass"))
