"""A history that is damaged, locked, full, unwritable or in the way: said in words, never an exception."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.core.change import Step
from memtui.core.errors import Unreadable
from memtui.disk.history import History, Version, Write

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

KEY = "/home/ada/.hermes/memories/MEMORY.md"


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder / "history.db"


def fill(db_path: Path, count: int = 40) -> None:
    history = History.open(db_path)
    for number in range(count):
        assert history.record(KEY, random.Random(number).randbytes(3000), "outside", "seen", float(number))
    history.close()


def raw_or_refusal(version: Version) -> bytes:
    """The bytes, b"" for a version that says that it is damaged."""
    try:
        return version.raw
    except Unreadable:
        return b""


def use(history: History) -> bool:
    """Do everything once; True when the version was kept. Nothing of it may raise."""
    was_kept = history.record(KEY, b"text", "outside", "seen", 1.0)
    write_id = history.record_write(KEY, Write(b"text", b"next", "memtui", "Changed", 2.0, "batch"))
    if write_id is not None:
        history.confirm(write_id)
    history.confirm(10**9)
    history.abandon(10**9)
    history.remember_whole(KEY, ["text"])
    history.written_whole(KEY, "text")
    for version in history.versions(KEY):
        history.version(version.id)
        raw_or_refusal(version)
    history.next_undo(KEY, b"text")
    history.next_redo(KEY)
    history.close()
    assert (write_id is not None) == was_kept
    return was_kept


def overwrite_all(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def overwrite_the_middle(path: Path) -> None:
    raw_bytes = bytearray(path.read_bytes())
    raw_bytes[4096:60_000] = random.Random(2).randbytes(60_000 - 4096)
    path.write_bytes(raw_bytes)


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 - 100)


def cut_short(path: Path) -> None:
    os.truncate(path, 50)


@pytest.mark.parametrize("damage", [overwrite_all, overwrite_the_middle, cut_in_half, cut_short])
def test_a_damaged_database_is_moved_aside_and_a_new_one_begun(db_path: Path, damage: Callable[[Path], None]) -> None:
    fill(db_path)
    damage(db_path)
    damaged = db_path.read_bytes()

    history = History.open(db_path)
    was_kept = use(history)

    assert was_kept
    (aside,) = db_path.parent.glob("history.db.damaged-*")
    assert aside.read_bytes() == damaged
    assert str(aside) in history.problem
    assert "new one was begun" in history.problem
    assert [version.raw for version in History.open(db_path).versions(KEY)] == [b"next", b"text"]


def test_an_empty_file_becomes_a_database(db_path: Path) -> None:
    db_path.touch()

    history = History.open(db_path)

    assert use(history)
    assert history.problem == ""


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bytes_never_raise_and_never_give_wrong_bytes(db_path: Path, seed: int) -> None:
    fill(db_path)
    contents = {random.Random(number).randbytes(3000) for number in range(40)} | {b"text", b"next"}
    chosen = random.Random(seed)
    raw_bytes = bytearray(db_path.read_bytes())
    for _ in range(chosen.choice([1, 20, 400])):
        raw_bytes[chosen.randrange(len(raw_bytes))] ^= 1 << chosen.randrange(8)
    db_path.write_bytes(raw_bytes)

    history = History.open(db_path)
    for version in history.versions(KEY):
        assert raw_or_refusal(version) in contents | {b""}
    use(history)
    assert history.purging.text(KEY, "text") >= 0
    history.purging.versions()


def test_two_damaged_databases_in_one_second_are_both_kept(db_path: Path) -> None:
    for number in range(2):
        db_path.write_bytes(b"no database %d" % number * 100)
        assert use(History.open(db_path))
        History.open(db_path).close()

    aside = sorted(db_path.parent.glob("history.db.damaged-*"))
    assert [path.read_bytes()[:13] for path in aside] == [b"no database 0", b"no database 1"]


def test_a_database_of_another_program_is_left_as_it_is(db_path: Path) -> None:
    connection = sqlite3.connect(db_path)
    connection.execute("CREATE TABLE notes (text)")
    connection.execute("PRAGMA user_version=99")
    connection.close()

    history = History.open(db_path)

    assert not use(history)
    assert "newer memtui" in history.problem


def test_a_folder_in_the_way_is_named(db_path: Path) -> None:
    db_path.mkdir()

    history = History.open(db_path)

    assert not use(history)
    assert str(db_path) in history.problem


def test_a_link_is_not_followed(db_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    db_path.symlink_to(target)

    history = History.open(db_path)

    assert not use(history)
    assert "link" in history.problem
    assert not target.exists()


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")

    history = History.open(tmp_path / "state" / "memtui" / "history.db")

    assert not use(history)
    assert "state" in history.problem


def test_a_database_locked_by_another_process_is_waited_for_two_seconds(db_path: Path) -> None:
    fill(db_path, 1)
    history = History.open(db_path)
    with other_process_holds(db_path):
        began = time.monotonic()
        assert not history.record(KEY, b"text", "outside", "seen", 1.0)
        waited_s = time.monotonic() - began
        assert "locked by another program" in history.problem
        assert len(history.versions(KEY)) == 1

    assert 1.5 < waited_s < 6
    assert history.record(KEY, b"text", "outside", "seen", 1.0)
    assert history.problem == ""


def test_a_locked_database_is_waited_for_once_not_at_every_question(db_path: Path) -> None:
    fill(db_path, 1)
    history = History.open(db_path)
    with other_process_holds(db_path):
        assert not history.record(KEY, b"text", "outside", "seen", 1.0)
        began = time.monotonic()
        assert not any(history.record(KEY, b"text %d" % number, "outside", "seen", 1.0) for number in range(20))
        waited_s = time.monotonic() - began

    assert waited_s < 2.0
    assert history.record(KEY, b"text", "outside", "seen", 1.0)


class other_process_holds:
    """Another process has a write transaction open."""

    def __init__(self, db_path: Path) -> None:
        script = (
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
            "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
        )
        self.arguments = [sys.executable, "-c", script, str(db_path)]

    def __enter__(self) -> None:
        self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"held\n"

    def __exit__(self, *raised: object) -> None:
        self.process.communicate(b"")


def test_a_database_that_was_removed_meanwhile_is_begun_anew(db_path: Path) -> None:
    history = History.open(db_path)
    history.record(KEY, b"one", "outside", "seen", 1.0)

    shutil.rmtree(db_path.parent)
    assert history.versions(KEY) == []
    assert history.record(KEY, b"two", "outside", "seen", 2.0)

    assert [version.raw for version in History.open(db_path).versions(KEY)] == [b"two"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter: those of pytest are closed to all others."""
    folder = Path(tempfile.mkdtemp(prefix="memtui-test-"))
    yield folder
    for place in (folder, *folder.rglob("*")):
        if place.is_dir():
            place.chmod(0o700)
    shutil.rmtree(folder)


