"""Replacing a file: one whole version at every moment, nothing lost, nothing left behind, rights kept."""

from __future__ import annotations

import os
import signal
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.core.errors import WriteFailed
from memtui.disk import atomic, attributes, exchange
from memtui.disk.atomic import replace_file
from memtui.disk.creation import create_private, make_folder
from memtui.disk.files import identity_of
from memtui.disk.leftovers import sweep_temporaries

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[2]

WRITE = """
import sys
from pathlib import Path
from memtui.core.errors import WriteFailed
from memtui.disk.atomic import replace_file
from memtui.disk.inplace import BEFORE
path, old, new = Path(sys.argv[1]), sys.argv[2].encode(), sys.argv[3].encode()
kept = []
try:
    replace_file(path, new, expected=old or None, keep=lambda *what: kept.append(what))
    print("in place" if any(why == BEFORE for _, why in kept) else "replaced", kept)
except WriteFailed as error:
    print("refused", error)
print(path.read_bytes() if path.exists() else None)
print(sorted(p.name for p in path.parent.iterdir()))
"""
"""Writes argument 3 over argument 2 at argument 1; prints how it went, what stands there, and the folder."""

WRITE_AND_TELL = """
import sys
from pathlib import Path
from memtui.disk.atomic import replace_file
path, old, new = Path(sys.argv[1]), sys.argv[2].encode(), sys.argv[3].encode()
print("told", replace_file(path, new, expected=old, keep=print))
print(path.read_bytes())
"""
"""The same, for writes that go well: prints what a person is told, and what stands there."""


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


def test_the_new_bytes_stand_in_a_new_file(path: Path, keep) -> None:
    before = identity_of(path)

    notices = replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Beta"
    assert identity_of(path) != before
    assert notices == ()
    assert keep == []
    assert names(path) == ["MEMORY.md"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660, 0o644, 0o664])
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_the_mode_stays_whatever_the_umask(path: Path, keep, mode: int, umask: int) -> None:
    path.chmod(mode)
    old = os.umask(umask)
    try:
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
    finally:
        os.umask(old)

    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.as_root
def test_root_keeps_owner_and_group(path: Path, keep) -> None:
    os.chown(path, NOBODY, 65533)

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, 65533)


