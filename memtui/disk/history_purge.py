"""What a person wants gone from history is gone: versions, undo steps and summaries of a file or with a text.

Every function works inside the caller's transaction; the caller then empties the freed space of the database.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from memtui.core.codec import parse, render
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


def purge_text(connection: sqlite3.Connection, file_id: int, text: str) -> int:
    """Cut the text out of every version that contains it, with undo steps and summaries; give the versions' count.

    What else those versions hold stays. One that then holds nothing, or what the one before it holds, goes whole; so
    does one that is damaged, since it cannot be searched.
    """
    _purge_steps(connection, file_id, text)
    connection.execute(
        "DELETE FROM whole_entries WHERE file_id = ? AND sha256 = ?", (file_id, text_digest(text))
    )
    count = 0
    before = b""
    for version_id, blob_id in connection.execute(
        "SELECT id, blob_id FROM versions WHERE file_id = ? ORDER BY id", (file_id,)
    ).fetchall():
        raw_bytes = _readable(connection, blob_id)
        if raw_bytes is not None and text not in _plain_text(raw_bytes):
            before = raw_bytes
            continue
        count += 1
        rest = b"" if raw_bytes is None else without(raw_bytes, text)
        if rest in (b"", before):
            delete_versions(connection, [version_id])
        else:
            _rewrite(connection, version_id, rest)
            before = rest
    return count


def without(raw_bytes: bytes, text: str) -> bytes:
    """The canonical file of what else these bytes hold; no bytes when that is nothing."""
    document = parse(raw_bytes)
    if document.bad_byte is not None:
        return _plain_text(raw_bytes).replace(text, "").encode("utf-8", "surrogateescape")
    kept = [entry.replace(text, "").strip() for entry in document.texts]
    return render([entry for entry in kept if entry], document.newline)


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


def count_holding(connection: sqlite3.Connection, file_id: int, text: str) -> int:
    """How many versions `purge_text` would cut, delete, or rob of their summary and undo steps."""
    versions = connection.execute("SELECT id, blob_id FROM versions WHERE file_id = ?", (file_id,)).fetchall()
    changes = connection.execute("SELECT id, steps FROM changes WHERE file_id = ?", (file_id,)).fetchall()
    holding = {version_id for version_id, blob_id in versions if _contains(connection, blob_id, text)}
    return len(holding | {change_id for change_id, steps_json in changes if _mentions(steps_json, text)})


def _contains(connection: sqlite3.Connection, blob_id: int, text: str) -> bool:
    raw_bytes = _readable(connection, blob_id)
    return raw_bytes is None or text in _plain_text(raw_bytes)


def _readable(connection: sqlite3.Connection, blob_id: int) -> bytes | None:
    try:
        return read_blob(connection, blob_id)
    except Unreadable:
        return None


def _plain_text(raw_bytes: bytes) -> str:
    return raw_bytes.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")


def _mentions(steps_json: str, text: str) -> bool:
    """True when one of the steps tells the text, or when they are damaged and cannot be searched."""
    try:
        steps = parse_steps(steps_json)
    except sqlite3.DatabaseError:
        return True
    return any(text in (side or "") for step in steps for side in (step.before, step.after))


def _purge_steps(connection: sqlite3.Connection, file_id: int, text: str) -> None:
    """Forget the changes that mention the text; the versions they led to lose their summary."""
    changes = connection.execute("SELECT id, steps FROM changes WHERE file_id = ?", (file_id,)).fetchall()
    for change_id, steps_json in changes:
        if _mentions(steps_json, text):
            connection.execute("DELETE FROM changes WHERE id = ?", (change_id,))
            connection.execute("UPDATE versions SET summary = ? WHERE id = ?", (PURGED_SUMMARY, change_id))
    connection.execute(
        "UPDATE versions SET summary = ? WHERE file_id = ? AND instr(summary, ?)",
        (PURGED_SUMMARY, file_id, text.encode("utf-8", "replace").decode("utf-8")),
    )