def as_nobody(work: Callable[[], object]) -> int:
    """Run in a child without the rights of root; 0 when it went through."""
    child = os.fork()
    if not child:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(os.name == "nt", reason="needs fork")
def test_a_history_that_may_only_be_read_is_read(open_folder: Path) -> None:
    db_path = open_folder / "history.db"
    fill(db_path, 3)
    db_path.chmod(0o444)
    open_folder.chmod(0o555)

    def look() -> None:
        history = History.open(db_path)
        assert len(history.versions(KEY)) == 3
        assert len(history.versions(KEY)[0].raw) == 3000
        assert not history.record(KEY, b"text", "outside", "seen", 1.0)
        assert "cannot be written" in history.problem
        assert len(history.versions(KEY)) == 3

    assert as_nobody(look) == 0


@pytest.mark.skipif(os.name == "nt", reason="needs fork")
def test_a_history_that_may_not_be_read_is_said(open_folder: Path) -> None:
    db_path = open_folder / "history.db"
    fill(db_path, 3)
    db_path.chmod(0o000)
    open_folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(db_path, 0, 0)

    def look() -> None:
        history = History.open(db_path)
        assert history.versions(KEY) == []
        assert not use(history)
        assert str(db_path) in history.problem

    assert as_nobody(look) == 0


