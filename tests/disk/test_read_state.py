"""Looking at a file: whatever stands there, an answer in words and never an exception."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memtui.disk import files
from memtui.disk.files import identity_of, is_stale, read_state, write_obstacle

OLD_NS = 10**9
"""How much later than now a test asks, so that fresh files count as settled."""


def settle(path: Path) -> None:
    """Give the file an mtime that lies well back."""
    os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_file_is_read_with_mode_and_identity(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha\r\n")
    path.chmod(0o640)

    state = read_state(path)

    assert (state.exists, state.raw_bytes, state.mode, state.problem) == (True, b"Alpha\r\n", 0o640, "")
    assert state.identity == identity_of(path)


def test_a_missing_file_is_no_problem(tmp_path: Path) -> None:
    state = read_state(tmp_path / "no folder" / "MEMORY.md")

    assert (state.exists, state.raw_bytes, state.identity, state.problem) == (False, b"", None, "")


def make_folder(path: Path) -> None:
    path.mkdir()


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_dangling(path: Path) -> None:
    path.symlink_to("not mounted/MEMORY.md")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_folder, "is a folder, not a file"),
        (os.mkfifo, "is a named pipe, not a file"),
        (make_socket, "is a socket, not a file"),
        (make_loop, "links lead in a circle"),
        (make_dangling, "not mounted/MEMORY.md, which is not there"),
    ],
)
def test_what_is_no_file_is_named_and_not_opened(tmp_path: Path, make, words: str) -> None:
    path = tmp_path / "MEMORY.md"
    make(path)

    state = read_state(path)

    assert words in state.problem
    assert str(path) in state.problem
    assert "nothing was changed" not in state.problem.lower()
    assert (state.exists, state.raw_bytes) == (True, b"")


def test_a_named_pipe_with_a_writer_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    os.mkfifo(path)
    began = time.monotonic()

    read_state(path)

    assert time.monotonic() - began < 1
    with pytest.raises(OSError, match="ENXIO|No such device"):  # nobody has it open for reading
        os.open(path, os.O_WRONLY | os.O_NONBLOCK)


def test_a_device_is_not_read() -> None:
    assert "is a device" in read_state(Path("/dev/zero")).problem


class Waiting(io.FileIO):
    """Answers as a file opened without waiting does while it has nothing to give."""

    def read(self, size: int | None = -1) -> bytes | None:
        return None


def test_a_file_that_would_make_us_wait_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of real files only `/proc/kmsg` is one, and reading it takes the messages away from the system's log."""
    path = tmp_path / "MEMORY.md"
    path.write_text("Alpha")

    monkeypatch.setattr(files, "open", Waiting, raising=False)
    state = read_state(path)

    assert (state.exists, state.raw_bytes) == (True, b"")
    assert "MEMORY.md cannot be read: reading it would have to wait" in state.problem


def test_a_name_that_no_file_system_takes_is_told(tmp_path: Path) -> None:
    assert "too long" in read_state(tmp_path / ("x" * 300)).problem
    assert read_state(tmp_path / "a\0b").problem != ""


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "memories").write_text("x")

    assert "not a folder" in read_state(tmp_path / "memories" / "MEMORY.md").problem


def test_a_giant_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.touch()
    os.truncate(path, 1 << 40)

    state = read_state(path)

    assert "too large" in state.problem
    assert "1,099,511,627,776" in state.problem


def test_the_words_carry_no_escape_sequence_of_a_file_name(tmp_path: Path) -> None:
    path = tmp_path / "\x1b]0;x\x07"
    path.mkdir()

    assert "\x1b" not in read_state(path).problem


@pytest.mark.as_root("setpriv")
def test_an_unreadable_file_names_owner_and_mode(open_folder: Path, run_python) -> None:
    path = open_folder / "MEMORY.md"
    path.write_bytes(b"Alpha")
    path.chmod(0o600)

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.files import read_state\n"
        "state = read_state(Path(sys.argv[1])); print(state.exists, state.raw_bytes, state.problem)",
        path,
        uid=65534,
    )

    assert said.startswith("True b''")
    assert "permission denied" in said
    assert "Owner root (0), mode 0600" in said


@pytest.mark.as_root("setpriv")
def test_a_folder_that_cannot_be_searched_is_named(open_folder: Path, run_python) -> None:
    folder = open_folder / "memories"
    folder.mkdir(0o700)
    (folder / "MEMORY.md").write_bytes(b"Alpha")

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.files import read_state\n"
        "print(read_state(Path(sys.argv[1])).problem)",
        folder / "MEMORY.md",
        uid=65534,
    )

    assert f"Its folder {folder}" in said


