"""Several processes, forks and kills: what was acknowledged is there, and the database is sound."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memtui.core.change import Step
from memtui.disk import history_db
from memtui.disk.history import Bounds, History, Write

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="needs fork and signals"),
    # Python 3.12 and later warn of what is tested here: forks of a process with threads.
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]

KEY = "/home/ada/.hermes/memories/MEMORY.md"
KILLS = 240
BOUNDS = Bounds(max_versions=30)
"""Small, so that versions are also dropped while the writer is killed."""


def forked(work: Callable[[], object]) -> int:
    """Start a child that does `work` and ends; its process id."""
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content(number: int) -> bytes:
    """Every third one is long enough to be kept as a difference."""
    filler = random.Random(number // 3).randbytes(20_000) if number % 3 else b""
    return b"version %d " % number + filler


def replace(path: Path, raw_bytes: bytes) -> None:
    temporary = path.with_suffix(".new")
    temporary.write_bytes(raw_bytes)
    os.replace(temporary, path)


def write_until_killed(db_path: Path, file: Path, first: int, acknowledge: Callable[[str], None]) -> None:
    """Write versions into the file as the store does, and say what is acknowledged as soon as it is."""
    history = History.open(db_path, BOUNDS)
    number = first
    while True:
        before, after = file.read_bytes(), content(number)
        steps = (Step(None, str(number), 0),)
        write_id = history.record_write(KEY, Write(before, after, "memtui", "Wrote", 1.0, "add", steps))
        assert write_id is not None, history.problem
        acknowledge(f"held {number}")
        replace(file, after)
        acknowledge(f"stands {number}")
        history.confirm(write_id)
        acknowledge(f"done {number}")
        if number % 7 == 3:
            seen = b"outside %d" % number
            replace(file, seen)
            assert history.record(KEY, seen, "outside", "seen", 1.0), history.problem
            acknowledge(f"seen {number}")
        number += 1


def kill_at_statement(count: int) -> Callable[[sqlite3.Connection], None]:
    """End the process when SQLite has done `count` steps of its machine, wherever that is."""

    def arm(connection: sqlite3.Connection) -> None:
        left = [count]

        def step() -> int:
            left[0] -= 1
            if left[0] <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return 0

        connection.set_progress_handler(step, 1)

    return arm


def armed(
    opened: Callable[[Path], sqlite3.Connection], arm: Callable[[sqlite3.Connection], None], path: Path
) -> sqlite3.Connection:
    connection = opened(path)
    arm(connection)
    return connection


def check(db_path: Path, file: Path, said: list[str]) -> None:
    """The database is sound, and holds what was acknowledged last and what stands."""
    history = History.open(db_path, BOUNDS)
    standing = file.read_bytes()
    logged = history.next_undo(KEY, standing)
    raws = [version.raw for version in history.versions(KEY)]
    assert history.problem == ""
    assert not list(db_path.parent.glob("*damaged*"))
    history.close()
    connection = sqlite3.connect(db_path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("SELECT count(*) FROM writes").fetchone() == (0,)
    connection.close()

    held = [int(word.split()[1]) for word in said if word.startswith("held")]
    seen = [int(word.split()[1]) for word in said if word.startswith("seen")]
    # The bounds keep thirty; of those acknowledged last, none may be missing.
    for number in held[-10:]:
        assert content(number) in raws
    for number in seen[-1:]:
        assert b"outside %d" % number in raws
    if standing.startswith(b"version"):
        assert standing in raws
        assert logged is not None
        assert content(int(logged.steps[0].after or "")) == standing


@pytest.mark.parametrize("way", ["at a moment", "at a step of the machine"])
def test_a_killed_writer_loses_nothing_that_was_acknowledged(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db_path, file = tmp_path / "history.db", tmp_path / "MEMORY.md"
    file.write_bytes(b"")
    chosen = random.Random(way)
    opened = history_db.opened_for_writing
    number = 1
    for _ in range(KILLS // 2):
        if way == "at a step of the machine":
            arm = kill_at_statement(chosen.randrange(1, 6000))
            monkeypatch.setattr(
                history_db,
                "opened_for_writing",
                partial(armed, opened, arm),
            )
        read_end, write_end = os.pipe()

        def acknowledge(word: str, pipe: int = write_end) -> None:
            os.write(pipe, word.encode() + b"\n")

        child = forked(partial(write_until_killed, db_path, file, number, acknowledge))
        os.close(write_end)
        if way == "at a moment":
            time.sleep(chosen.uniform(0.001, 0.03))
            os.kill(child, signal.SIGKILL)
        with os.fdopen(read_end) as pipe:
            said = pipe.read().splitlines()
        assert exit_code(child) == -signal.SIGKILL
        monkeypatch.setattr(history_db, "opened_for_writing", opened)

        check(db_path, file, said)
        number += len([word for word in said if word.startswith("held")]) + 1


def test_a_child_gets_a_connection_of_its_own(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    history.record(KEY, b"parent", "outside", "seen", 1.0)

    def record() -> None:
        assert history.record(KEY, b"child", "outside", "seen", 2.0), history.problem

    child = forked(record)
    assert exit_code(child) == 0
    assert history.record(KEY, b"parent again", "outside", "seen", 3.0)

    assert [version.raw for version in history.versions(KEY)] == [b"parent again", b"child", b"parent"]


def test_forks_amid_writing_threads_neither_hang_nor_lose(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    is_over = threading.Event()
    kept: list[bytes] = []

    def write_on() -> None:
        while not is_over.is_set():
            raw_bytes = b"thread %d" % len(kept)
            assert history.record("of the thread", raw_bytes, "outside", "seen", 1.0), history.problem
            kept.append(raw_bytes)

    thread = threading.Thread(target=write_on)
    thread.start()
    try:
        children = []
        for number in range(15):
            raw_bytes = b"child %d" % number
            children.append(forked(partial(use_in_child, history, raw_bytes)))
        codes = [exit_code(child) for child in children]
    finally:
        is_over.set()
        thread.join()

    assert codes == [0] * 15
    assert [version.raw for version in history.versions("of the thread")] == kept[::-1]
    assert {version.raw for version in history.versions(KEY)} == {b"child %d" % n for n in range(15)}


def use_in_child(history: History, raw_bytes: bytes) -> None:
    signal.alarm(30)
    assert history.record(KEY, raw_bytes, "outside", "seen", 1.0), history.problem


def test_a_child_that_python_did_not_make_leaves_the_parents_connection_alone(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    history.record(KEY, b"parent", "outside", "seen", 1.0)
    libc = ctypes.PyDLL(None)

    child = libc.fork()
    if not child:
        is_kept = history.record(KEY, b"child", "outside", "seen", 2.0)
        os._exit(0 if is_kept and len(history_db._inherited) == 1 else 1)
    assert exit_code(child) == 0
    assert history.record(KEY, b"parent again", "outside", "seen", 3.0)

    assert [version.raw for version in history.versions(KEY)] == [b"parent again", b"child", b"parent"]


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    db_path = tmp_path / "history.db"

    def record_many(number: int) -> None:
        history = History.open(db_path)
        for step in range(40):
            assert history.record(KEY, b"%d %d" % (number, step), "outside", "seen", 1.0), history.problem

    children = [forked(partial(record_many, number)) for number in range(4)]
    assert [exit_code(child) for child in children] == [0] * 4

    raws = {version.raw for version in History.open(db_path).versions(KEY)}
    assert raws == {b"%d %d" % (number, step) for number in range(4) for step in range(40)}


def fill(db_path: Path) -> None:
    history = History.open(db_path)
    for number in range(20):
        assert history.record(KEY, random.Random(number).randbytes(3000), "outside", "seen", 1.0)
    history.close()


def damage_pages(db_path: Path) -> None:
    """Keep the head of the file, so that it still opens, and spoil what follows."""
    fill(db_path)
    raw_bytes = db_path.read_bytes()
    db_path.write_bytes(raw_bytes[:4096] + random.Random(1).randbytes(len(raw_bytes) - 4096))


def damage_all(db_path: Path) -> None:
    db_path.write_bytes(b"no database " * 500)


@pytest.mark.parametrize("damage", [damage_pages, damage_all])
def test_processes_that_meet_a_damaged_database_move_it_aside_once(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    def record_some(db_path: Path, number: int) -> None:
        history = History.open(db_path)
        for step in range(5):
            assert history.record(f"file {number}", b"%d" % step, "outside", "seen", 1.0), history.problem

    for attempt in range(8):
        db_path = tmp_path / str(attempt) / "history.db"
        db_path.parent.mkdir()
        damage(db_path)
        children = [forked(partial(record_some, db_path, number)) for number in range(6)]
        assert [exit_code(child) for child in children] == [0] * 6

        aside = [path.name for path in db_path.parent.glob("history.db.damaged-*")]
        assert len([name for name in aside if not name.endswith(("-wal", "-shm"))]) == 1
        history = History.open(db_path)
        assert [len(history.versions(f"file {number}")) for number in range(6)] == [5] * 6
        assert history.problem == ""


def test_the_log_of_a_damaged_database_goes_aside_with_it(tmp_path: Path) -> None:
    db_path = tmp_path / "history.db"
    fill(db_path)

    def record_and_die() -> None:
        history = History.open(db_path)
        assert history.record(KEY, b"in the log", "outside", "seen", 1.0)
        os.kill(os.getpid(), signal.SIGKILL)

    assert exit_code(forked(record_and_die)) == -signal.SIGKILL
    log = db_path.with_name("history.db-wal").read_bytes()
    db_path.write_bytes(b"no database " * 500)

    history = History.open(db_path)
    assert history.record(KEY, b"text", "outside", "seen", 1.0)

    assert [version.raw for version in history.versions(KEY)] == [b"text"]
    (aside,) = tmp_path.glob("history.db.damaged-*-wal")
    assert aside.read_bytes() == log


def test_the_connection_is_closed_with_its_owner(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    history.record(KEY, b"text", "outside", "seen", 1.0)
    assert (tmp_path / "history.db-wal").exists()

    del history

    assert not (tmp_path / "history.db-wal").exists()
