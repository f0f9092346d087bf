"""Backups: Hermes' names, the file's own bytes, once per content, never wider than the file, never half."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path

import pytest

from memtui.core.errors import NotFound, Unreadable, WriteFailed
from memtui.disk.backups import delete_backup, list_backups, make_backup, read_backup

NOW_S = 1_764_500_000


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


def test_a_backup_is_named_as_the_agent_names_it_and_holds_the_bytes(path: Path) -> None:
    raw_bytes = b"\xff\x00Alpha\r\n"

    backup = make_backup(path, raw_bytes, 0o644, NOW_S)

    assert backup.path == path.with_name("MEMORY.md.bak.1764500000")
    assert backup.path.read_bytes() == raw_bytes
    assert (backup.name, backup.when, backup.size_bytes) == (backup.path.name, NOW_S, len(raw_bytes))
    assert backup.sha256 == hashlib.sha256(raw_bytes).hexdigest()


@pytest.mark.parametrize(
    ("mode", "expected"), [(0o644, 0o600), (0o600, 0o600), (0o660, 0o600), (0o400, 0o400), (0o666, 0o600)]
)
def test_a_backup_is_private_and_no_wider_than_the_file(path: Path, mode: int, expected: int) -> None:
    old = os.umask(0)
    try:
        backup = make_backup(path, b"Alpha", mode, NOW_S)
    finally:
        os.umask(old)

    assert stat.S_IMODE(backup.path.stat().st_mode) == expected


def test_the_same_bytes_are_backed_up_once(path: Path) -> None:
    first = make_backup(path, b"Alpha", 0o600, NOW_S)
    second = make_backup(path, b"Alpha", 0o600, NOW_S + 5)

    assert second == first
    assert names(path) == ["MEMORY.md", first.name]


def test_a_backup_that_the_agent_made_counts(path: Path) -> None:
    path.with_name("MEMORY.md.bak.1700000000").write_bytes(b"Alpha")

    assert make_backup(path, b"Alpha", 0o600, NOW_S).name == "MEMORY.md.bak.1700000000"


def test_two_contents_in_one_second_are_two_files(path: Path) -> None:
    made = [make_backup(path, raw_bytes, 0o600, NOW_S).name for raw_bytes in (b"one", b"two", b"six")]

    assert made == ["MEMORY.md.bak.1764500000", "MEMORY.md.bak.1764500000.2", "MEMORY.md.bak.1764500000.3"]


def test_a_link_planted_under_the_name_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.with_name("MEMORY.md.bak.1764500000").symlink_to(tmp_path / "planted")

    backup = make_backup(path, b"Alpha", 0o600, NOW_S)

    assert backup.name.endswith(".2")
    assert not (tmp_path / "planted").exists()


@pytest.mark.as_root("unshare", "mount")
def test_a_full_disk_leaves_no_half_backup(tmp_path: Path, run_python) -> None:
    said = run_python(
        """
import os, sys
from pathlib import Path
from memtui.core.errors import WriteFailed
from memtui.disk.backups import make_backup
folder = Path(sys.argv[1])
try:
    make_backup(folder / "MEMORY.md", bytes(50_000), 0o600, 1764500000)
except WriteFailed as error:
    print(error)
print(os.listdir(folder))
""",
        tmp_path,
        disk_kb=32,
    ).splitlines()

    assert "no space is left on the disk" in said[0]
    assert "MEMORY.md is as it was" in said[0]
    assert said[1] == "[]"


def test_all_kinds_of_copies_are_listed_newest_first(path: Path) -> None:
    local_s = time.mktime((2024, 3, 1, 10, 20, 30, 0, 0, -1))
    copies = {
        "MEMORY.md.bak.1764500000": NOW_S,
        "MEMORY.md.bak.1764500000.2": NOW_S,
        "MEMORY.md.bak.1764400000": NOW_S - 100_000,
        "MEMORY.sync-conflict-20240301-102030-ABCDEFG.md": local_s,
        "MEMORY.md.bak": 1_000_000_005,
        "MEMORY.md~": 1_000_000_004,
        "MEMORY.md.~3~": 1_000_000_003,
        ".MEMORY.md.swp": 1_000_000_002,
    }
    for name, when in copies.items():
        path.with_name(name).write_bytes(name.encode())
        if when < NOW_S - 10**8 and "conflict" not in name:  # the others tell by their name
            os.utime(path.with_name(name), (when, when))

    backups = list_backups(path)

    assert {backup.name: backup.when for backup in backups} == copies
    assert [backup.when for backup in backups] == sorted(copies.values(), reverse=True)
    assert all(read_backup(backup) == backup.name.encode() for backup in backups)


def test_what_is_no_copy_of_this_file_is_not_listed(path: Path) -> None:
    for name in (
        "USER.md",
        "USER.md.bak.1764500000",
        "MEMORY.md.lock",
        "notes~",
        ".mem_a.tmp",
        "XMEMORY.md.bak.1",
    ):
        path.with_name(name).write_bytes(b"x")
    path.with_name("MEMORY.md.bak.1764500000").mkdir()
    path.with_name("MEMORY.md.bak.1764500001").symlink_to("USER.md")
    os.mkfifo(path.with_name("MEMORY.md.bak.1764500002"))

    assert list_backups(path) == ()
    assert list_backups(path.parent / "gone" / "MEMORY.md") == ()


def test_a_backup_is_removed_once_its_bytes_are_kept(path: Path, keep) -> None:
    backup = make_backup(path, b"Alpha", 0o600, NOW_S)

    delete_backup(backup, keep)

    assert keep == [(b"Alpha", f"backup {backup.name}")]
    assert names(path) == ["MEMORY.md"]


def test_a_backup_that_changed_or_cannot_be_kept_stays(path: Path, keep) -> None:
    def refuse(raw_bytes: bytes, why: str) -> None:
        raise WriteFailed("the history is full")

    backup = make_backup(path, b"Alpha", 0o600, NOW_S)
    with pytest.raises(WriteFailed, match="history is full"):
        delete_backup(backup, refuse)
    backup.path.write_bytes(b"Omega")
    with pytest.raises(WriteFailed, match="has changed since it was listed"):
        delete_backup(backup, keep)

    assert backup.path.read_bytes() == b"Omega"


def test_a_backup_that_has_gone_or_is_no_file_is_told(path: Path, keep) -> None:
    backup = make_backup(path, b"Alpha", 0o600, NOW_S)
    backup.path.unlink()
    with pytest.raises(NotFound, match="has gone"):
        read_backup(backup)
    backup.path.mkdir()
    with pytest.raises(Unreadable, match="is a folder"):
        delete_backup(backup, keep)


def test_two_hundred_backups_are_listed_at_once(path: Path) -> None:
    for number in range(200):
        path.with_name(f"MEMORY.md.bak.{NOW_S + number}").write_bytes(b"%d" % number * 700)
    began = time.monotonic()

    backups = list_backups(path)

    assert len(backups) == 200
    assert time.monotonic() - began < 1


def test_a_second_name_of_the_file_is_no_backup_of_it(path: Path) -> None:
    planted = path.with_name("MEMORY.md.bak.1764500000")
    os.link(path, planted)

    backup = make_backup(path, path.read_bytes(), 0o600, 1_764_600_000)

    assert backup.path != planted
    assert backup.path.stat().st_ino != path.stat().st_ino
    assert backup.path.read_bytes() == path.read_bytes()
