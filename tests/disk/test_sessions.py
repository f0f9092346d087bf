"""Stored prompts of running sessions: read right beside a live writer, with nothing left beside the file."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memtui.core.snapshot import agent_block
from memtui.disk import foreign_db
from memtui.disk.sessions import MAX_LABEL_CHARS, SessionsFound, read_sessions

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, system_prompt TEXT,
    started_at REAL NOT NULL, ended_at REAL, title TEXT
);
CREATE INDEX newest ON sessions(started_at DESC);
"""
"""The columns that matter, in the order and with the types of Hermes Agent's table."""


def prompt_of(memory: str = "", user: str = "") -> str:
    """A system prompt as Hermes builds it: other parts before and after the memory blocks."""
    blocks = [agent_block("memory", memory.encode(), 2200), agent_block("user", user.encode(), 1375)]
    return "\n\n".join(part for part in ("You are an agent.", *blocks, "Today is Monday.") if part)


def add_session(
    connection: sqlite3.Connection, name: str, started_at: object, prompt: object, **others: object
) -> None:
    values = {"id": name, "started_at": started_at, "system_prompt": prompt, "source": "cli", **others}
    places = ", ".join(f":{column}" for column in values)
    connection.execute(f"INSERT INTO sessions ({', '.join(values)}) VALUES ({places})", values)


def make_database(path: Path, journal_mode: str = "delete") -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA journal_mode = {journal_mode}")
    connection.executescript(SCHEMA)
    return connection


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Fails when a name, a byte, a mode or a time of change in the folder is another afterwards."""

    def look() -> dict[str, tuple[bytes, int, int]]:
        return {p.name: (p.read_bytes(), p.stat().st_mode, p.stat().st_mtime_ns) for p in folder.iterdir()}

    before = look()
    yield
    assert look() == before


def names(found: SessionsFound) -> list[str]:
    return [session.id for session in found.sessions]


# ------------------------------------------------------------------------------------------- what is read


def test_a_home_without_a_record_has_no_sessions_and_no_problem(home: Path) -> None:
    assert read_sessions(home) == SessionsFound()


def test_the_blocks_of_a_stored_prompt_are_its_entries(home: Path) -> None:
    with closing(make_database(home / "state.db")) as connection:
        prompt = prompt_of("Uses uv\n§\nTwo\nlines", "Likes tea")
        add_session(connection, "s1", 100.5, prompt, title="Chores", model="model-x", ended_at=200)

    with untouched(home):
        (session,) = read_sessions(home).sessions

    assert (session.id, session.source, session.title, session.model) == ("s1", "cli", "Chores", "model-x")
    assert (session.started_at, session.ended_at, session.problem) == (100.5, 200.0, "")
    assert session.blocks == {"memory": ("Uses uv", "Two\nlines"), "user": ("Likes tea",)}


def test_the_newest_sessions_come_first_and_no_more_than_asked_for(home: Path) -> None:
    with closing(make_database(home / "state.db")) as connection:
        for started_at in (3, 1, 5, 2, 4):
            add_session(connection, f"s{started_at}", started_at, prompt_of("A"))

    assert names(read_sessions(home, limit=3)) == ["s5", "s4", "s3"]
    assert names(read_sessions(home, limit=0)) == []
    assert len(read_sessions(home, limit=10**9).sessions) == 5


def test_a_session_without_a_prompt_is_left_out_and_one_without_a_block_says_so(home: Path) -> None:
    with closing(make_database(home / "state.db")) as connection:
        add_session(connection, "no-prompt", 2, None)
        add_session(connection, "no-block", 1, "You are an agent.")

    (session,) = read_sessions(home).sessions

    assert (session.id, dict(session.blocks), session.problem) == (
        "no-block",
        {},
        "Its prompt holds no memory block.",
    )


def test_a_record_without_any_prompt_says_so(home: Path) -> None:
    make_database(home / "state.db").close()

    found = read_sessions(home)

    assert found == SessionsFound((), "state.db holds no session with a stored system prompt.")


def test_columns_that_are_not_needed_may_be_missing(home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection:
        connection.execute("CREATE TABLE sessions (system_prompt TEXT, started_at REAL, id TEXT)")
        connection.execute("INSERT INTO sessions VALUES (?, 7, 's1')", (prompt_of("A"),))
        connection.commit()

    (session,) = read_sessions(home).sessions

    assert (session.id, session.source, session.started_at) == ("s1", "", 7.0)
    assert session.blocks == {"memory": ("A",)}


def test_a_home_behind_a_link_and_with_odd_signs_in_its_path_is_read(tmp_path: Path) -> None:
    real = tmp_path / "it's 100% odd?mode=rwc#é"
    real.mkdir()
    with closing(make_database(real / "state.db")) as connection:
        add_session(connection, "s1", 1, prompt_of("A"))
    (tmp_path / "link").symlink_to(real)

    assert names(read_sessions(tmp_path / "link")) == ["s1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's 100% odd?mode=rwc#é", "link"]


# ------------------------------------------------------------------------------------------ write-ahead log


def test_frames_that_no_checkpoint_has_written_back_are_seen_beside_a_live_process(home: Path) -> None:
    script = f"""
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = wal")
connection.executescript({SCHEMA!r})
connection.execute("INSERT INTO sessions (id, source, started_at, system_prompt) VALUES ('s1', 'cli', 1, ?)",
                   (sys.argv[2],))
