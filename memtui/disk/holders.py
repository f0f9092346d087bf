"""Who holds a lock, where the system tells: Linux lists every lock in /proc/locks.

Only names; never signals or opens what belongs to another program.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui.core.visible import clip, visible_text

_LOCKS: Final = Path("/proc/locks")
_COMMAND_CELLS: Final = 60


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a lock, and its command line as display-safe text ("" when the system does not
    tell).
    """

    pid: int
    command: str
    is_certain: bool = True
    """False when the system lets nobody see whether the process has the lock's file open: a number may be reused."""

    @property
    def words(self) -> str:
        """How a sentence names it."""
        if self.pid == os.getpid():
            return f"this very program (process {self.pid})"
        named = f"process {self.pid} ({self.command})" if self.command else f"process {self.pid}"
        return named if self.is_certain else f"what seems to be {named}"


def holder_of(lock: Path) -> Holder | None:
    """The process that holds a flock on the file, or None when nobody does or the system does not tell."""
    try:
        found = os.stat(lock)
        taker = _taker_of(found)
    except OSError:
        return None
    if taker is None:
        return None
    # A lock outlives who took it in whoever inherited the descriptor: `(flock 9; sleep 60) 9>…` leaves it to sleep.
    for pid in (taker, *_others(taker)):
        if _holds(pid, found):
            return Holder(pid, _command_of(pid))
    if _has_open(taker, found):
        return Holder(taker, _command_of(taker))
    return Holder(taker, _command_of(taker), is_certain=False) if _is_closed_to_us(taker) else None


def _taker_of(found: os.stat_result) -> int | None:
    """The process that took the lock, as the kernel lists it; it may have ended since. Raises OSError."""
    for line in _LOCKS.read_text(encoding="ascii", errors="replace").splitlines():
        # `7: FLOCK  ADVISORY  WRITE 4242 fd:01:131075 0 EOF`; a waiting one has `->` as its second word.
        words = line.split()
        if len(words) < 6 or words[1] != "FLOCK" or not words[4].isdigit():
            continue
        pid = int(words[4])
        if _is_inode(words[5], found) or (_has_number(words[5], found) and _has_open(pid, found)):
            return pid
    return None


def _others(taker: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != taker]
    except OSError:
        return []


def _holds(pid: int, found: os.stat_result) -> bool:
    """True when a descriptor of the process is what the lock hangs on; one that only waits has the file open, too."""
    return any("FLOCK" in _fd_info(pid, fd) for fd in _descriptors(pid, found))


def _fd_info(pid: int, fd: str) -> str:
    try:
        return Path(f"/proc/{pid}/fdinfo/{fd}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _is_closed_to_us(pid: int) -> bool:
    """True for a process that runs and does not let us look at what it has open."""
    try:
        os.listdir(f"/proc/{pid}/fd")
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _is_inode(device_and_inode: str, found: os.stat_result) -> bool:
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    return device_and_inode == f"{device}:{found.st_ino}"


def _has_number(device_and_inode: str, found: os.stat_result) -> bool:
    # btrfs and overlay file systems list another device number than `stat` gives.
    return device_and_inode.rpartition(":")[2] == str(found.st_ino)


def _has_open(pid: int, found: os.stat_result) -> bool:
    return next(_descriptors(pid, found), None) is not None


def _descriptors(pid: int, found: os.stat_result) -> Iterator[str]:
    """The numbers under which a process has the file open; none when it ended or does not let us look."""
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return
    for name in names:
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.path.samestat(os.stat(f"/proc/{pid}/fd/{name}"), found):
                yield name


def _command_of(pid: int) -> str:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()[:4096]
    except OSError:
        return ""
    words = raw.rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    return clip(visible_text(words), _COMMAND_CELLS)