def acl_for(uid: int) -> bytes:
    """An access ACL that also lets one user read and write, as the kernel stores it."""
    everyone = 0xFFFFFFFF
    entries = [(1, 6, everyone), (2, 6, uid), (4, 4, everyone), (0x10, 6, everyone), (0x20, 0, everyone)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def set_or_skip(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system has no {name}: {error}")


@pytest.mark.skipif(sys.platform != "linux", reason="ACLs as extended attributes are Linux's")
def test_acl_and_attributes_stay(path: Path, keep) -> None:
    set_or_skip(path, "user.note", b"mine")
    set_or_skip(path, "system.posix_acl_access", acl_for(NOBODY))

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert keep == []
    assert os.getxattr(path, "user.note") == b"mine"
    assert os.getxattr(path, "system.posix_acl_access") == acl_for(NOBODY)


@pytest.mark.skipif(sys.platform != "linux", reason="ACLs as extended attributes are Linux's")
def test_a_default_acl_of_the_folder_opens_no_file_that_was_closed(path: Path, keep) -> None:
    path.chmod(0o600)
    set_or_skip(path.parent, "system.posix_acl_default", acl_for(NOBODY))

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
    replace_file(path.with_name("USER.md"), b"Uma", expected=None, keep=keep)

    assert "system.posix_acl_access" not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.with_name("USER.md").stat().st_mode) == 0o600


def test_a_name_as_long_as_the_file_system_takes_is_replaced(tmp_path: Path, keep) -> None:
    path = tmp_path / ("x" * 250 + ".md")
    path.write_bytes(b"Alpha")

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Beta"
    assert len(os.listdir(tmp_path)) == 1


def test_a_link_stays_and_the_real_file_is_replaced(path: Path, tmp_path: Path, keep) -> None:
    real = tmp_path / "dotfiles" / "agent memory.md"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to("../dotfiles/agent memory.md")

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert os.readlink(path) == "../dotfiles/agent memory.md"
    assert real.read_bytes() == b"Beta"
    assert not real.is_symlink()
    assert (os.listdir(real.parent), names(path)) == (["agent memory.md"], ["MEMORY.md"])


def test_a_new_file_and_its_folders_are_private_whatever_the_umask(tmp_path: Path, keep) -> None:
    path = tmp_path / "home" / "memories" / "MEMORY.md"
    old = os.umask(0o777)
    try:
        replace_file(path, b"Alpha", expected=None, keep=keep)
    finally:
        os.umask(old)

    assert path.read_bytes() == b"Alpha"
    modes = [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.as_root
def test_what_root_makes_belongs_to_the_owner_of_the_folder_around_it(tmp_path: Path, keep) -> None:
    os.chown(tmp_path, NOBODY, 65533)
    path = tmp_path / "home" / "memories" / "MEMORY.md"

    replace_file(path, b"Alpha", expected=None, keep=keep)

    for place in (path, path.parent, path.parent.parent):
        assert (place.stat().st_uid, place.stat().st_gid) == (NOBODY, 65533)


def test_bytes_that_were_not_expected_are_kept(path: Path, keep) -> None:
    path.write_bytes(b"written by a program that ignores the lock")

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert keep == [(b"written by a program that ignores the lock", "displaced")]
    assert path.read_bytes() == b"Beta"
    assert names(path) == ["MEMORY.md"]


def at_fsync(monkeypatch: pytest.MonkeyPatch, act) -> None:
    """Let another writer act in the moment between the writing of the new file and its taking the name."""
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        monkeypatch.setattr(os, "fsync", real_fsync)
        act()

    monkeypatch.setattr(os, "fsync", fsync)


def test_a_file_that_appears_meanwhile_is_kept(path: Path, keep, monkeypatch) -> None:
    path.unlink()
    at_fsync(monkeypatch, lambda: path.write_bytes(b"faster"))

    replace_file(path, b"Beta", expected=None, keep=keep)

    assert keep == [(b"faster", "displaced")]
    assert path.read_bytes() == b"Beta"
    assert names(path) == ["MEMORY.md"]


def test_a_file_that_vanishes_meanwhile_is_made(path: Path, keep, monkeypatch) -> None:
    at_fsync(monkeypatch, path.unlink)

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Beta"
    assert names(path) == ["MEMORY.md"]


def test_a_file_that_comes_and_goes_is_written_nevertheless(path: Path, keep, monkeypatch) -> None:
    exchanged = atomic.exchange
    moved = atomic.move_without_replacing
    away = path.with_name("MEMORY.md~")
    left = [6]

    def gone_then_exchange(one: Path, other: Path) -> None:
        if left[0]:
            path.rename(away)
        exchanged(one, other)

    def back_then_move(source: Path, goal: Path) -> None:
        left[0] -= 1
        away.rename(path)
        moved(source, goal)

    monkeypatch.setattr(atomic, "exchange", gone_then_exchange)
    monkeypatch.setattr(atomic, "move_without_replacing", back_then_move)

    replace_file(path, b"Beta", expected=path.read_bytes(), keep=keep)

    assert path.read_bytes() == b"Beta"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has attributes to look for in between")
@pytest.mark.parametrize("times", [3, 1000], ids=["for a moment", "for good"])
def test_a_file_that_is_moved_away_between_two_looks_at_it_is_made_or_told(
    path: Path, keep, monkeypatch, times: int
) -> None:
    looked, left = attributes.take_over, [times]

    def moved_away(descriptor: int, found: os.stat_result, source: str) -> bool:
        left[0] -= 1
        path.rename(path.with_name("away"))
        try:
            return looked(descriptor, found, source)
        finally:
            if left[0]:
                path.with_name("away").rename(path)

    monkeypatch.setattr(atomic, "take_over", moved_away)

    if times < 20:
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
        assert path.read_bytes() == b"Beta"
    else:
        with pytest.raises(WriteFailed, match="another program moves it away"):
            replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
        assert names(path) == ["MEMORY.md"]


def test_a_folder_that_vanishes_meanwhile_is_told(path: Path, keep, monkeypatch) -> None:
    def vanish() -> None:
        for name in os.listdir(path.parent):
            (path.parent / name).unlink()
        path.parent.rmdir()

    at_fsync(monkeypatch, vanish)

    with pytest.raises(WriteFailed, match="the folder has vanished") as refusal:
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert refusal.value.data["errno"] == "ENOENT"


@pytest.mark.parametrize("make", [Path.mkdir, lambda place: place.symlink_to("somewhere")])
def test_what_takes_the_place_of_the_file_meanwhile_lies_beside_it(
    path: Path, keep, monkeypatch, make
) -> None:
    def swap() -> None:
        path.unlink()
        make(path)

    at_fsync(monkeypatch, swap)

    notices = replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Beta"
    assert not path.is_symlink()
    [beside] = [name for name in names(path) if name != "MEMORY.md"]
    assert beside.startswith("MEMORY.md.bak.")
    assert beside in notices[0]


def test_displaced_bytes_that_cannot_be_kept_become_a_backup(path: Path) -> None:
    def keep(raw_bytes: bytes, why: str) -> None:
        raise WriteFailed("the history is full")

    path.write_bytes(b"unexpected")

    notices = replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    [beside] = [name for name in names(path) if name != "MEMORY.md"]
    assert beside.startswith("MEMORY.md.bak.")
    assert (path.parent / beside).read_bytes() == b"unexpected"
    assert beside in notices[0]


def no_swap(*_: object) -> int:
    raise exchange.SwapUnsupported(22, "Invalid argument")


def test_a_file_system_that_cannot_swap_is_read_before_the_rename(path: Path, keep, monkeypatch) -> None:
    monkeypatch.setattr(exchange, "_rename", no_swap)
    path.write_bytes(b"unexpected")

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
    replace_file(path.with_name("USER.md"), b"Uma", expected=None, keep=keep)

    assert keep == [(b"unexpected", "displaced")]
    assert path.read_bytes() == b"Beta"
    assert path.with_name("USER.md").read_bytes() == b"Uma"
    assert names(path) == ["MEMORY.md", "USER.md"]


def test_without_swap_and_without_keeping_nothing_is_replaced(path: Path, monkeypatch) -> None:
    def keep(raw_bytes: bytes, why: str) -> None:
        raise WriteFailed("the history is full")

    monkeypatch.setattr(exchange, "_rename", no_swap)
    path.write_bytes(b"unexpected")

    with pytest.raises(WriteFailed, match="the history is full"):
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"unexpected"
    assert names(path) == ["MEMORY.md"]


def test_without_swap_a_file_that_appears_meanwhile_is_kept(path: Path, keep, monkeypatch) -> None:
    path.unlink()
    monkeypatch.setattr(exchange, "_rename", no_swap)
    at_fsync(monkeypatch, lambda: path.write_bytes(b"faster"))

    replace_file(path, b"Beta", expected=None, keep=keep)

    assert keep == [(b"faster", "displaced")]
    assert path.read_bytes() == b"Beta"


@pytest.mark.skipif(sys.platform != "linux", reason="system call numbers are Linux's")
def test_a_c_library_without_the_function_uses_the_system_call(path: Path, keep, monkeypatch) -> None:
    class WithoutIt:
        def __init__(self, name: object, use_errno: bool) -> None:
            self.syscall = real_library(name, use_errno=use_errno).syscall

    import ctypes

    real_library = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", WithoutIt)
    path.write_bytes(b"unexpected")

    exchanged = path.with_name("other")
    exchanged.write_bytes(b"other")
    exchange.exchange(path, exchanged)

    assert (path.read_bytes(), exchanged.read_bytes()) == (b"other", b"unexpected")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_an_interruption_leaves_no_temporary_file(path: Path, keep, monkeypatch, error) -> None:
    def interrupt() -> None:
        raise error

    at_fsync(monkeypatch, interrupt)

    with pytest.raises(error):
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Alpha"
    assert names(path) == ["MEMORY.md"]


def test_an_interruption_after_the_swap_keeps_what_was_displaced(path: Path, keep, monkeypatch) -> None:
    def swap_and_interrupt(one: Path, other: Path) -> None:
        exchange.exchange(one, other)
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic, "exchange", swap_and_interrupt)
    path.write_bytes(b"unexpected")

    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Beta"
    assert keep == [(b"unexpected", "displaced")]
    assert names(path) == ["MEMORY.md"]


def test_a_write_protected_file_is_refused_and_named(path: Path, keep) -> None:
    path.chmod(0o444)

    with pytest.raises(WriteFailed, match="MEMORY.md is write-protected"):
        replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    assert path.read_bytes() == b"Alpha"


def test_a_folder_in_the_place_of_the_file_is_refused(path: Path, keep) -> None:
    path.unlink()
    path.mkdir()

    with pytest.raises(WriteFailed, match="is a folder, not a file"):
        replace_file(path, b"Beta", expected=None, keep=keep)

    assert names(path) == ["MEMORY.md"]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path, keep) -> None:
    (tmp_path / "memories").write_text("not a folder")

    with pytest.raises(WriteFailed):
        replace_file(tmp_path / "memories" / "MEMORY.md", b"Beta", expected=None, keep=keep)

    assert (tmp_path / "memories").read_text() == "not a folder"


