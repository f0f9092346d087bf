"""Names and texts that others chose are safe to draw in every sentence that the disk layer gives."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from pathlib import Path

import pytest

from memtui.core.errors import WriteFailed
from memtui.disk.backups import delete_backup, list_backups
from memtui.disk.demo import make_demo
from memtui.disk.history import History

HOSTILE = "\x1b]0;owned\x07\u202e"


@pytest.mark.parametrize("is_file", [False, True])
def test_a_demo_that_cannot_be_made_there(tmp_path: Path, is_file: bool) -> None:
    folder = tmp_path / HOSTILE
    if is_file:
        folder.touch()
    else:
        (folder / "notes").mkdir(parents=True)

    with pytest.raises(WriteFailed) as refused:
        make_demo(folder, 1_764_500_000.0)

    assert str(refused.value).isprintable()


def test_what_is_said_of_a_backup_that_is_kept(path: Path, keep: list[tuple[bytes, str]]) -> None:
    path.with_name(f"MEMORY.md.bak.{HOSTILE}").write_bytes(b"Old")
    (backup,) = list_backups(path)

    delete_backup(backup, keep)  # type: ignore[arg-type]

    assert keep[0][1].isprintable()


def test_a_malformed_history_that_cannot_be_moved_aside(tmp_path: Path) -> None:
    db_path = tmp_path / "state" / "history.db"
    history = History.open(db_path)
    history.record("/home/ada/MEMORY.md", b"text", "outside", "seen", 1.0)
    history.close()
    with contextlib.closing(sqlite3.connect(db_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET name = ?, sql = 'CREATE TABLE' WHERE name = 'blobs'", (HOSTILE,))

    folder = os.open(db_path.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_SH)
    try:
        problem = History.open(db_path).problem
    finally:
        os.close(folder)

    assert "malformed" in problem
    assert problem.isprintable()
