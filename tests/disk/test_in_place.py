"""Files that cannot be replaced are written in place: only once the old bytes are kept, and put back on
failure.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memtui.core.errors import WriteFailed
from memtui.disk.atomic import replace_file
from memtui.disk.inplace import write_in_place

WRITE = """
import sys
from pathlib import Path
from memtui.core.errors import WriteFailed
from memtui.disk.atomic import replace_file
from memtui.disk.inplace import BEFORE
path, old, new = Path(sys.argv[1]), sys.argv[2].encode(), sys.argv[3].encode()
kept = []
try:
    replace_file(path, new, expected=old, keep=lambda *what: kept.append(what))
    print("in place" if any(why == BEFORE for _, why in kept) else "replaced")
except WriteFailed as error:
    print("refused", error)
print(kept)
print(path.read_bytes())
print(sorted(p.name for p in path.parent.iterdir()))
print(path.stat().st_uid, oct(path.stat().st_mode))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory file in a folder of its own."""
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "MEMORY.md").write_bytes(b"Alpha fact")
    return folder / "MEMORY.md"


@pytest.mark.parametrize("new_bytes", [b"", b"Beta", b"Alpha fact", b"A much longer text than before"])
def test_hard_links_go_on_showing_one_file(path: Path, tmp_path: Path, keep, new_bytes: bytes) -> None:
    os.link(path, tmp_path / "other name")
    inode = path.stat().st_ino

    replace_file(path, new_bytes, expected=b"Alpha fact", keep=keep)

    assert keep == [(b"Alpha fact", "before an in-place write")]
    assert (tmp_path / "other name").read_bytes() == path.read_bytes() == new_bytes
    assert path.stat().st_ino == inode
    assert os.listdir(path.parent) == ["MEMORY.md"]


def test_unexpected_bytes_are_kept_before_they_are_written_over(path: Path, tmp_path: Path, keep) -> None:
    os.link(path, tmp_path / "other name")
    path.write_bytes(b"unexpected")

    replace_file(path, b"Beta", expected=b"Alpha fact", keep=keep)

    assert keep == [(b"unexpected", "before an in-place write")]


def test_what_others_append_while_the_old_bytes_are_kept_is_kept_too(path: Path, tmp_path: Path, keep) -> None:
    os.link(path, tmp_path / "other name")

    def append_and_keep(raw_bytes: bytes, why: str) -> None:
        if not keep:
            with path.open("ab") as stream:
                stream.write(b" and a late note")
        keep(raw_bytes, why)

    replace_file(path, b"Beta", expected=b"Alpha fact", keep=append_and_keep)

    assert [raw_bytes for raw_bytes, why in keep] == [b"Alpha fact", b"Alpha fact and a late note"]
    assert path.read_bytes() == b"Beta"


def test_a_file_that_others_keep_writing_is_not_written_over(path: Path, tmp_path: Path) -> None:
    os.link(path, tmp_path / "other name")

    def append(raw_bytes: bytes, why: str) -> None:
        with path.open("ab") as stream:
            stream.write(b"!")

    with pytest.raises(WriteFailed, match="is using it"):
        replace_file(path, b"Beta", expected=b"Alpha fact", keep=append)

    assert path.read_bytes().startswith(b"Alpha fact!")


def test_no_byte_changes_when_the_old_ones_cannot_be_kept(path: Path, tmp_path: Path) -> None:
    def keep(raw_bytes: bytes, why: str) -> None:
        raise WriteFailed("neither history nor backup")

    os.link(path, tmp_path / "other name")

    with pytest.raises(WriteFailed, match="neither history nor backup"):
        replace_file(path, b"Beta", expected=b"Alpha fact", keep=keep)

    assert path.read_bytes() == b"Alpha fact"


@pytest.mark.as_root("unshare", "mount")
def test_a_file_that_is_a_mount_point_is_written_in_place(path: Path, run_python) -> None:
    said = run_python(WRITE, path, "Alpha fact", "Beta", shell=f'mount --bind "{path}" "{path}"').splitlines()

    assert said[:4] == [
        "in place",
        "[(b'Alpha fact', 'before an in-place write')]",
        "b'Beta'",
        "['MEMORY.md']",
    ]


@pytest.mark.as_root("unshare", "mount")
def test_a_file_mounted_from_another_file_system_is_written_in_place(
    path: Path, tmp_path: Path, run_python
) -> None:
    volume = tmp_path / "volume"
    volume.mkdir()
    make = f'mount -t tmpfs tmpfs "{volume}"; printf "Alpha fact" > "{volume}/m"'
    shell = f'{make}; mount --bind "{volume}/m" "{path}"'

    said = run_python(WRITE, path, "Alpha fact", "Beta", shell=shell).splitlines()

    assert said[0] == "in place"
    assert said[2:4] == ["b'Beta'", "['MEMORY.md']"]


@pytest.mark.as_root("setpriv")
def test_a_foreign_file_that_may_be_written_keeps_its_owner(open_folder: Path, run_python) -> None:
    open_folder.chmod(0o777)
    path = open_folder / "MEMORY.md"
    path.write_bytes(b"Alpha fact")
    path.chmod(0o666)

    said = run_python(WRITE, path, "Alpha fact", "Beta", uid=65534).splitlines()

    assert said[0] == "in place"
    assert said[2:] == ["b'Beta'", "['MEMORY.md']", "0 0o100666"]


@pytest.mark.as_root("unshare", "mount")
def test_a_full_disk_changes_no_byte(tmp_path: Path, run_python) -> None:
    fill = """
import os, sys
folder = sys.argv[1]
with open(f"{folder}/MEMORY.md", "wb") as file: file.write(b"Alpha fact")
os.link(f"{folder}/MEMORY.md", f"{folder}/other")
filler = os.open(f"{folder}/filler", os.O_WRONLY | os.O_CREAT)
try:
    while os.write(filler, bytes(512)): pass
except OSError:
    pass
sys.argv[1:] = [f"{folder}/MEMORY.md", "Alpha fact", "B" * 9000]
"""
    said = run_python(fill + WRITE, tmp_path, disk_kb=32).splitlines()

    assert said[0].startswith("refused MEMORY.md was not written: no space is left on the disk")
    assert said[2] == "b'Alpha fact'"


@pytest.mark.parametrize("error", [OSError(errno.EIO, "I/O error"), KeyboardInterrupt()])
def test_a_failure_midway_puts_the_old_bytes_back(path: Path, keep, monkeypatch, error) -> None:
    def fail(descriptor: int, length: int) -> None:
        monkeypatch.undo()
        raise error

    monkeypatch.setattr(os, "ftruncate", fail)

    with pytest.raises(type(error)):
        write_in_place(path, b"Be", keep)

    assert path.read_bytes() == b"Alpha fact"


def test_a_failure_that_cannot_be_undone_says_where_the_old_text_is(path: Path, keep, monkeypatch) -> None:
    def fail(descriptor: int, length: int) -> None:
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(os, "ftruncate", fail)

    with pytest.raises(WriteFailed, match="Its old text is kept"):
        write_in_place(path, b"Be", keep)

    assert keep == [(b"Alpha fact", "before an in-place write")]


def test_a_link_planted_meanwhile_is_not_followed(path: Path, tmp_path: Path, keep) -> None:
    (tmp_path / "victim").write_bytes(b"untouched")
    path.unlink()
    path.symlink_to(tmp_path / "victim")

    with pytest.raises(OSError, match="symbolic links"):
        write_in_place(path, b"Beta", keep)

    assert (tmp_path / "victim").read_bytes() == b"untouched"
