"""The lock that keeps memtui and the agent from writing one file at the same time.

It is the very file Hermes flocks, `<file>.lock`. Never waits without a deadline, never breaks another
program's lock, and never removes the lock file: whoever opened it before would hold a lock that nobody else
sees.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from memtui.core.errors import Locked, WriteFailed
from memtui.disk.creation import FILE_MODE, give_to_folder_owner, make_folder, open_new
from memtui.disk.faults import shown, write_failed
from memtui.disk.files import kind_of
from memtui.disk.holders import holder_of

POLL_S: Final = 0.02
"""Between two tries. Hermes holds the lock for some milliseconds; a try costs about 0.1 ms."""


@contextlib.contextmanager
def hold_locks(
    path: Path,
    deadline_s: float = 10.0,
    cancelled: threading.Event | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Hold the lock of the file at `path`, and the real file's as well when `path` is a symbolic link.

    `deadline_s` is for all locks together. `cancelled` ends a wait; `waiting` is told once, in words, who is
    waited for. Must be left in the thread that entered it. Raises Locked (`data`: lock, holder, pid,
    waited_s, cancelled) and WriteFailed when there can be no lock.
    """
    began = time.monotonic()
    with contextlib.ExitStack() as held:
        for lock in lock_paths(path):
            left_s = max(0.0, began + deadline_s - time.monotonic())
            held.enter_context(_hold_one(lock, path, left_s, cancelled or threading.Event(), waiting, began))
        yield


def lock_paths(path: Path) -> tuple[Path, ...]:
    """The lock files that belong to a memory file, in the order in which everybody takes them."""
    places = {Path(os.path.abspath(path))}
    real = Path(os.path.realpath(path))
    # A link into a folder that is not there is refused later; until then no lock is to make that folder.
    if real.parent.is_dir():
        places.add(real)
    return tuple(sorted({_real_lock(place) for place in places}))


def _real_lock(file: Path) -> Path:
    # Hermes opens the lock through a link, so what it locks is the real file. Two names of one lock must
    # become one, or we would wait for ourselves.
    beside = Path(os.path.realpath(file.parent)) / f"{file.name}.lock"
    return Path(os.path.realpath(beside)) if beside.is_file() else beside


@contextlib.contextmanager
def _hold_one(
    lock: Path,
    path: Path,
    left_s: float,
    cancelled: threading.Event,
    waiting: Callable[[str], None] | None,
    began: float,
) -> Iterator[None]:
    from filelock import FileLock, Timeout

    _prepare(lock, path)
    # Not thread-local: a context that the collector closes in another thread must release as well.
    file_lock = FileLock(lock, fallback_to_soft=False, thread_local=False, mode=_mode_for(path))
    told: list[str] = []

    def gives_up() -> bool:
        if waiting is not None and not told:
            told.append(_waits_for(lock))
            waiting(told[0])
        return cancelled.is_set()

    try:
        file_lock.acquire(timeout=left_s, poll_interval=POLL_S, cancel_check=gives_up)
    except Timeout:
        raise _locked(lock, path, time.monotonic() - began, cancelled.is_set()) from None
    except OSError as error:
        raise _unlockable(error, lock, path) from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the kernel drops the lock with the descriptor in any case
            file_lock.release()


def _prepare(lock: Path, path: Path) -> None:
    """See to it that a regular lock file stands there, and that the agent can open it: it belongs to the
    folder.
    """
    make_folder(lock.parent)
    try:
        found = os.lstat(lock)
    except FileNotFoundError:
        _make(lock, path)
        return
    except OSError as error:
        raise _unlockable(error, lock, path) from error
    if not stat.S_ISREG(found.st_mode):
        what = "a link that leads to no file" if stat.S_ISLNK(found.st_mode) else kind_of(found.st_mode)
    elif _is_same(found, path):
        # Replaced by the first write, it would lock out nobody after.
        what = "the memory file itself under another name"
    else:
        return
    raise WriteFailed(
        f"{shown(path.name)} was not written: its lock {shown(lock)} is {what}. The old file is whole. "
        "Move it away, then try again.",
        {"path": os.fspath(path), "lock": os.fspath(lock)},
    )


def _is_same(found: os.stat_result, path: Path) -> bool:
    try:
        return os.path.samestat(found, os.stat(path))
    except OSError:
        return False


def _make(lock: Path, path: Path) -> None:
    try:
        descriptor = open_new(lock, _mode_for(path))
    except FileExistsError:  # the agent made it in this moment
        return
    except OSError as error:
        raise _unlockable(error, lock, path) from error
    try:
        give_to_folder_owner(descriptor, lock.parent)
    finally:
        os.close(descriptor)


def _mode_for(path: Path) -> int:
    """0600, and open to those who may write the file: a group that shares it must get at its lock."""
    try:
        shared = os.stat(path).st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    except OSError:
        return FILE_MODE
    return FILE_MODE | shared * 3  # the write bit (2) and the read bit (4)


def _locked(lock: Path, path: Path, waited_s: float, was_cancelled: bool) -> Locked:
    holder = holder_of(lock)
    who = holder.words if holder else "another program, which the system does not name"
    is_sure = holder is not None and holder.is_certain
    then = "end the program that holds it" if is_sure else "find out who holds it (`fuser` on the lock, as root, tells)"
    begun = "Waiting was cancelled" if was_cancelled else f"Waited {waited_s:.1f} s"
    return Locked(
        f"{shown(path.name)} was not written: its lock {shown(lock)} is held by {who}. {begun}; "
        f"nothing was changed. Try again, or {then}.",
        {
            "lock": os.fspath(lock),
            "holder": holder.words if holder else "",
            "pid": holder.pid if holder and is_sure else None,
            "waited_s": round(waited_s, 3),
            "cancelled": was_cancelled,
        },
    )


def _waits_for(lock: Path) -> str:
    holder = holder_of(lock)
    return f"Waiting for {holder.words if holder else 'another program'} to release {shown(lock)}"


def _unlockable(error: OSError, lock: Path, path: Path) -> WriteFailed:
    refused = write_failed(error, lock, f"{shown(path.name)} was not written, its lock cannot be taken")
    refused.data["lock"] = os.fspath(lock)
    return refused