print("ready", flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", script, str(home / "state.db"), prompt_of("Only in the log")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        assert agent.stdin
        assert agent.stdout
        agent.stdout.readline()
        assert b"Only in the log" not in (home / "state.db").read_bytes()

        with untouched(home):
            (session,) = read_sessions(home).sessions
        agent.stdin.close()

    assert session.blocks == {"memory": ("Only in the log",)}
    assert [path.name for path in home.iterdir()] == ["state.db"]


def test_a_writer_in_another_process_is_never_in_the_way_and_never_hindered(home: Path) -> None:
    make_database(home / "state.db", "wal").close()
    script = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
connection.execute("PRAGMA wal_autocheckpoint = 5")
prompt = sys.stdin.read()
for number in range(100_000):
    connection.execute("INSERT INTO sessions (id, source, started_at, system_prompt) VALUES (?, 'cli', ?, ?)",
                       (f"s{number}", number, prompt))
    if number % 50 == 0:
        print(number, flush=True)
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
"""
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(home / "state.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert writer.stdin
    assert writer.stdout
    writer.stdin.write(prompt_of("Alpha\n§\nBeta"))
    writer.stdin.close()
    try:
        writer.stdout.readline()
        newest = []
        for _ in range(60):
            found = read_sessions(home, limit=5)
            assert found.problem == ""
            assert all(session.blocks == {"memory": ("Alpha", "Beta")} for session in found.sessions)
            newest.append(found.sessions[0].started_at)
        assert writer.poll() is None, writer.stderr and writer.stderr.read()
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
        assert writer.stderr
        writer.stderr.close()

    assert newest == sorted(newest)
    assert newest[-1] > newest[0]


def test_a_copied_folder_without_shared_memory_is_read_with_its_log(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("Only in the log"))
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("*-shm"))

    with untouched(copy):
        found = read_sessions(copy)

    assert found.sessions[0].blocks == {"memory": ("Only in the log",)}


def test_a_copied_folder_with_shared_memory_is_read_with_its_log(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("Only in the log"))
        shutil.copytree(home, copy)

    with untouched(copy):
        found = read_sessions(copy)

    assert found.sessions[0].blocks == {"memory": ("Only in the log",)}


def test_a_closed_database_in_wal_mode_is_read_without_making_a_log(home: Path) -> None:
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
    assert [path.name for path in home.iterdir()] == ["state.db"]

    with untouched(home):
        assert names(read_sessions(home)) == ["s1"]


def test_a_log_that_was_left_behind_by_a_killed_agent_is_read_and_left(home: Path) -> None:
    script = f"""
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = wal")
connection.executescript({SCHEMA!r})
connection.execute("INSERT INTO sessions (id, source, started_at, system_prompt) VALUES ('s1', 'cli', 1, ?)",
                   (sys.argv[2],))
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script, str(home / "state.db"), prompt_of("Survived")], check=False)
    assert (home / "state.db-wal").stat().st_size > 0

    with untouched(home):
        found = read_sessions(home)

    assert found.sessions[0].blocks == {"memory": ("Survived",)}


