"""Temporary files that a crash left behind, memtui's own and the agent's: each holds a copy of private
memory.

Removes none that the caller could not keep, none younger than an hour that may still be written, and follows
no link.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memtui.disk.creation import temporary_prefix
from memtui.disk.faults import shown
from memtui.disk.files import read_state
from memtui.disk.writers import has_writer

OLD_S: Final = 3600.0

_PATTERN: Final = re.compile(r"\.(?:mem|memtui)_.+\.tmp", re.DOTALL)
"""Hermes 0.19 makes `.mem_<random>.tmp`."""


def sweep_temporaries(
    folder: Path, keep: Callable[[bytes, str], None], *, locked: Path | None = None
) -> tuple[str, ...]:
    """Keep, then remove left-over temporary files older than an hour; the names of the removed ones, safe to
    show.

    `locked`: the file whose lock the caller holds; nobody else can be writing it, so memtui's own
    temporaries of that file go whatever their age. Never raises for what the disk refuses: that file stays.
    """
    swept = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_left_over = _PATTERN.fullmatch(entry.name) is not None and _is_left_over(entry, locked)
            if is_left_over and _swept(Path(entry.path), keep):
                swept.append(shown(entry.name))
    return tuple(sorted(swept))


def _is_left_over(entry: os.DirEntry[str], locked: Path | None) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    if not stat.S_ISREG(found.st_mode):
        return False
    is_own = locked is not None and entry.name.startswith(temporary_prefix(locked.name))
    return is_own or time.time() - found.st_mtime > OLD_S


def _swept(temporary: Path, keep: Callable[[bytes, str], None]) -> bool:
    if has_writer(temporary):
        return False
    state = read_state(temporary)
    if state.problem or not state.exists:
        return False
    try:
        keep(state.raw_bytes, f"left over: {shown(temporary.name)}")
        os.unlink(temporary)
    except Exception:  # what cannot be kept or removed stays: sweeping is a courtesy, the write goes on
        return False
    return True
