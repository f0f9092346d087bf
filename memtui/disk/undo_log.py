"""The undo log and the writes under way: what memtui changed, step by step, so that it can be taken back.

A write is announced before the file is replaced and confirmed after; what a crash left announced is settled
by looking at the file. Every function works inside the caller's transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtui.core.change import Step
from memtui.disk.history_blobs import digest, mend_blob
from memtui.disk.history_file import has_turns
from memtui.disk.history_versions import (
    add_version,
    delete_versions,
    newest_versions,
    number,
    word,
)


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A change that can be undone or redone."""

    id: int
    """Also the id of the version that it made."""
    when: float
    """Seconds since 1970."""
    source: str
    action: str
    steps: tuple[Step, ...]
    before_version: int
    """Id of the version that stood before; it may have been dropped from history meanwhile."""
    turn: int
    """Id of the write that made it, took it back or made it again last: what was done later has a higher one."""


@dataclass(frozen=True, slots=True)
class Write:
    """What is about to be written into a file, and why. Times are seconds since 1970."""

    before_bytes: bytes
    after_bytes: bytes
    source: str
    """Who writes; what stands behind a colon is kept with the change alone, not with the version."""
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
    write_id = add_version(
        connection,
        file_id,
        write.after_bytes,
        digest(write.after_bytes),
        write.source.partition(":")[0],
        write.summary,
        write.when,
        base=(before_blob_id, write.before_bytes),
    )
    connection.execute(
        "INSERT INTO writes (id, file_id, before_version, undoes, redoes) VALUES (?, ?, ?, ?, ?)",
        (write_id, file_id, before_id, write.undoes, write.redoes),
    )
    if write.undoes is None and write.redoes is None:
        _log(connection, file_id, write, before_id, write_id)
    remember_whole(connection, file_id, write.whole_texts)
    return write_id


def _standing(
    connection: sqlite3.Connection, file_id: int, write: Write, before_sha256: bytes
) -> tuple[int, int]:
    """Version and blob id of what stands in the file now, recorded when history has not seen it."""
    for newest in newest_versions(connection, file_id):
        if newest.sha256 == before_sha256:
            mend_blob(connection, newest.blob_id, write.before_bytes)
            return newest.id, newest.blob_id
    before_id = add_version(
        connection, file_id, write.before_bytes, before_sha256, "outside", "Found before a write", write.when
    )
    blob_id = connection.execute("SELECT blob_id FROM versions WHERE id = ?", (before_id,)).fetchone()[0]
    return before_id, blob_id


def _log(connection: sqlite3.Connection, file_id: int, write: Write, before_id: int, write_id: int) -> None:
    # JSON in ASCII: lone surrogates survive as \\udXXX, which SQLite's text would refuse.
    steps = json.dumps([[step.before, step.after, step.index, *step.allowed] for step in write.steps])
    connection.execute(
        "INSERT INTO changes (id, file_id, when_s, source, action, steps, before_version, is_undone)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
        (write_id, file_id, write.when, write.source, write.action, steps, before_id),
    )


def confirm(connection: sqlite3.Connection, write_id: int) -> None:
    """The file was replaced: the new version stands, the change is done. A new change drops redo."""
    row = connection.execute(
        "DELETE FROM writes WHERE id = ? RETURNING file_id, undoes, redoes", (write_id,)
    ).fetchone()
    if row is None:
        return
    file_id, undoes, redoes = row
    if undoes is None and redoes is None:
        connection.execute("DELETE FROM changes WHERE file_id = ? AND is_undone = 1", (file_id,))
    else:
        connection.execute("UPDATE changes SET is_undone = 1, turn = ? WHERE id = ?", (write_id, undoes))
        connection.execute("UPDATE changes SET is_undone = 0, turn = ? WHERE id = ?", (write_id, redoes))


def forget(connection: sqlite3.Connection, change_id: int) -> None:
    """Take a change out of the log: neither undo nor redo knows it any more. Its versions stay."""
    connection.execute("DELETE FROM changes WHERE id = ?", (change_id,))