def test_a_torn_log_gives_what_was_committed_before_the_tear(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("Whole"))
        add_session(writer, "s2", 2, prompt_of("Torn"))
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("*-shm"))
    log = copy / "state.db-wal"
    log.write_bytes(log.read_bytes()[:-1000])

    assert names(read_sessions(copy)) == ["s1"]


def test_the_private_copy_is_for_its_owner_alone_and_gone_afterwards(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
        shutil.copytree(home, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(foreign_db.tempfile, "tempdir", str(scratch))
    seen: list[tuple[int, int]] = []

    def read(connection: sqlite3.Connection) -> None:
        (folder,) = scratch.iterdir()
        count = connection.execute("SELECT count(*) FROM sessions").fetchone()[0]
        seen.append((folder.stat().st_mode & 0o777, count))

    foreign_db.read_database(tmp_path / "copy" / "state.db", read)

    assert seen == [(0o700, 1)]
    assert list(scratch.iterdir()) == []


def test_a_file_that_changes_under_an_unguarded_read_is_read_again(home: Path) -> None:
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
    looks: list[int] = []

    def read(connection: sqlite3.Connection) -> int:
        looks.append(connection.execute("SELECT count(*) FROM sessions").fetchone()[0])
        if len(looks) == 1:
            with closing(sqlite3.connect(home / "state.db", isolation_level=None)) as writer:
                add_session(writer, "s2", 2, prompt_of("B"))
        return looks[-1]

    assert foreign_db.read_database(home / "state.db", read) == 2
    assert looks == [1, 2]


# ------------------------------------------------------------------------------------------------- locked


def test_a_locked_database_is_a_problem_in_words_and_soon(home: Path) -> None:
    with closing(make_database(home / "state.db")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
        writer.execute("BEGIN EXCLUSIVE")
        started_s = time.monotonic()

        with untouched(home):
            found = read_sessions(home)

        assert time.monotonic() - started_s < 2
        assert found.sessions == ()
        assert "another program has locked it" in found.problem
        writer.execute("ROLLBACK")
        assert names(read_sessions(home)) == ["s1"]


def test_a_lock_that_is_soon_released_is_waited_for(home: Path) -> None:
    with closing(make_database(home / "state.db")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
        writer.execute("BEGIN EXCLUSIVE")
        release = threading.Timer(0.08, lambda: writer.execute("COMMIT"))
        release.start()

        found = read_sessions(home)
        release.join()

    assert names(found) == ["s1"]


def test_a_writer_with_an_open_transaction_is_no_obstacle_in_wal_mode(home: Path) -> None:
    with closing(make_database(home / "state.db", "wal")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
        writer.execute("BEGIN IMMEDIATE")
        add_session(writer, "not-committed", 2, prompt_of("B"))

        assert names(read_sessions(home)) == ["s1"]
        writer.execute("COMMIT")
        assert names(read_sessions(home)) == ["not-committed", "s1"]


def test_no_lock_is_left_when_the_read_is_over(home: Path) -> None:
    with closing(make_database(home / "state.db")) as writer:
        add_session(writer, "s1", 1, prompt_of("A"))
        read_sessions(home)

        writer.execute("PRAGMA busy_timeout = 0")
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("COMMIT")


def test_an_unfinished_write_of_a_killed_agent_is_not_played_back(home: Path) -> None:
    script = f"""
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.executescript({SCHEMA!r})
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.executemany("INSERT INTO sessions (id, source, started_at, system_prompt) VALUES (?, 'cli', 1, ?)",
                       ((str(number), "x" * 5000) for number in range(100)))
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script, str(home / "state.db")], check=False)
    assert (home / "state.db-journal").exists()

    with untouched(home):
        found = read_sessions(home)

    assert "unfinished write" in found.problem


# ---------------------------------------------------------------------------------- what is no such database


def _folder(path: Path) -> None:
    path.mkdir()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _dead_link(path: Path) -> None:
    path.symlink_to("gone.db")


def _loop(path: Path) -> None:
    path.symlink_to("state.db")


def _empty(path: Path) -> None:
    path.touch()


def _empty_with_log(path: Path) -> None:
    path.touch()
    path.with_name("state.db-wal").write_bytes(b"left behind")


def _text(path: Path) -> None:
    path.write_text("this is a note, not a database\n" * 100)


def _short(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def _cut(path: Path) -> None:
    with closing(make_database(path)) as connection:
        for number in range(50):
            add_session(connection, f"s{number}", number, prompt_of("A" * 2000))
    path.write_bytes(path.read_bytes()[:6000])


def _scrambled(path: Path) -> None:
    with closing(make_database(path)) as connection:
        for number in range(50):
            add_session(connection, f"s{number}", number, prompt_of("A" * 2000))
    raw = bytearray(path.read_bytes())
    raw[100:] = bytes((byte * 7 + at) % 256 for at, byte in enumerate(raw[100:]))
    path.write_bytes(raw)


def _log_is_a_pipe(path: Path) -> None:
    make_database(path, "wal").close()
    os.mkfifo(path.with_name("state.db-wal"))


def _log_is_endless(path: Path) -> None:
    make_database(path, "wal").close()
    path.with_name("state.db-wal").symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (_folder, "it is a folder"),
        (_fifo, "it is a named pipe"),
        (_dead_link, "cannot be read"),
        (_loop, "cannot be read"),
        (_empty, "it is empty"),
        (_empty_with_log, "it is empty"),
        (_text, "not an SQLite database"),
        (_short, "cannot be read"),
        (_cut, "it is damaged"),
        (_scrambled, "it is damaged"),
        (_log_is_a_pipe, "state.db-wal cannot be read: it is a named pipe"),
        (_log_is_endless, "state.db-wal cannot be read: it is a device"),
    ],
)
def test_what_is_no_readable_database_is_a_problem_in_words(
    home: Path, build: Callable[[Path], None], words: str
) -> None:
    build(home / "state.db")
    before = sorted(path.name for path in home.iterdir())

    found = read_sessions(home)

    assert found.sessions == ()
    assert words in found.problem
    assert str(home / "state.db") in found.problem
    assert sorted(path.name for path in home.iterdir()) == before


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE bookmarks (id TEXT)",
        "CREATE TABLE sessions (key TEXT, value TEXT)",
        "CREATE VIEW sessions AS SELECT 1 AS id, 2 AS started_at, 3 AS system_prompt",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at REAL, system_prompt TEXT) WITHOUT ROWID",
    ],
)
def test_another_programs_database_is_a_problem_in_words(home: Path, schema: str) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection:
        connection.execute(schema)
        connection.commit()

    found = read_sessions(home)

    assert found.sessions == ()
    assert found.problem


def test_a_schema_that_computes_for_ever_is_stopped(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_db, "DEADLINE_S", 0.2)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with closing(make_database(home / "state.db")) as connection:
        add_session(connection, "s1", 1, prompt_of("A"))
    started_s = time.monotonic()

    with pytest.raises(foreign_db.Unreadable, match="takes longer than"):
        foreign_db.read_database(home / "state.db", lambda connection: connection.execute(endless).fetchall())

    assert time.monotonic() - started_s < 5


# ------------------------------------------------------------------------------------------ hostile values


def test_values_of_any_type_become_values_of_the_right_type(home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection:
        connection.execute(
            "CREATE TABLE sessions (id, source, title, model, started_at, ended_at, system_prompt)"
        )
        rows = [
            (b"\xff\x00id", 3, None, 2.5, "yesterday", "soon", b"blob"),
            ("\x1b]0;t\x07", "x" * 5000, "[bold]", "‮evil", float("inf"), float("-inf"), 12),
            (None, None, None, None, None, None, prompt_of("A")),
            (1, 2, 3, 4, -5, 2**62, prompt_of("B")),
        ]
        connection.executemany("INSERT INTO sessions VALUES (?,?,?,?,?,?,?)", rows)
        connection.commit()

    found = read_sessions(home)

    assert len(found.sessions) == 4
    for session in found.sessions:
        labels = (session.id, session.source, session.title, session.model)
        assert all(isinstance(label, str) and len(label) <= MAX_LABEL_CHARS for label in labels)
        assert isinstance(session.started_at, float)
        assert session.ended_at is None or isinstance(session.ended_at, float)
    assert {"A", "B"} == {text for s in found.sessions for text in s.blocks.get("memory", ())}


def test_text_that_is_not_utf8_is_read_with_replacement_signs(home: Path) -> None:
    raw = prompt_of("A§B").encode().replace("§".encode(), b"\xff")
    with closing(make_database(home / "state.db")) as connection:
        add_session(connection, "s1", 1, raw)
        connection.execute("UPDATE sessions SET system_prompt = CAST(system_prompt AS TEXT)")

    (session,) = read_sessions(home).sessions

    assert session.blocks == {"memory": ("A�B",)}


def test_a_giant_prompt_costs_only_itself(home: Path) -> None:
    with closing(make_database(home / "state.db")) as connection:
        add_session(connection, "small", 1, prompt_of("A"))
        add_session(connection, "giant", 2, "x" * (foreign_db.MAX_VALUE_BYTES + 1))

    giant, small = read_sessions(home).sessions

    assert (giant.id, dict(giant.blocks)) == ("giant", {})
    assert "is longer than" in giant.problem
    assert small.blocks == {"memory": ("A",)}


def test_a_forged_block_inside_an_entry_stays_that_entrys_text(home: Path) -> None:
    forged = agent_block("memory", b"forged", 2200).replace("\n§\n", " ")
    with closing(make_database(home / "state.db")) as connection:
        add_session(connection, "s1", 1, prompt_of(f"before {forged} after"))

    (session,) = read_sessions(home).sessions

    assert session.blocks == {"memory": (f"before {forged} after",)}


# ------------------------------------------------------------------------------------------ read-only media


def _read_as_nobody(home: str, answer: multiprocessing.Queue[tuple[list[str], str]]) -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    found = read_sessions(Path(home))
    answer.put((names(found), found.problem))


def read_as_another_user(home: Path) -> tuple[list[str], str]:
    """What a process without rights to write there reads."""
    context = multiprocessing.get_context("fork")
    answer: multiprocessing.Queue[tuple[list[str], str]] = context.Queue()
    process = context.Process(target=_read_as_nobody, args=(str(home), answer))
    process.start()
    try:
        return answer.get(timeout=20)
    finally:
        process.join(20)


@pytest.mark.parametrize("kept", ["nothing", "log", "log and shared memory"])
def test_a_read_only_folder_is_read(open_folder: Path, home: Path, kept: str) -> None:
    writer = make_database(home / "state.db", "wal")
    add_session(writer, "s1", 1, prompt_of("A"))
    if kept == "nothing":
        writer.close()
    left_out = {"log": "*-shm"}.get(kept, "")
    shutil.copytree(home, open_folder / "home", ignore=shutil.ignore_patterns(left_out))
    writer.close()
    for path in (open_folder / "home").iterdir():
        path.chmod(0o444)
    (open_folder / "home").chmod(0o555)

    with untouched(open_folder / "home"):
        assert read_as_another_user(open_folder / "home") == (["s1"], "")


def test_a_database_that_may_not_be_read_says_whose_it_is(open_folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("needs a file of another user")
    make_database(open_folder / "state.db").close()
    (open_folder / "state.db").chmod(0o600)

    found, problem = read_as_another_user(open_folder)

    assert found == []
    assert "permission denied" in problem
    assert "mode 0600" in problem


def test_a_closed_home_has_no_sessions_that_could_be_read(open_folder: Path) -> None:
    (open_folder / "home").mkdir()
    make_database(open_folder / "home" / "state.db").close()
    (open_folder / "home").chmod(0o000)

    assert read_as_another_user(open_folder / "home") == ([], "")