FULL_DISK = """
import random, sys
from pathlib import Path
from memtui.disk.history import History
db_path = Path(sys.argv[1]) / "history.db"
history = History.open(db_path)
kept = 0
while history.record("file", random.Random(kept).randbytes(9000), "outside", "seen", 1.0):
    kept += 1
assert kept > 3, history.problem
assert "full" in history.problem or "disk I/O error" in history.problem, history.problem
assert len(history.versions("file")) == kept
history.close()
again = History.open(db_path)
assert [version.raw for version in again.versions("file")] == [
    random.Random(number).randbytes(9000) for number in reversed(range(kept))
]
assert not list(db_path.parent.glob("*damaged*"))
"""


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    mount = f'mount -t tmpfs -o size=400k tmpfs "{tmp_path}" && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", mount, "sh"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root on Linux only")

    found = subprocess.run([*command, sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True)

    assert found.returncode == 0, found.stderr


NONSENSE = ["'x'", "x'00ff'", "-1", "1e300", "NULL", "9223372036854775807", "CAST(x'31e9' AS TEXT)"]
COLUMNS = {
    "versions": ["when_s", "summary", "source", "blob_id", "stored_bytes", "is_certain"],
    "blobs": ["sha256", "uses", "size_bytes", "base_id", "head_bytes", "tail_bytes", "depth", "is_zlib", "packed"],
    "changes": ["when_s", "source", "action", "steps", "before_version", "is_undone"],
    "files": ["key", "version_count", "stored_bytes"],
}


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
def test_a_column_that_holds_nonsense_is_a_problem_in_words(db_path: Path, table: str, column: str) -> None:
    fill(db_path, 3)
    use(History.open(db_path))
    History.open(db_path).close()
    whole = db_path.read_bytes()
    for value in NONSENSE:
        for beside in db_path.parent.iterdir():
            beside.unlink()
        db_path.write_bytes(whole)
        connection = sqlite3.connect(db_path, isolation_level=None)
        with contextlib.suppress(sqlite3.Error):  # what the column does not take it cannot come to hold
            connection.execute(f"UPDATE {table} SET {column} = {value}")
        connection.close()

        history = History.open(db_path)
        assert history.record(KEY, b"new", "outside", "seen", 9.0) or history.problem
        use(history)
        for version in history.versions(KEY):
            assert isinstance(version.when, float)
            assert isinstance(version.summary, str)
        history.close()


def test_a_content_that_rests_on_itself_is_refused_soon(db_path: Path) -> None:
    fill(db_path, 1)
    connection = sqlite3.connect(db_path, isolation_level=None)
    connection.execute("UPDATE blobs SET base_id = id")
    connection.close()

    (version,) = History.open(db_path).versions(KEY)

    with pytest.raises(Unreadable, match="damaged"):
        _ = version.raw


def test_steps_that_are_not_as_they_were_written_are_not_made(db_path: Path) -> None:
    history = History.open(db_path)
    steps = (Step("Alpha", "Beta", 0),)
    write_id = history.record_write(KEY, Write(b"Alpha", b"Beta", "memtui", "Changed", 1.0, "replace", steps))
    assert write_id is not None
    history.confirm(write_id)
    history.close()
    connection = sqlite3.connect(db_path, isolation_level=None)
    connection.execute("UPDATE changes SET steps = replace(steps, 'Alpha', CAST(x'416ce97068' AS TEXT))")
    connection.close()

    damaged = History.open(db_path)

    assert damaged.next_undo(KEY) is None
    assert "steps of a change are damaged" in damaged.problem


def test_a_schema_that_is_no_text_is_moved_aside(db_path: Path) -> None:
    fill(db_path, 1)
    raw_bytes = db_path.read_bytes()
    assert raw_bytes.count(b"CREATE TABLE files") == 1
    db_path.write_bytes(raw_bytes.replace(b"CREATE TABLE files", b"CREATE TABLE \xff\xfe\xfd\xfc("))

    history = History.open(db_path)

    assert history.record(KEY, b"text", "outside", "seen", 1.0)
    assert "It is kept as" in history.problem


def test_a_content_that_the_disk_damaged_is_stored_anew_before_it_leaves_the_file(db_path: Path) -> None:
    history = History.open(db_path)
    history.record(KEY, b"Alpha fact", "outside", "seen", 1.0)
    history.record(KEY, b"Late note", "displaced", "displaced", 2.0)
    history.close()
    with contextlib.closing(sqlite3.connect(db_path, isolation_level=None)) as connection:
        connection.execute("UPDATE blobs SET packed = x'00'")
    history = History.open(db_path)

    assert history.record_write(KEY, Write(b"Alpha fact", b"Beta", "memtui", "Changed", 3.0, "replace")) is not None
    assert history.record(KEY, b"Late note", "backup", "backup MEMORY.md.bak.4", 4.0)

    assert {version.raw for version in history.versions(KEY)} == {b"Alpha fact", b"Late note", b"Beta"}
