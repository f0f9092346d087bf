"""Backups beside a memory file: those memtui and Hermes make, and the copies editors and synchronisers leave.

Never overwrites one, never makes a second one of the same bytes, and removes none whose bytes the caller
does not hold.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from memtui.core.errors import NotFound, Unreadable, WriteFailed
from memtui.disk.creation import FILE_MODE, create_private
from memtui.disk.faults import shown, write_failed
from memtui.disk.files import FileIdentity, identity_of, read_state, real_path

MAX_COMPARED: Final = 1000
"""Backups of equal size that are compared before a new one is made; a folder with more has other troubles."""

MAX_DIGESTED_BYTES: Final = 256 * 1024 * 1024
"""Of all listed copies together, the newest first; 200 copies of a giant are 12 GB."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy that lies beside a memory file."""

    path: Path
    name: str
    when: float
    """Unix seconds: from the name where it tells, else the file's mtime."""
    size_bytes: int
    sha256: str
    """Hex digest; empty when it cannot be read, or when all copies together are too much to read."""


def backup_names(path: Path, now_s: int) -> Iterator[Path]:
    """Names for a backup, the first free one to be taken: `MEMORY.md.bak.<seconds>`, then `.2`, `.3` …"""
    first = path.with_name(f"{path.name}.bak.{now_s}")
    yield first
    for number in count(2):
        yield first.with_name(f"{first.name}.{number}")


def list_backups(path: Path) -> tuple[Backup, ...]:
    """Every copy in the folder of this path, newest first. Never raises for what the disk refuses."""
    try:
        with os.scandir(path.parent) as entries:
            found = [backup for entry in entries if (backup := _backup_of(entry, path.name)) is not None]
    except OSError:
        return ()
    left_bytes = MAX_DIGESTED_BYTES
    digested = []
    for backup in sorted(found, key=lambda backup: (-backup.when, backup.name)):
        left_bytes -= backup.size_bytes
        digested.append(_digested(backup) if left_bytes >= 0 else backup)
    return tuple(digested)


def backups_of(path: Path) -> tuple[Backup, ...]:
    """The copies beside the file, and beside the real file when it is a link, newest first. Never raises."""
    real = real_path(path)
    found = [*list_backups(path), *(list_backups(real) if real.parent != real_path(path.parent) else ())]
    return tuple(sorted(found, key=lambda backup: (-backup.when, backup.name)))


def read_backup(backup: Backup) -> bytes:
    """The backup's bytes. Raises NotFound when it has gone, Unreadable when it cannot be read."""
    state = read_state(backup.path)
    if state.problem:
        raise Unreadable(state.problem, {"path": os.fspath(backup.path)})
    if not state.exists:
        raise NotFound(f"The backup {shown(backup.name)} has gone.", {"path": os.fspath(backup.path)})
    return state.raw_bytes


def make_backup(path: Path, raw_bytes: bytes, mode: int, now_s: int) -> Backup:
    """Put these bytes into a backup beside the file at `path`, unless one with the same bytes lies there
    already.

    `mode`: the file's permission bits; the backup gets the owner's part of them. `now_s`: Unix seconds for
    the name. Raises WriteFailed; then no half backup stays.
    """
    same = _same_backup(path, raw_bytes)
    if same is not None:
        return same
    for name in backup_names(path, now_s):
        try:
            create_private(name, raw_bytes, mode & FILE_MODE)
        except FileExistsError:
            continue
        except WriteFailed as error:
            raise WriteFailed(f"{error} {shown(path.name)} is as it was.", error.data) from error
        return Backup(name, name.name, float(now_s), len(raw_bytes), _digest(raw_bytes))
    raise AssertionError("names never end")


def delete_backup(backup: Backup, keep: Callable[[bytes, str], None]) -> None:
    """Hand the backup's bytes to `keep`, then remove it.

    Raises NotFound, Unreadable, or WriteFailed when it is no longer what was listed or cannot be removed.
    """
    raw_bytes = read_backup(backup)
    if _digest(raw_bytes) != backup.sha256:
        raise WriteFailed(
            f"{shown(backup.name)} was not removed: it has changed since it was listed. Look at it again.",
            {"path": os.fspath(backup.path)},
        )
    # Whether it goes is not known yet: what is kept says what it is, not what became of it.
    keep(raw_bytes, f"backup {shown(backup.name)}")
    try:
        os.unlink(backup.path)
    except OSError as error:
        raise write_failed(error, backup.path, f"{shown(backup.name)} was not removed") from error


def _digest(raw_bytes: bytes) -> str:
    return hashlib.sha256(raw_bytes).hexdigest()


def _same_backup(path: Path, raw_bytes: bytes) -> Backup | None:
    file = identity_of(path)
    try:
        with os.scandir(path.parent) as entries:
            names = [entry for entry in entries if entry.name.startswith(f"{path.name}.bak.")]
            same_size = [
                entry for entry in names if _size(entry) == len(raw_bytes) and not _is_second_name(entry, file)
            ]
    except OSError:
        return None
    for entry in same_size[:MAX_COMPARED]:
        backup = _backup_of(entry, path.name)
        if backup is not None and (same := _digested(backup)).sha256 == _digest(raw_bytes):
            return same
    return None


def _is_second_name(entry: os.DirEntry[str], file: FileIdentity | None) -> bool:
    """True for a hard link to the file itself: a write in place goes through to it."""
    return file is not None and entry.inode() == file.inode


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return -1


def _backup_of(entry: os.DirEntry[str], file_name: str) -> Backup | None:
    """The backup that a directory entry is for the memory file of that name, not digested yet, or None."""
    if not is_copy_name(entry.name, file_name):
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    when = _named_time(entry.name, file_name) or found.st_mtime
    return Backup(Path(entry.path), entry.name, when, found.st_size, "")


def _digested(backup: Backup) -> Backup:
    state = read_state(backup.path)
    return backup if state.problem else replace(backup, sha256=_digest(state.raw_bytes))


def is_copy_name(name: str, file_name: str) -> bool:
    """True for the name of a backup, or of an editor's or synchroniser's copy, of the file of that name."""
    stem, suffix = os.path.splitext(file_name)
    return (
        name.startswith((f"{file_name}.bak", f"{file_name}.sync-conflict"))
        or (name.startswith(file_name) and name.endswith("~"))  # Emacs: MEMORY.md~, MEMORY.md.~3~
        or re.fullmatch(rf"\.{re.escape(file_name)}\.sw[a-p]", name) is not None  # Vim
        or (name.startswith(f"{stem}.sync-conflict-") and name.endswith(suffix))  # Syncthing
    )


def _named_time(name: str, file_name: str) -> float | None:
    """Unix seconds that the name tells, or None."""
    hermes = re.fullmatch(rf"{re.escape(file_name)}\.bak\.(\d{{9,11}})(?:\.\d+)?", name)
    if hermes:
        return float(hermes[1])
    synced = re.search(r"\.sync-conflict-(\d{8}-\d{6})", name)
    if synced:
        try:
            return time.mktime(time.strptime(synced[1], "%Y%m%d-%H%M%S"))
        except (ValueError, OverflowError):
            return None
    return None