@pytest.mark.as_root("unshare", "mount")
def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, run_python) -> None:
    fill = """
import os, sys
from pathlib import Path
folder = Path(sys.argv[1])
(folder / "MEMORY.md").write_bytes(b"Alpha")
filler = os.open(folder / "filler", os.O_WRONLY | os.O_CREAT)
try:
    while os.write(filler, bytes(512)): pass
except OSError:
    pass
sys.argv[1:] = [str(folder / "MEMORY.md"), "Alpha", "B" * 9000]
"""
    said = run_python(fill + WRITE, tmp_path, disk_kb=32).splitlines()

    assert said[0].startswith("refused MEMORY.md was not written: no space is left on the disk")
    assert "The old file is whole." in said[0]
    assert "Free some space" in said[0]
    assert said[1:] == ["b'Alpha'", "['MEMORY.md', 'filler']"]


@pytest.mark.as_root("unshare", "mount")
def test_a_read_only_file_system_is_named(path: Path, run_python) -> None:
    said = run_python(
        WRITE,
        path,
        "Alpha",
        "Beta",
        shell=f'mount --bind "{path.parent}" "{path.parent}"; mount -o remount,ro,bind "{path.parent}"',
    ).splitlines()

    assert "read-only file system" in said[0]
    assert said[1:] == ["b'Alpha'", "['MEMORY.md']"]