@pytest.mark.as_root("strace")
def test_a_failing_disk_is_told(tmp_path: Path, run_python) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.files import read_state\n"
        "print(read_state(Path(sys.argv[1])).problem)",
        path,
        inject="read:error=EIO",
    )

    assert "input/output error" in said
    assert "Check the device" in said


def test_a_changed_file_is_stale_by_each_of_its_marks(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")
    settle(path)
    known = read_state(path).identity
    later_ns = time.time_ns() + OLD_NS
    assert not is_stale(known, path, later_ns)

    path.chmod(0o600)  # only the ctime moves
    assert is_stale(known, path, later_ns)

    known = read_state(path).identity
    path.write_bytes(b"Omega")  # only the times move
    settle(path)
    assert is_stale(known, path, later_ns)

    known = read_state(path).identity
    path.unlink()
    assert is_stale(known, path, later_ns)
    assert is_stale(None, path, later_ns) is False


def test_a_file_read_in_the_tick_of_its_write_stays_stale(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")

    known = read_state(path).identity

    assert is_stale(known, path, time.time_ns() + OLD_NS)


def test_a_young_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")
    known = identity_of(path)

    assert is_stale(known, path, os.stat(path).st_mtime_ns + 19_000_000)
    assert not is_stale(known, path, os.stat(path).st_mtime_ns + 20_000_000)


def test_nothing_stands_in_the_way_of_an_ordinary_file(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    assert write_obstacle(path) == ""
    assert write_obstacle(tmp_path / "not" / "yet" / "MEMORY.md") == ""

    path.write_bytes(b"Alpha")
    assert write_obstacle(path) == ""


def test_a_file_without_its_write_bit_is_named_even_for_root(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")
    path.chmod(0o444)

    assert "write-protected" in write_obstacle(path)
    assert "mode 0444" in write_obstacle(path)


def test_a_folder_or_a_dangling_link_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").mkdir()
    (tmp_path / "USER.md").symlink_to("gone/USER.md")
    (tmp_path / "memories").write_text("a file")

    assert "is a folder" in write_obstacle(tmp_path / "MEMORY.md")
    assert "which is not there" in write_obstacle(tmp_path / "USER.md")
    assert "cannot be written" in write_obstacle(tmp_path / "memories" / "MEMORY.md")


@pytest.mark.as_root("setpriv")
def test_a_foreign_file_and_a_closed_folder_are_named(open_folder: Path, run_python) -> None:
    open_folder.chmod(0o777)
    (open_folder / "MEMORY.md").write_bytes(b"Alpha")
    (open_folder / "closed").mkdir(0o755)
    code = (
        "import sys; from pathlib import Path; from memtui.disk.files import write_obstacle\n"
        "print(write_obstacle(Path(sys.argv[1])))"
    )

    foreign = run_python(code, open_folder / "MEMORY.md", uid=65534)
    closed = run_python(code, open_folder / "closed" / "MEMORY.md", uid=65534)

    assert "may not be written by this user" in foreign
    assert "Owner root (0)" in foreign
    assert f"the folder {open_folder / 'closed'} is closed to this user" in closed


@pytest.mark.as_root("unshare", "mount")
def test_a_read_only_file_system_is_named(tmp_path: Path, run_python) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"Alpha")

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.files import write_obstacle\n"
        "for name in ('MEMORY.md', 'USER.md'): print(write_obstacle(Path(sys.argv[1], name)))",
        tmp_path,
        shell=f'mount --bind "{tmp_path}" "{tmp_path}"; mount -o remount,ro,bind "{tmp_path}"',
    )

    assert said.count("read-only file system") == 2


def test_reading_while_another_program_replaces_gives_whole_versions(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    versions = [b"a" * 5000, b"b" * 9000]
    path.write_bytes(versions[0])
    stop = threading.Event()

    def replace_for_ever() -> None:
        while not stop.is_set():
            for raw_bytes in versions:
                (tmp_path / "new").write_bytes(raw_bytes)
                os.replace(tmp_path / "new", path)

    writer = threading.Thread(target=replace_for_ever)
    writer.start()
    try:
        seen = [read_state(path) for _ in range(300)]
    finally:
        stop.set()
        writer.join()

    assert {state.problem for state in seen} == {""}
    assert {state.raw_bytes for state in seen} <= set(versions)


def test_a_file_that_another_program_moves_away_and_back_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"Alpha")
    move = "import os, sys\nwhile True: os.rename(sys.argv[1], sys.argv[2]); os.rename(sys.argv[2], sys.argv[1])"
    with subprocess.Popen([sys.executable, "-c", move, str(path), str(tmp_path / "away")]) as mover:
        try:
            said = {write_obstacle(path) for _ in range(3000)}
        finally:
            mover.kill()

    assert said == {""}
