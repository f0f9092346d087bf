"""Writes over the bytes of a file that cannot be replaced by another: a mount point, hard links, a foreign
owner.

Refuses to change a byte before the caller holds the old ones, and puts them back when the disk refuses
midway.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memtui.core.errors import WriteFailed
from memtui.disk.faults import reason_of, shown
from memtui.disk.writers import open_without_waiting, others_held_up

BEFORE: Final = "before an in-place write"

MAX_READS: Final = 5
"""While the old bytes are kept (a commit lasts some ms) others may append; then they are read and kept again."""


WRITER_WAIT_S: Final = 0.2
"""For a program that has the file open to write into it: `cat` starts and writes within 5 ms."""


def has_other_names(found: os.stat_result) -> bool:
    """True for a file with hard links: replacing it would leave the old text under its other names."""
    return found.st_nlink > 1


def write_in_place(real: Path, new_bytes: bytes, keep: Callable[[bytes, str], None]) -> None:
    """Write over an existing file, after `keep(old bytes, "before an in-place write")`.

    Raises OSError with the old bytes restored, WriteFailed when they could not be (they are kept).
    """
    descriptor = open_without_waiting(real, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    with open(descriptor, "r+b", buffering=0):
        for _ in range(MAX_READS):
            old_bytes = _read(descriptor)
            keep(old_bytes, BEFORE)
            # What others append between the last look and the write would be written over and kept nowhere.
            with others_held_up(descriptor, WRITER_WAIT_S):
                if _read(descriptor) == old_bytes:
                    _overwrite_or_restore(descriptor, old_bytes, new_bytes, real)
                    return
    raise BlockingIOError(errno.EBUSY, "another program goes on writing")


def _overwrite_or_restore(descriptor: int, old_bytes: bytes, new_bytes: bytes, real: Path) -> None:
    try:
        _overwrite(descriptor, old_bytes, new_bytes)
    except BaseException:  # an interrupt, too, must not leave half a file
        _restore(descriptor, old_bytes, real)
        raise


def _read(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _overwrite(descriptor: int, old_bytes: bytes, new_bytes: bytes) -> None:
    # What is longer goes first: on a full disk it fails here, before an old byte has changed.
    head_bytes = len(old_bytes)
    _write_at(descriptor, new_bytes[head_bytes:], head_bytes)
    _write_at(descriptor, new_bytes[:head_bytes], 0)
    if len(new_bytes) < len(old_bytes):
        os.ftruncate(descriptor, len(new_bytes))
    os.fsync(descriptor)


def _write_at(descriptor: int, raw_bytes: bytes, offset: int) -> None:
    os.lseek(descriptor, offset, os.SEEK_SET)
    left = memoryview(raw_bytes)
    while left:
        left = left[os.write(descriptor, left) :]


def _restore(descriptor: int, old_bytes: bytes, real: Path) -> None:
    try:
        _write_at(descriptor, old_bytes, 0)
        os.ftruncate(descriptor, len(old_bytes))
        os.fsync(descriptor)
    except OSError as error:
        raise WriteFailed(
            f"{shown(real.name)} was written in part and could not be put back: {reason_of(error)} "
            f"({shown(real)}). Its old text is kept; restore it from the history.",
            {"path": os.fspath(real)},
        ) from error
