"""Replaces a memory file so that at every moment one whole version stands under its name.

What another program put there meanwhile is handed to the caller before it goes. Refuses to follow anything
but the link the caller named, and never leaves a temporary file of its own behind.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memtui.core.errors import WriteFailed
from memtui.disk.attributes import take_over
from memtui.disk.backups import backup_names
from memtui.disk.creation import (
    give_to_folder_owner,
    make_folder,
    open_new,
    sync_folder,
    temporary_name,
    write_whole,
)
from memtui.disk.exchange import SwapUnsupported, exchange, move_without_replacing
from memtui.disk.faults import reason_of, shown, write_failed
from memtui.disk.files import read_state, write_obstacle
from memtui.disk.inplace import has_other_names, write_in_place
from memtui.disk.writers import wait_for_writers

Keep = Callable[[bytes, str], None]
"""Takes bytes that are about to leave the disk, and why. Raises when it could not keep them."""

DISPLACED: Final = "displaced"

MAX_TRIES: Final = 20
"""An editor that moves the file away before it writes anew leaves no file for 0.1 ms; three tries met that gap."""

WRITER_WAIT_S: Final = 0.2
"""For a program that has the displaced file open to append to it: `cat` starts and writes within 5 ms."""

UNMOVABLE: Final = frozenset({errno.EBUSY, errno.EXDEV})
"""What a rename answers for a file that is a mount point, as containers mount single files."""


@dataclass(slots=True)
class _Write:
    """One write under way."""

    real: Path
    new_bytes: bytes
    expected: bytes | None
    keep: Keep
    notices: list[str] = field(default_factory=list)

    @property
    def what(self) -> str:
        return f"{shown(self.real.name)} was not written"


def replace_file(path: Path, new_bytes: bytes, *, expected: bytes | None, keep: Keep) -> tuple[str, ...]:
    """Put `new_bytes` in the place of the file at `path` (of the real file when it is a link), durably.

    Gives what a person should know of it, as sentences.

    `expected`: the bytes read under the lock, None when there was no file. Bytes found there instead go to
    `keep(bytes, "displaced")`. Mode, owner, group and ACL stay; a new file gets 0600 and its folder's owner.
    What cannot be replaced (a mount point, hard links, a foreign owner) is written in place, once `keep` has
    the old bytes. Raises WriteFailed; then the old file is whole.
    """
    write = _Write(Path(os.path.realpath(path)), new_bytes, expected, keep)
    obstacle = write_obstacle(path)
    if obstacle:
        raise WriteFailed(f"{write.what}: {obstacle} The old file is whole.", {"path": os.fspath(path)})
    make_folder(write.real.parent)
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            _write(write)
            break
        except OSError as error:
            if not isinstance(error, FileNotFoundError) or not write.real.parent.is_dir():
                raise write_failed(error, write.real, write.what) from error
            if not tries_left:
                raise _moved_away(write) from error
    return tuple(write.notices)


def _write(write: _Write) -> None:
    """Replace the file or write it in place. Raises OSError; FileNotFoundError when it was moved away meanwhile."""
    found = _stat(write.real)
    if (found is not None and has_other_names(found)) or not _replaced(write, found):
        write_in_place(write.real, write.new_bytes, write.keep)


def _moved_away(write: _Write) -> WriteFailed:
    return WriteFailed(
        f"{write.what}: another program moves it away time and again ({shown(write.real)}). Try again when it is done.",
        {"path": os.fspath(write.real), "errno": "ENOENT"},
    )


def _stat(real: Path) -> os.stat_result | None:
    try:
        return os.stat(real)
    except FileNotFoundError:
        return None


def _replaced(write: _Write, found: os.stat_result | None) -> bool:
    """Replace the file by a new one; False when this file has to be written in place. Raises OSError."""
    temporary = write.real.parent / temporary_name(write.real.name)
    descriptor = open_new(temporary)
    inode = os.fstat(descriptor).st_ino
    try:
        try:
            is_filled = _filled(write, descriptor, found)
        finally:
            os.close(descriptor)
        is_replaced = is_filled and _put(write, temporary, found is not None)
    finally:
        _settle(write, temporary, inode)
    if is_replaced:
        write.notices.extend(filter(None, [sync_folder(write.real.parent)]))
    return is_replaced


def _filled(write: _Write, descriptor: int, found: os.stat_result | None) -> bool:
    """Write the new file; False when it cannot be like the old one in owner and rights."""
    if found is None:
        give_to_folder_owner(descriptor, write.real.parent)
    elif not take_over(descriptor, found, os.fspath(write.real)):
        return False
    write_whole(descriptor, write.new_bytes)
    return True


def _put(write: _Write, temporary: Path, is_there: bool) -> bool:
    """Give the new file its name; False when the name cannot be moved (a mount point). Raises OSError.

    Another program may make or remove the file in between, so what is there is found out by trying.
    """
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            if is_there:
                exchange(temporary, write.real)
            else:
                move_without_replacing(temporary, write.real)
            return True
        except SwapUnsupported:
            return _replace_plainly(write, temporary)
        except (FileNotFoundError, FileExistsError) as error:
            if not tries_left or isinstance(error, FileExistsError) == is_there:
                raise
            is_there = not is_there
        except OSError as error:
            if error.errno not in UNMOVABLE:
                raise
            return False
    return False


def _replace_plainly(write: _Write, temporary: Path) -> bool:
    """Replace where files cannot be swapped: what stands there is read just before, which leaves a short
    gap.
    """
    state = read_state(write.real)
    if state.problem:
        raise WriteFailed(f"{write.what}: {state.problem}", {"path": os.fspath(write.real)})
    if state.exists and state.raw_bytes != write.expected:
        write.keep(state.raw_bytes, DISPLACED)
    try:
        os.replace(temporary, write.real)
    except OSError as error:
        if error.errno not in UNMOVABLE:
            raise
        return False
    return True


def _settle(write: _Write, temporary: Path, inode: int) -> None:
    """Remove what stands under the temporary name: our own file, or the one it was swapped with, once it is
    kept. Raises no OSError: by now the write has gone well or failed, and what is left over changes neither.
    """
    is_ours = True
    try:
        found = os.lstat(temporary)
        is_ours = found.st_ino == inode
        if is_ours or (stat.S_ISREG(found.st_mode) and _is_kept(write, temporary)):
            os.unlink(temporary)
        else:
            _rescue(write, temporary)
    except FileNotFoundError:
        return
    except OSError as error:
        what = "A temporary file" if is_ours else "The file that was replaced"
        write.notices.append(
            f"{what} was left beside {shown(write.real.name)} as {shown(temporary.name)}: {reason_of(error)}. The "
            "next write here keeps what it holds in the history and removes it."
        )


def _is_kept(write: _Write, temporary: Path) -> bool:
    """True when nothing is lost by removing the displaced file."""
    if not wait_for_writers(temporary, WRITER_WAIT_S):
        return False
    state = read_state(temporary)
    if state.problem:
        return False
    if state.raw_bytes == write.expected:
        return True
    try:
        write.keep(state.raw_bytes, DISPLACED)
    except Exception:  # whatever keeps the caller from keeping: the bytes outlive it as a backup
        return False
    return True


def _rescue(write: _Write, temporary: Path) -> None:
    for name in backup_names(write.real, int(time.time())):
        try:
            move_without_replacing(temporary, name)
        except FileExistsError:
            continue
        write.notices.append(
            f"Another program had put something else in the place of {shown(write.real.name)} meanwhile, or was "
            f"still writing into it; what it replaced now lies beside it as {shown(name.name)}."
        )
        return
