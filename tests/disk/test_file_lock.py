"""The lock that memtui and the agent share: exclusion, deadlines, words about the holder, hostile lock
paths.
"""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.core.errors import Locked, WriteFailed
from memtui.disk import holders
from memtui.disk.holders import holder_of
from memtui.disk.lock import hold_locks, lock_paths

HOLDER = """
import fcntl, sys
held = open(sys.argv[1], "a+")
fcntl.flock(held, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
"""Takes the lock as Hermes does and keeps it until its input ends."""


@contextlib.contextmanager
def held_by_another(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            yield holder
        finally:
            holder.kill()


def lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def is_free(lock: Path) -> bool:
    """True when another open file can take the lock, as another program would."""
    with open(lock, "a+") as other:
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_the_lock_is_the_one_that_the_agent_takes(path: Path) -> None:
    with hold_locks(path):
        assert not is_free(lock_of(path))

    assert is_free(lock_of(path))


def test_the_lock_file_is_private_and_stays(path: Path) -> None:
    old = os.umask(0o777)
    try:
        with hold_locks(path):
            pass
    finally:
        os.umask(old)

    assert lock_of(path).stat().st_mode & 0o777 == 0o600


def test_a_group_that_shares_the_file_can_take_its_lock(path: Path) -> None:
    path.chmod(0o660)

    with hold_locks(path):
        pass

    assert lock_of(path).stat().st_mode & 0o777 == 0o660


@pytest.mark.as_root
def test_a_lock_made_by_root_belongs_to_the_owner_of_the_folder(path: Path) -> None:
    os.chown(path.parent, 65534, 65533)

    with hold_locks(path):
        pass

    assert (lock_of(path).stat().st_uid, lock_of(path).stat().st_gid) == (65534, 65533)


def test_a_missing_folder_is_made_private(tmp_path: Path) -> None:
    with hold_locks(tmp_path / "home" / "memories" / "MEMORY.md"):
        pass

    assert (tmp_path / "home" / "memories").stat().st_mode & 0o777 == 0o700


def test_a_held_lock_is_refused_after_the_deadline_and_names_its_holder(path: Path) -> None:
    with held_by_another(lock_of(path)) as holder:
        began = time.monotonic()
        with pytest.raises(Locked) as refusal, hold_locks(path, deadline_s=0.3):
            pytest.fail("the lock was held")
        waited_s = time.monotonic() - began

    assert 0.3 <= waited_s < 2
    assert str(lock_of(path)) in str(refusal.value)
    assert refusal.value.data["lock"] == str(lock_of(path))
    assert refusal.value.data["pid"] == holder.pid
    assert f"process {holder.pid} (" in str(refusal.value)


TAKER = """
import fcntl, os, subprocess, sys
held = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(held, fcntl.LOCK_EX)
heir = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], pass_fds=[held])
print(heir.pid, flush=True)
"""
"""Takes the lock, leaves its descriptor to a child that reads the same input, and ends."""


def test_a_lock_that_outlived_its_taker_is_named_by_who_holds_it(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TAKER, str(lock_of(path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as taker:
        assert taker.stdout is not None
        assert taker.stdin is not None
        heir_pid = int(taker.stdout.readline())
        taker.wait()
        try:
            with pytest.raises(Locked) as refusal, hold_locks(path, deadline_s=0):
                pytest.fail("the lock was held")
        finally:
            taker.stdin.close()

    assert refusal.value.data["pid"] == heir_pid
    assert f"process {taker.pid} " not in str(refusal.value)
    assert "end the program that holds it" in str(refusal.value)


def test_a_holder_that_nobody_can_see_is_not_named(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    locks = tmp_path / "locks"
    monkeypatch.setattr(holders, "_LOCKS", locks)
    with held_by_another(tmp_path / "elsewhere.lock") as ended:
        pass
    with open(lock_of(path), "a+"):
        found = lock_of(path).stat()
        place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        locks.write_text(f"1: FLOCK  ADVISORY  WRITE {ended.pid} {place} 0 EOF\n")

        assert holder_of(lock_of(path)) is None


def test_whoever_waits_is_told_for_whom_and_gets_the_lock_when_it_is_free(path: Path) -> None:
    told: list[str] = []
    with held_by_another(lock_of(path)) as holder:
        threading.Timer(0.2, holder.kill).start()
        with hold_locks(path, deadline_s=10, waiting=told.append):
            assert not is_free(lock_of(path))

    assert len(told) == 1
    assert str(holder.pid) in told[0]
    assert str(lock_of(path)) in told[0]


def test_nobody_is_told_of_a_wait_that_is_none(path: Path) -> None:
    told: list[str] = []

    with hold_locks(path, waiting=told.append):
        pass

    assert told == []


def test_a_wait_can_be_cancelled(path: Path) -> None:
    cancelled = threading.Event()
    with held_by_another(lock_of(path)):
        threading.Timer(0.1, cancelled.set).start()
        began = time.monotonic()
        with pytest.raises(Locked, match="cancelled") as refusal, hold_locks(path, 30, cancelled):
            pytest.fail("the lock was held")

    assert time.monotonic() - began < 5
    assert refusal.value.data["cancelled"] is True


def test_threads_of_one_program_exclude_each_other(path: Path) -> None:
    with hold_locks(path):
        refusals: list[str] = []

        def try_it() -> None:
            try:
                with hold_locks(path, deadline_s=0.05):
                    refusals.append("none")
            except Locked as error:
                refusals.append(str(error))

        other = threading.Thread(target=try_it)
        other.start()
        other.join()

    assert len(refusals) == 1
    assert "this very program" in refusals[0]


def test_an_error_in_the_body_frees_the_lock(path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hold_locks(path):
        raise KeyboardInterrupt

    assert is_free(lock_of(path))


def test_a_link_takes_its_own_lock_and_the_real_files(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "MEMORY.md"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)

    with hold_locks(path):
        assert not is_free(lock_of(path))
        assert not is_free(lock_of(real))
    assert lock_paths(path) == tuple(sorted([lock_of(path), lock_of(real)]))


def test_all_locks_of_a_link_share_one_deadline(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "MEMORY.md"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    first, second = lock_paths(path)

    with held_by_another(second), pytest.raises(Locked), hold_locks(path, deadline_s=0.2):
        pytest.fail("the lock was held")

    assert is_free(first)


def test_one_lock_under_two_names_is_taken_once(path: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    path.rename(dotfiles / "MEMORY.md")
    path.symlink_to(dotfiles / "MEMORY.md")
    (dotfiles / "MEMORY.md.lock").touch()
    lock_of(path).symlink_to(dotfiles / "MEMORY.md.lock")

    with hold_locks(path, deadline_s=0.5):
        assert not is_free(dotfiles / "MEMORY.md.lock")


def test_a_lock_that_is_a_link_to_a_file_excludes_the_agent_who_follows_it(
    path: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.lock"
    elsewhere.write_text("untouched")
    lock_of(path).symlink_to(elsewhere)

    with held_by_another(lock_of(path)), pytest.raises(Locked), hold_locks(path, deadline_s=0.1):
        pytest.fail("the lock was held")
    with hold_locks(path):
        assert not is_free(elsewhere)

    assert elsewhere.read_text() == "untouched"


@pytest.mark.parametrize("make", [os.link, os.symlink])
def test_a_lock_that_is_the_memory_file_itself_is_told(path: Path, make: Callable[[Path, Path], None]) -> None:
    make(path, lock_of(path))

    with pytest.raises(WriteFailed, match="the memory file itself"), hold_locks(path):
        pytest.fail("it locks out nobody once the file is replaced")

    assert path.read_bytes() == b"Alpha"


def test_a_lock_with_a_second_name_keeps_its_bytes(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("untouched")
    os.link(other, lock_of(path))

    with hold_locks(path):
        assert not is_free(lock_of(path))

    assert other.read_text() == "untouched"


def test_a_planted_link_makes_no_file_where_it_points(path: Path, tmp_path: Path) -> None:
    lock_of(path).symlink_to(tmp_path / "planted")

    with pytest.raises(WriteFailed, match="a link that leads to no file"), hold_locks(path):
        pytest.fail("there is no lock")

    assert not (tmp_path / "planted").exists()


def test_a_link_into_a_missing_folder_does_not_make_that_folder(path: Path, tmp_path: Path) -> None:
    path.unlink()
    path.symlink_to(tmp_path / "not mounted" / "MEMORY.md")

    with hold_locks(path):
        pass

    assert not (tmp_path / "not mounted").exists()


@pytest.mark.parametrize(("make", "words"), [(Path.mkdir, "is a folder"), (os.mkfifo, "is a named pipe")])
def test_a_lock_path_that_is_no_file_is_told(path: Path, make, words: str) -> None:
    make(lock_of(path))

    with pytest.raises(WriteFailed, match=words) as refusal, hold_locks(path):
        pytest.fail("there is no lock")

    assert "The old file is whole" in str(refusal.value)


@pytest.mark.as_root("setpriv")
def test_a_lock_that_this_user_may_not_open_is_told(open_folder: Path, run_python) -> None:
    open_folder.chmod(0o777)
    path = open_folder / "MEMORY.md"
    path.touch()
    lock_of(path).touch(0o600)

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.lock import hold_locks\n"
        "from memtui.core.errors import WriteFailed\n"
        "try:\n with hold_locks(Path(sys.argv[1])): print('taken')\n"
        "except WriteFailed as error: print(error)",
        path,
        uid=65534,
    )

    assert "its lock cannot be taken: permission denied" in said
    assert "Owner root (0), mode 0600" in said


@pytest.mark.as_root("strace")
@pytest.mark.parametrize("number", ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL"])
def test_a_file_system_without_locks_is_told(path: Path, run_python, number: str) -> None:
    with hold_locks(path):  # the lock file is there, so that strace knows its path
        pass

    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.lock import hold_locks\n"
        "from memtui.core.errors import WriteFailed\n"
        "try:\n with hold_locks(Path(sys.argv[1][:-5])): print('taken')\n"
        "except WriteFailed as error: print(error)",
        lock_of(path),
        inject=f"flock:error={number}",
    )

    assert "MEMORY.md was not written, its lock cannot be taken" in said


@pytest.mark.as_root("unshare", "mount")
def test_a_read_only_file_system_is_told(path: Path, run_python) -> None:
    said = run_python(
        "import sys; from pathlib import Path; from memtui.disk.lock import hold_locks\n"
        "from memtui.core.errors import WriteFailed\n"
        "try:\n with hold_locks(Path(sys.argv[1])): print('taken')\n"
        "except WriteFailed as error: print(error)",
        path,
        shell=f'mount --bind "{path.parent}" "{path.parent}"; mount -o remount,ro,bind "{path.parent}"',
    )

    assert "read-only" in said


def add_one(path: Path, times: int) -> None:
    """Count up in the file, a read and a write apart, so that a lost update shows."""
    for _ in range(times):
        with hold_locks(path, deadline_s=60):
            number = int(path.read_text())
            time.sleep(0.001)
            path.write_text(str(number + 1))


def test_eight_contending_processes_lose_no_update(path: Path) -> None:
    path.write_text("0")
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=add_one, args=(path, 10)) for _ in range(8)]

    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * 8
    assert path.read_text() == "80"


def test_a_forked_child_waits_for_its_parent(path: Path) -> None:
    with hold_locks(path):
        child = os.fork()
        if not child:
            try:
                with hold_locks(path, deadline_s=0.05):
                    os._exit(1)
            except Locked:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not is_free(lock_of(path))


def test_a_child_that_outlives_its_parents_hold_can_lock(path: Path) -> None:
    with hold_locks(path):
        pass
    child = os.fork()
    if not child:
        try:
            with hold_locks(path, deadline_s=1):
                os._exit(0)
        except BaseException:
            os._exit(1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_lock_that_nobody_holds_has_no_holder(path: Path) -> None:
    lock_of(path).touch()

    assert holder_of(lock_of(path)) is None
    assert holder_of(path.parent / "missing") is None


def test_a_holders_hostile_name_is_shown_safely(path: Path) -> None:
    code = f"import sys; sys.argv[1] = {str(lock_of(path))!r}\n{HOLDER}"
    with subprocess.Popen(
        [sys.executable, "-c", code, "\x1b]0;x\x07"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        holder = holder_of(lock_of(path))
        other.kill()

    assert holder is not None
    assert holder.pid == other.pid
    assert "\x1b" not in holder.words