def abandon(connection: sqlite3.Connection, write_id: int) -> None:
    """The file was not replaced: what the write was about to put there is forgotten."""
    if connection.execute("DELETE FROM writes WHERE id = ? RETURNING id", (write_id,)).fetchone():
        delete_versions(connection, [write_id])


def settle(connection: sqlite3.Connection, file_id: int, standing_sha256: bytes) -> None:
    """Decide about writes that a crash left announced, by what stands in the file. Only under its lock.

    The bytes of both sides stay in history in any case; when the file does not show the new ones, there is no
    change to undo.
    """
    confirm_standing(connection, file_id, standing_sha256)
    for (write_id,) in connection.execute(
        "DELETE FROM writes WHERE file_id = ? RETURNING id", (file_id,)
    ).fetchall():
        connection.execute("DELETE FROM changes WHERE id = ?", (write_id,))
        connection.execute("UPDATE versions SET is_certain = 0 WHERE id = ?", (write_id,))


def confirm_standing(connection: sqlite3.Connection, file_id: int, standing_sha256: bytes) -> None:
    """Confirm the announced writes whose bytes stand in the file; right with its lock or without."""
    rows = connection.execute(
        "SELECT writes.id FROM writes JOIN versions ON versions.id = writes.id"
        " JOIN blobs ON blobs.id = blob_id WHERE writes.file_id = ? AND sha256 = ? ORDER BY writes.id",
        (file_id, standing_sha256),
    ).fetchall()
    for (write_id,) in rows:
        confirm(connection, write_id)


def is_interrupted(connection: sqlite3.Connection, file_id: int) -> bool:
    """True when a write is announced: it is under way, or a crash interrupted it."""
    row = connection.execute("SELECT 1 FROM writes WHERE file_id = ? LIMIT 1", (file_id,)).fetchone()
    return row is not None


def done_changes(connection: sqlite3.Connection, file_id: int) -> Iterator[LoggedChange]:
    """The changes that are done, the newest first: undo takes the first."""
    return _logged(connection, "is_undone = 0 AND id NOT IN (SELECT id FROM writes) ORDER BY id DESC", file_id)


def undone_changes(connection: sqlite3.Connection, file_id: int) -> Iterator[LoggedChange]:
    """The changes that were undone, the one that was undone last first: redo takes the first."""
    return _logged(connection, "is_undone = 1 ORDER BY id", file_id)


def _logged(connection: sqlite3.Connection, which: str, file_id: int) -> Iterator[LoggedChange]:
    turn = "coalesce(turn, id)" if has_turns(connection) else "id"
    for change_id, when, source, action, steps_json, before_id, turn_id in connection.execute(
        f"SELECT id, when_s, source, action, steps, before_version, {turn} FROM changes WHERE file_id = ? AND {which}",
        (file_id,),
    ):
        steps = parse_steps(steps_json)
        yield LoggedChange(change_id, number(when), word(source), word(action), steps, before_id, int(turn_id))


def parse_steps(steps_json: str) -> tuple[Step, ...]:
    """The steps of a logged change. Raises `sqlite3.DatabaseError` when they are damaged."""
    try:
        read = json.loads(steps_json)
        steps = [Step(before, after, index, tuple(allowed)) for before, after, index, *allowed in read]
    except (ValueError, TypeError, RecursionError) as error:
        raise sqlite3.DatabaseError("the steps of a change are damaged") from error
    # They are written in ASCII; what is not would bring back a text that never stood.
    if not steps_json.isascii() or not all(_is_step(step) for step in steps):
        raise sqlite3.DatabaseError("the steps of a change are damaged")
    return tuple(steps)


def _is_step(step: Step) -> bool:
    texts_are = all(text is None or isinstance(text, str) for text in (step.before, step.after))
    return texts_are and isinstance(step.index, int) and all(isinstance(rule_id, str) for rule_id in step.allowed)


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
