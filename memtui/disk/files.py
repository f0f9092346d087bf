"""What stands on disk at a path, and whether it is still what was read.

Refuses to raise for the state of a file, to open anything but a regular file, and to fill memory with a
giant.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memtui.disk.faults import access_words, owner_and_mode, reason_of, remedy_of, shown
from memtui.disk.writers import open_without_waiting

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""More is refused in words. Agents' memories are some kB; the largest one seen is 600 kB."""

FRESH_NS: Final = 20_000_000
"""A file touched less than 20 ms ago may change again under the same mtime: clock ticks last up to 10 ms."""


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """By which a changed file is told from an unchanged one without reading it."""

    inode: int
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    device: int
    is_settled: bool = field(default=True, compare=False)
    """False when it had been touched so shortly before it was read that a later write may look the same."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What a look at one path found."""

    path: Path
    exists: bool
    """True when anything stands at the path, also something that cannot be read."""
    raw_bytes: bytes = b""
    identity: FileIdentity | None = None
    mode: int = 0
    """Permission bits; 0 when the file is not there."""
    problem: str = ""
    """Why its bytes cannot be had, in words for a person; empty when they are here or there is no file."""


def real_path(path: Path) -> Path:
    """Where the path leads once links are followed, as far as they lead; never raises.

    `Path.resolve` raises for a circle of links, and `Path.is_dir` for a folder that is closed to the user.
    """
    return Path(os.path.realpath(path))


def is_same_file(one: Path, other: Path) -> bool:
    """True when both paths lead to one file: through links, as its second name, or in a folder mounted twice."""
    if real_path(one) == real_path(other):
        return True
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def identify(found: os.stat_result, now_ns: int | None = None) -> FileIdentity:
    """The identity of what `stat` found; `now_ns` is the wall clock when it is about to be read."""
    settled = now_ns is None or now_ns - found.st_mtime_ns >= FRESH_NS
    return FileIdentity(
        found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_dev, is_settled=settled
    )


def is_missing(path: Path) -> bool:
    """True when nothing stands at the path; what nobody may look at can be there."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def identity_of(path: Path) -> FileIdentity | None:
    """The identity of what stands at the path (links followed), or None when nothing can be seen there."""
    try:
        return identify(os.stat(path))
    except (OSError, ValueError):
        return None


def is_stale(known: FileIdentity | None, path: Path, now_ns: int) -> bool:
    """True when it must be read again: other inode, size, mtime or ctime, or touched less than 20 ms ago."""
    now = identity_of(path)
    if now is None or known is None:
        return now is not known
    return now != known or not known.is_settled or now_ns - now.mtime_ns < FRESH_NS


def read_state(path: Path, max_bytes: int = MAX_FILE_BYTES) -> FileState:
    """The file's bytes and identity. Never raises for what stands there: `problem` says it in words."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return _absent(path)
    except (OSError, ValueError) as error:
        return FileState(path, exists=os.path.lexists(path), problem=_unreadable(path, error))
    state = FileState(path, True, identity=identify(found), mode=stat.S_IMODE(found.st_mode))
    obstacle = _kind_problem(path, found, max_bytes)
    if obstacle:
        return _with_problem(state, obstacle)
    try:
        return _read(state, max_bytes)
    except FileNotFoundError:
        return _absent(path)
    except OSError as error:
        return _with_problem(state, _unreadable(path, error))


def _read(state: FileState, max_bytes: int) -> FileState:
    # Whoever swaps the file for a FIFO after the stat cannot make us wait for a writer.
    descriptor = open_without_waiting(state.path, os.O_RDONLY)
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        obstacle = _kind_problem(state.path, found, max_bytes)
        if obstacle:
            return _with_problem(state, obstacle)
        # The identity is taken before the bytes: a write in between shows as a change at the next look.
        identity = identify(found, time.time_ns())
        raw_bytes = stream.read(max_bytes + 1)
        # None is what Python reads from a file that has nothing to give yet, such as /proc/kmsg.
        if raw_bytes is None:
            raise BlockingIOError(errno.EAGAIN, "reading it would have to wait, as it never does for a file on a disk")
    if len(raw_bytes) > max_bytes:
        return _with_problem(state, _too_large(state.path, len(raw_bytes), max_bytes))
    return FileState(state.path, True, raw_bytes, identity, stat.S_IMODE(found.st_mode))


