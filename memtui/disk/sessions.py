"""What the running agent really holds: the system prompts that Hermes stores in `<home>/state.db`.

Never writes there, holds no lock beyond a query; whatever the file is, the answer is sessions or a problem.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from memtui.core.errors import MemoryRefused
from memtui.core.snapshot import split_prompt_block
from memtui.disk.faults import shown
from memtui.disk.foreign_db import MAX_VALUE_BYTES, read_database

FILE_NAME: Final = "state.db"
MAX_SESSIONS: Final = 200
MAX_LABEL_CHARS: Final = 200

_NEEDED: Final = ("id", "started_at", "system_prompt")
_LABELS: Final = ("source", "title", "model")
_OTHERS: Final = (*_LABELS, "ended_at")


@dataclass(frozen=True, slots=True)
class SessionPrompt:
    """One session and the memory that its stored system prompt holds. All texts are untrusted."""

    id: str
    source: str
    """Where the session runs (`cli`, `telegram`, …), as the agent names it; may be empty."""
    title: str
    model: str
    started_at: float
    """Unix seconds; 0.0 when the record has no usable time."""
    ended_at: float | None
    """Unix seconds; None while the session runs (or when nobody recorded its end)."""
    blocks: Mapping[str, tuple[str, ...]]
    """The entries in the prompt by target, placeholders included; a target without a block is missing."""
    problem: str = ""
    """Why there are no blocks although the session has a prompt, in words; empty otherwise."""


@dataclass(frozen=True, slots=True)
class SessionsFound:
    """The sessions with a stored prompt, newest first."""

    sessions: tuple[SessionPrompt, ...] = ()
    problem: str = ""
    """Why there is no session, in words; also empty when the home has no `state.db`."""
    is_read: bool = True
    """False when the record could not be read, and nobody knows what it holds."""


def read_sessions(home_root: Path, limit: int = 20) -> SessionsFound:
    """The newest `limit` (at most 200) sessions of a home that have a stored system prompt; never raises.

    The schema is that of Hermes Agent 0.19 (`hermes_state.py`, table `sessions`). Without `id`, `started_at`
    or `system_prompt` it is unknown and `problem` says so; the other columns may be missing.
    """
    path = Path(home_root) / FILE_NAME
    if not os.path.lexists(path):
        return SessionsFound()
    wanted = max(0, min(limit, MAX_SESSIONS))
    try:
        return read_database(path, lambda connection: _read(connection, path, wanted))
    except MemoryRefused as refusal:
        return SessionsFound(problem=str(refusal), is_read=False)


def _read(connection: sqlite3.Connection, path: Path, limit: int) -> SessionsFound:
    columns = _columns(connection)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        return SessionsFound(
            problem=f"{FILE_NAME} is another program's or another version's: it has no table `sessions` with "
            f"{', '.join(missing)} ({shown(path)}).",
            is_read=False,
        )
    newest = "SELECT rowid FROM sessions WHERE system_prompt IS NOT NULL ORDER BY started_at DESC LIMIT ?"
    row_ids = [row[0] for row in connection.execute(newest, (limit,))]
    sessions = tuple(_sessions(connection, row_ids, columns))
    problem = "" if sessions else f"{FILE_NAME} holds no session with a stored system prompt."
    return SessionsFound(sessions, problem)


def _columns(connection: sqlite3.Connection) -> frozenset[str]:
    """The columns of the table `sessions`; none where that name is a view, which may compute anything."""
    kind = connection.execute("SELECT type FROM sqlite_master WHERE name = 'sessions'").fetchone()
    if kind is None or kind[0] != "table":
        return frozenset()
    return frozenset(row[1] for row in connection.execute("PRAGMA table_info(sessions)"))


def _sessions(
    connection: sqlite3.Connection, row_ids: list[int], columns: frozenset[str]
) -> Iterator[SessionPrompt]:
    """One query a session: only one prompt is in memory at a time, and a giant one costs only itself."""
    others = [name if name in columns else f"NULL AS {name}" for name in _OTHERS]
    query = "SELECT id, started_at, {}, {} FROM sessions WHERE rowid = ?"
    for row_id in row_ids:
        try:
            row = connection.execute(query.format(", ".join(others), "system_prompt"), (row_id,)).fetchone()
            problem = ""
        except sqlite3.DataError:  # longer than MAX_VALUE_BYTES
            row = connection.execute(query.format(", ".join(others), "NULL"), (row_id,)).fetchone()
            problem = f"Its prompt is longer than {MAX_VALUE_BYTES:,} bytes and was not read."
        if row is not None:
            yield _session(row, problem)


def _session(row: tuple[Any, ...], problem: str) -> SessionPrompt:
    session_id, started_at, source, title, model, ended_at, prompt = row
    blocks = split_prompt_block(prompt) if isinstance(prompt, str) else {}
    if not blocks and not problem:
        problem = "Its prompt holds no memory block."
    return SessionPrompt(
        id=_label(session_id),
        source=_label(source),
        title=_label(title),
        model=_label(model),
        started_at=_seconds(started_at) or 0.0,
        ended_at=_seconds(ended_at),
        blocks=MappingProxyType(blocks),
        problem=problem,
    )


def _label(value: object) -> str:
    if isinstance(value, bytes):
        value = value[: 4 * MAX_LABEL_CHARS].decode("utf-8", "replace")
    return "" if value is None else str(value)[:MAX_LABEL_CHARS]


def _seconds(value: object) -> float | None:
    """A time as Unix seconds; None for what is no finite number."""
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    return None
