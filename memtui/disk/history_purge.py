"""What a person wants gone from history is gone: versions, undo steps and summaries of a file or with a text.

Every function works inside the caller's transaction; the caller then empties the freed space of the database.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import chain
from typing import Final

from memtui.core.cells import cell_width
from memtui.core.cutting import entries_around, holds, is_entry, without, without_entry
from memtui.core.errors import Unreadable
from memtui.core.threats.masking import masked_preview
from memtui.disk.history_blobs import digest, keep_blob, read_blob, release_blobs
from memtui.disk.history_versions import delete_versions, oldest_first, standing_ids, word
from memtui.disk.undo_log import parse_steps, text_digest

PURGED_SUMMARY: Final = "(summary purged)"
MAX_OTHERS: Final = 20


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
    """Versions of which the text is an entry, or whose undo steps tell it as one."""
    around: int = 0
    """Versions that hold the text inside of other entries, or tell such entries in their undo steps."""
    others: tuple[str, ...] = ()
    """Those other entries, at most `MAX_OTHERS`. Untrusted."""
    unreadable: int = 0
    """Versions of which nobody can tell: they, or their undo steps, are damaged."""
    problem: str = ""
    """Why history could not be searched, in words for a person; the counts then say nothing."""


@dataclass(frozen=True, slots=True)
class _Held:
    """How one version, or one change, holds a text."""

    as_entry: bool = False
    around: bool = False
    others: tuple[str, ...] = ()


def search_text(connection: sqlite3.Connection, file_id: int, text: str) -> Searched:
    """How many versions `purge_text` would cut, or rob of their summary and undo steps; and how many are damaged."""
    holding, around, damaged = set[int](), set[int](), set[int]()
    others: dict[str, None] = {}
    of_versions = ((row_id, _held(connection, blob_id, text)) for row_id, blob_id in _versions(connection, file_id))
    of_steps = ((row_id, _told(steps_json, text)) for row_id, steps_json in _changes(connection, file_id))
    for row_id, held in chain(of_versions, of_steps):
        if held is None:
            damaged.add(row_id)
            continue
        if held.as_entry:
            holding.add(row_id)
        if held.around:
            around.add(row_id)
            others |= dict.fromkeys(held.others[: MAX_OTHERS - len(others)])
    return Searched(len(holding), len(around), tuple(others), len(damaged))


def purge_text(connection: sqlite3.Connection, file_id: int, text: str, *, inside: bool) -> int:
    """Cut the entry with this text out of every version, with undo steps and summaries; give the versions' count.

    `inside`: cut the text out of the entries that hold more as well. What else those versions hold stays, and so does
    what is damaged. A version that then holds nothing, or what the one before it holds, goes whole.
    """
    _purge_steps(connection, file_id, text, inside)
    connection.execute("DELETE FROM whole_entries WHERE file_id = ? AND sha256 = ?", (file_id, text_digest(text)))
    count = 0
    before = b""
    for version_id, blob_id in _versions(connection, file_id):
        raw_bytes = _readable(connection, blob_id)
        if raw_bytes is None:
            continue
        if not (holds if inside else is_entry)(raw_bytes, text):
            before = raw_bytes
            continue
        count += 1
        rest = (without if inside else without_entry)(raw_bytes, text)
        if rest in (b"", before):
            delete_versions(connection, [version_id])
        else:
            _rewrite(connection, version_id, rest)
            before = rest
    return count


def purge_unreadable(connection: sqlite3.Connection, file_id: int) -> int:
    """Delete every version that is damaged, and all undo steps that are; give the count of versions so touched."""
    damaged = {row_id for row_id, blob_id in _versions(connection, file_id) if _readable(connection, blob_id) is None}
    stepless = {change_id for change_id, steps in _changes(connection, file_id) if _told(steps, "") is None}
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


def _held(connection: sqlite3.Connection, blob_id: int, text: str) -> _Held | None:
    """None when the content is damaged."""
    raw_bytes = _readable(connection, blob_id)
    if raw_bytes is None:
        return None
    if not holds(raw_bytes, text):
        return _Held()
    is_around = holds(without_entry(raw_bytes, text), text)
    return _Held(is_entry(raw_bytes, text), is_around, entries_around(raw_bytes, text) if is_around else ())


def _readable(connection: sqlite3.Connection, blob_id: int) -> bytes | None:
    try:
        return read_blob(connection, blob_id)
    except Unreadable:
        return None


def _told(steps_json: str, text: str) -> _Held | None:
    """How the steps of a change tell the text; None when they are damaged."""
    try:
        steps = parse_steps(steps_json)
    except sqlite3.DatabaseError:
        return None
    sides = [side for step in steps for side in (step.before, step.after) if side is not None]
    others = tuple(side for side in sides if text in side and side != text)
    return _Held(text in sides, bool(others), others)


def _purge_steps(connection: sqlite3.Connection, file_id: int, text: str, inside: bool) -> None:
    """Forget the changes that tell the text; the versions they led to lose their summary, and so do others with it."""
    for change_id, steps_json in _changes(connection, file_id):
        told = _told(steps_json, text)
        if told and (told.as_entry or (inside and told.around)):
            connection.execute("DELETE FROM changes WHERE id = ?", (change_id,))
            connection.execute("UPDATE versions SET summary = ? WHERE id = ?", (PURGED_SUMMARY, change_id))
    rows = connection.execute("SELECT id, summary FROM versions WHERE file_id = ?", (file_id,)).fetchall()
    for version_id, summary in rows:
        told_text = word(summary).partition(": ")[2]
        is_told = told_text == masked_preview(text, cell_width(told_text)) if told_text else False
        if is_told or (inside and text in word(summary)):
            connection.execute("UPDATE versions SET summary = ? WHERE id = ?", (PURGED_SUMMARY, version_id))
