"""What a person wants gone from history is gone: versions, undo steps and summaries of a file or with a text.

Every function works inside the caller's transaction; the caller then empties the freed space of the database.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import chain
from typing import Final

from memtui.core.cutting import holds, without
from memtui.core.errors import Unreadable
from memtui.disk.history_blobs import digest, keep_blob, read_blob, release_blobs
from memtui.disk.history_versions import delete_versions, oldest_first, standing_ids
from memtui.disk.undo_log import parse_steps, text_digest

PURGED_SUMMARY: Final = "(summary purged)"


def purge_older(connection: sqlite3.Connection, file_id: int, older_than: float) -> int:
    """Delete the versions from before a time, except what stands in the file. Gives the count."""
    kept = standing_ids(connection, file_id)
    doomed = [
        row[0] for row in oldest_first(connection, file_id) if row[1] < older_than and row[0] not in kept
    ]
    delete_versions(connection, doomed)
    return len(doomed)


def purge_file(connection: sqlite3.Connection, file_id: int) -> int:
    """Delete everything that history knows of a file. Gives the count of versions."""
    doomed = [row[0] for row in oldest_first(connection, file_id)]
    delete_versions(connection, doomed)
    for table in ("changes", "writes", "whole_entries"):
        connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
    connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
    return len(doomed)


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search of one file's history came to."""

    holding: int = 0
    """Versions that hold the text, or tell it in their undo steps."""
    unreadable: int = 0
    """Versions of which nobody can tell: they, or their undo steps, are damaged."""
    problem: str = ""
    """Why history could not be searched, in words for a person; the counts then say nothing."""


def search_text(connection: sqlite3.Connection, file_id: int, text: str) -> Searched:
    """How many versions `purge_text` would cut, or rob of their summary and undo steps; and how many are damaged."""
    holding, damaged = set[int](), set[int]()
    of_versions = ((row_id, _holds(connection, blob_id, text)) for row_id, blob_id in _versions(connection, file_id))
    of_steps = ((row_id, _mentions(steps_json, text)) for row_id, steps_json in _changes(connection, file_id))
    for row_id, answer in chain(of_versions, of_steps):
        if answer is None:
            damaged.add(row_id)
        elif answer:
            holding.add(row_id)
    return Searched(len(holding), len(damaged))


def purge_text(connection: sqlite3.Connection, file_id: int, text: str) -> int:
    """Cut the text out of every version that contains it, with undo steps and summaries; give the versions' count.

    What else those versions hold stays, and so does what is damaged. A version that then holds nothing, or what the
    one before it holds, goes whole.
    """
    _purge_steps(connection, file_id, text)
    connection.execute("DELETE FROM whole_entries WHERE file_id = ? AND sha256 = ?", (file_id, text_digest(text)))
    count = 0
    before = b""
    for version_id, blob_id in _versions(connection, file_id):
        raw_bytes = _readable(connection, blob_id)
        if raw_bytes is None:
            continue
        if not holds(raw_bytes, text):
            before = raw_bytes
            continue
        count += 1
        rest = without(raw_bytes, text)
        if rest in (b"", before):
            delete_versions(connection, [version_id])
        else:
            _rewrite(connection, version_id, rest)
            before = rest
    return count


def purge_unreadable(connection: sqlite3.Connection, file_id: int) -> int:
    """Delete every version that is damaged, and all undo steps that are; give the count of versions so touched."""
    damaged = {row_id for row_id, blob_id in _versions(connection, file_id) if _readable(connection, blob_id) is None}
    stepless = {change_id for change_id, steps in _changes(connection, file_id) if _mentions(steps, "") is None}
    delete_versions(connection, sorted(damaged))
    connection.executemany("DELETE FROM changes WHERE id = ?", [(change_id,) for change_id in stepless])
    return len(damaged | stepless)


def _rewrite(connection: sqlite3.Connection, version_id: int, raw_bytes: bytes) -> None:
    """Give a version other bytes; the triggers of leaving and coming keep the counts."""
    row = connection.execute(
        "DELETE FROM versions WHERE id = ? RETURNING blob_id, file_id, when_s, source, summary, is_certain",
        (version_id,),
    ).fetchone()
    blob_id, stored_bytes = keep_blob(connection, raw_bytes, digest(raw_bytes))
    connection.execute(
        "INSERT INTO versions (id, blob_id, stored_bytes, file_id, when_s, source, summary, is_certain)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (version_id, blob_id, stored_bytes, *row[1:]),
    )
    release_blobs(connection, [row[0]])


def _versions(connection: sqlite3.Connection, file_id: int) -> list[tuple[int, int]]:
    """Ids of version and content, the oldest first."""
    return connection.execute("SELECT id, blob_id FROM versions WHERE file_id = ? ORDER BY id", (file_id,)).fetchall()


def _changes(connection: sqlite3.Connection, file_id: int) -> list[tuple[int, str]]:
    return connection.execute("SELECT id, steps FROM changes WHERE file_id = ?", (file_id,)).fetchall()


def _holds(connection: sqlite3.Connection, blob_id: int, text: str) -> bool | None:
    """None when the content is damaged."""
    raw_bytes = _readable(connection, blob_id)
    return None if raw_bytes is None else holds(raw_bytes, text)


def _readable(connection: sqlite3.Connection, blob_id: int) -> bytes | None:
    try:
        return read_blob(connection, blob_id)
    except Unreadable:
        return None


def _mentions(steps_json: str, text: str) -> bool | None:
    """Whether one of the steps tells the text; None when they are damaged."""
    try:
        steps = parse_steps(steps_json)
    except sqlite3.DatabaseError:
        return None
    return any(text in (side or "") for step in steps for side in (step.before, step.after))


def _purge_steps(connection: sqlite3.Connection, file_id: int, text: str) -> None:
    """Forget the changes that mention the text; the versions they led to lose their summary."""
    for change_id, steps_json in _changes(connection, file_id):
        if _mentions(steps_json, text):
            connection.execute("DELETE FROM changes WHERE id = ?", (change_id,))
            connection.execute("UPDATE versions SET summary = ? WHERE id = ?", (PURGED_SUMMARY, change_id))
    connection.execute(
        "UPDATE versions SET summary = ? WHERE file_id = ? AND instr(summary, ?)",
        (PURGED_SUMMARY, file_id, text.encode("utf-8", "replace").decode("utf-8")),
    )
