"""Who holds a lock, where the system tells: Linux lists every lock in /proc/locks.

Only names; never signals or opens what belongs to another program.
"""

from __future__ import annotations

import os
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

    @property
    def words(self) -> str:
        """How a sentence names it."""
        if self.pid == os.getpid():
            return f"this very program (process {self.pid})"
        return f"process {self.pid} ({self.command})" if self.command else f"process {self.pid}"


def holder_of(lock: Path) -> Holder | None:
    """The process that holds a flock on the file, or None when nobody does or the system does not tell."""
    try:
        found = os.stat(lock)
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        # `7: FLOCK  ADVISORY  WRITE 4242 fd:01:131075 0 EOF`; a waiting one has `->` as its second word.
        words = line.split()
        if len(words) < 6 or words[1] != "FLOCK" or not words[4].isdigit():
            continue
        pid = int(words[4])
        if _is_inode(words[5], found) or (_has_number(words[5], found) and _has_open(pid, found)):
            return Holder(pid, _command_of(pid))
    return None


def _is_inode(device_and_inode: str, found: os.stat_result) -> bool:
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    return device_and_inode == f"{device}:{found.st_ino}"


def _has_number(device_and_inode: str, found: os.stat_result) -> bool:
    # btrfs and overlay file systems list another device number than `stat` gives.
    return device_and_inode.rpartition(":")[2] == str(found.st_ino)


def _has_open(pid: int, found: os.stat_result) -> bool:
    try:
        return any(os.path.samestat(os.stat(entry.path), found) for entry in os.scandir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def _command_of(pid: int) -> str:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()[:4096]
    except OSError:
        return ""
    words = raw.rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    return clip(visible_text(words), _COMMAND_CELLS)