def _with_problem(state: FileState, problem: str) -> FileState:
    return FileState(state.path, True, b"", state.identity, state.mode, problem)


def _absent(path: Path) -> FileState:
    if not os.path.islink(path):
        return FileState(path, exists=False)
    goal = shown(os.path.realpath(path))
    problem = (
        f"{shown(path.name)} is a symbolic link to {goal}, which is not there ({shown(path)}). "
        "Mount or make what it points to, or remove the link."
    )
    return FileState(path, exists=True, problem=problem)


def _kind_problem(path: Path, found: os.stat_result, max_bytes: int) -> str:
    """Why it is not to be opened: not a regular file, or a giant one; "" for a file like any other."""
    if not stat.S_ISREG(found.st_mode):
        return (
            f"{shown(path.name)} is {kind_of(found.st_mode)}, not a file ({shown(path)}). "
            "Move it away, then look again."
        )
    return _too_large(path, found.st_size, max_bytes) if found.st_size > max_bytes else ""


def kind_of(mode: int) -> str:
    """What a `st_mode` that is not a regular file's stands for, with its article."""
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFLNK: "a symbolic link",
    }
    return kinds.get(stat.S_IFMT(mode), "something special")


def _too_large(path: Path, size_bytes: int, max_bytes: int) -> str:
    return (
        f"{shown(path.name)} is too large: {size_bytes:,} bytes or more, memtui reads {max_bytes:,} at most "
        f"({shown(path)}). Move it away, then look again."
    )


def _unreadable(path: Path, error: OSError | ValueError, verb: str = "read") -> str:
    if isinstance(error, ValueError):  # a NUL in the path
        return f"{shown(path)} is not a path the system can open."
    access = access_words(path) if error.errno in (errno.EACCES, errno.EPERM) else ""
    words = f"{shown(path.name)} cannot be {verb}: {reason_of(error)} ({shown(path)})."
    return " ".join(filter(None, (words, access, remedy_of(error))))


def write_obstacle(path: Path) -> str:
    """Why the file could not be written, in words for a person; "" when nothing stands in the way.

    Looks only, so it may be wrong in a moment; a write that fails after all says so itself.
    """
    real = Path(os.path.realpath(path))
    try:
        found = os.stat(real)
    except FileNotFoundError:
        return _absent(path).problem or _folder_obstacle(path, real.parent)
    except (OSError, ValueError) as error:
        return _unreadable(path, error, "written")
    if not stat.S_ISREG(found.st_mode):
        return _kind_problem(path, found, MAX_FILE_BYTES)
    # Root may write such a file; whoever took the bit away did not want it written.
    if not found.st_mode & stat.S_IWUSR:
        return (
            f"{shown(path.name)} is write-protected ({shown(real)}). {owner_and_mode(found)} "
            "`chmod u+w` allows writing again."
        )
    return _access_obstacle(path, real, found) or _folder_obstacle(path, real.parent)


def _access_obstacle(path: Path, real: Path, found: os.stat_result) -> str:
    # An editor that moves the file away before it writes anew leaves none for a moment: that is no missing right.
    if _may(real, os.W_OK) or not os.path.lexists(real):
        return ""
    if _is_read_only(real):
        return f"{shown(path.name)} is on a read-only file system ({shown(real)})."
    return (
        f"{shown(path.name)} may not be written by this user, or is marked immutable ({shown(real)}). "
        f"{owner_and_mode(found)}"
    )


def _folder_obstacle(path: Path, folder: Path) -> str:
    """Why nothing can be made in the folder, or in the nearest one above it that exists."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        return f"{shown(path.name)} cannot be written: {shown(folder)} is not a folder."
    if _may(folder, os.W_OK | os.X_OK):
        return ""
    if _is_read_only(folder):
        return f"{shown(path.name)} cannot be written: {shown(folder)} is on a read-only file system."
    return (
        f"{shown(path.name)} cannot be written: the folder {shown(folder)} is closed to this user. "
        f"{access_words(folder)}".rstrip()
    )


def _may(path: Path, access: int) -> bool:
    return os.access(path, access, effective_ids=os.access in os.supports_effective_ids)


def _is_read_only(path: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False