@pytest.mark.as_root("setpriv")
def test_a_closed_folder_is_named(open_folder: Path, run_python) -> None:
    path = open_folder / "MEMORY.md"
    path.write_bytes(b"Alpha")
    path.chmod(0o666)

    said = run_python(WRITE, path, "Alpha", "Beta", uid=NOBODY).splitlines()

    assert f"the folder {open_folder} is closed to this user" in said[0]
    assert "Owner root (0)" in said[0] or "owner root (0)" in said[0]
    assert said[1] == "b'Alpha'"


@pytest.mark.as_root("chattr")
def test_an_immutable_file_is_told(path: Path, keep) -> None:
    if subprocess.run(["chattr", "+i", path], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files")
    try:
        with pytest.raises(WriteFailed, match="immutable"):
            replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
    finally:
        subprocess.run(["chattr", "-i", path], check=True)

    assert path.read_bytes() == b"Alpha"
    assert names(path) == ["MEMORY.md"]


@pytest.mark.as_root("strace")
@pytest.mark.parametrize(
    ("inject", "words"),
    [
        ("renameat2:error=EIO", "input/output error"),
        ("renameat2:error=EACCES", "permission denied"),
        ("renameat2:error=EDQUOT", "quota"),
        ("renameat2:error=ESTALE", "lost track of it"),
    ],
)
def test_a_rename_that_fails_leaves_the_old_file_whole(
    path: Path, run_python, inject: str, words: str
) -> None:
    said = run_python(WRITE, path, "Alpha", "Beta", inject=inject).splitlines()

    assert said[0].startswith("refused")
    assert words in said[0]
    assert said[1:] == ["b'Alpha'", "['MEMORY.md']"]


@pytest.mark.as_root("strace")
@pytest.mark.parametrize("number", ["ENOSYS", "EINVAL", "EPERM", "EOPNOTSUPP"])
def test_a_kernel_that_cannot_swap_still_replaces(path: Path, run_python, number: str) -> None:
    said = run_python(WRITE, path, "Alpha", "Beta", inject=f"renameat2:error={number}").splitlines()

    assert said == ["replaced []", "b'Beta'", "['MEMORY.md']"]


@pytest.mark.as_root("strace")
def test_a_failing_fsync_of_the_new_file_is_a_refusal(path: Path, run_python) -> None:
    fault = "fsync:error=EIO:when=1"
    said = run_python(WRITE, path, "Alpha", "Beta", inject=fault, everywhere=True).splitlines()

    assert "input/output error" in said[0]
    assert said[1:] == ["b'Alpha'", "['MEMORY.md']"]


@pytest.mark.as_root("strace")
def test_a_displaced_file_that_cannot_be_removed_is_no_failed_write(path: Path, run_python) -> None:
    said = run_python(
        WRITE_AND_TELL, path, "Alpha", "Beta", inject="unlink:error=EPERM:when=1", everywhere=True
    ).splitlines()

    assert said[0].startswith("told ('The file that was replaced was left beside MEMORY.md as .memtui_MEMORY.md_")
    assert "the system does not permit it." in said[0]
    assert said[1] == "b'Beta'"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell of writers")
def test_a_displaced_file_without_room_for_another_name_stays_for_the_next_write(tmp_path: Path, keep) -> None:
    path = tmp_path / f"{'n' * 245}.md"
    path.write_bytes(b"Alpha")
    with path.open("ab") as appender:
        (notice,) = replace_file(path, b"Beta", expected=b"Alpha", keep=keep)
        appender.write(b", and more")

    assert path.read_bytes() == b"Beta"
    (left,) = [name for name in names(path) if name != path.name]
    assert left in notice
    sweep_temporaries(tmp_path, keep, locked=path)
    assert keep[0][0] == b"Alpha, and more"
    assert names(path) == [path.name]


@pytest.mark.as_root("strace")
@pytest.mark.parametrize(
    "write", ["replace_file(path, b'Beta', expected=b'Alpha', keep=print)", "create_private(new, b'')"]
)
def test_a_mode_that_cannot_be_set_leaves_no_file(path: Path, run_python, write: str) -> None:
    code = f"""
import os, sys
from pathlib import Path
from memtui.core.errors import WriteFailed
from memtui.disk.atomic import replace_file
from memtui.disk.creation import create_private
path = Path(sys.argv[1]); new = path.with_name("new")
try:
    {write}
except WriteFailed as error:
    print("refused", path.read_bytes(), os.listdir(path.parent))
"""
    said = run_python(code, path, inject="fchmod:error=EIO:when=1", everywhere=True)

    assert said == "refused b'Alpha' ['MEMORY.md']\n"


@pytest.mark.as_root("strace")
def test_a_folder_that_cannot_be_synced_is_only_a_notice(path: Path, run_python) -> None:
    telling = WRITE.replace("    replace_file(", "    told = replace_file(").replace('print("in', 'print(*told, "in')
    code = f"import sys; sys.argv.pop(1)\n{telling}"

    said = run_python(code, path.parent, path, "Alpha", "Beta", inject="fsync:error=EIO").splitlines()

    assert said[0].startswith("The change stands, but the disk did not confirm it")
    assert said[1:] == ["b'Beta'", "['MEMORY.md']"]


def test_a_killed_writer_leaves_one_of_two_whole_versions(path: Path) -> None:
    """Kill the writer at random moments; what is left over is swept by the next write of that file."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom memtui.disk.atomic import replace_file\n"
        "path = Path(sys.argv[1])\nprint('ready', flush=True)\n"
        "while True:\n for text in (b'a' * 40000, b'b' * 40000):\n"
        "  replace_file(path, text, expected=path.read_bytes(), keep=lambda *_: None)\n"
    )
    path.write_bytes(b"a" * 40000)
    env = {**os.environ, "PYTHONPATH": str(Path(atomic.__file__).parents[2])}
    for turn in range(12):
        words = [sys.executable, "-c", code, str(path)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=env) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            try:
                writer.wait(timeout=0.002 + turn * 0.0037)
            except subprocess.TimeoutExpired:
                writer.send_signal(signal.SIGKILL)
        assert path.read_bytes() in (b"a" * 40000, b"b" * 40000)


def test_a_private_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    create_private(tmp_path / "one", b"1", 0o640)
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "one", b"2", 0o600)
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        create_private(tmp_path / "two", b"2", 0o600)

    assert os.listdir(tmp_path) == ["one"]
    assert (tmp_path / "one").read_bytes() == b"1"
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o640


def test_a_folder_is_made_once_by_whoever_comes_first(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "a").chmod(0o755)
    make_folder(tmp_path / "a" / "b" / "c")

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "a" / "b" / "c").stat().st_mode) == 0o700


def test_a_folder_under_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("not mounted")

    with pytest.raises(WriteFailed, match="is not a folder"):
        make_folder(tmp_path / "link" / "memories")

    assert not (tmp_path / "not mounted").exists()


@pytest.mark.as_root("unshare")
def test_a_container_without_root_writes_where_it_cannot_keep_the_owner(open_folder: Path) -> None:
    os.chown(open_folder, 4242, 4343)
    open_folder.chmod(0o777)
    code = (
        "import sys; from pathlib import Path; from memtui.store import MemoryStore\n"
        "store = MemoryStore(Path(sys.argv[1]) / 'home', history_db=Path(sys.argv[1]) / 'state' / 'history.db')\n"
        "print(store.add('memory', 'Alpha fact'), store.recorder.problem)"
    )

    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", sys.executable, "-c", code, str(open_folder)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert done.stdout == "Added to memory (10/2200 chars used). \n", done.stderr
    assert (open_folder / "home" / "MEMORY.md").read_text() == "Alpha fact"
