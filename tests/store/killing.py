"""Processes that kill themselves inside a write, and what must hold afterwards."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import memtui.disk.lock
from memtui.disk.backups import list_backups, read_backup
from memtui.disk.history import History
from memtui.store import MemoryStore

DISK = os.path.dirname(memtui.disk.lock.__file__)
Operation = Callable[[MemoryStore], object]


class Countdown:
    """Counts what the disk layer does once the lock is being taken; at 0 the process is gone.

    Counted are calls and returns of its functions and of what they call in C: before and after a system call.
    """

    def __init__(self, kill_at: int) -> None:
        self.kill_at = kill_at
        self.count = 0

    def watch(self, frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code.co_filename.startswith(DISK):
            self.count += 1
            if self.count == self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    @contextlib.contextmanager
    def holding(self, path: Path, *arguments: Any) -> Iterator[None]:
        """The lock, with everything from here on counted."""
        sys.setprofile(self.watch)
        with REAL_HOLD(path, *arguments):
            yield


REAL_HOLD = memtui.disk.lock.hold_locks


def killed(opening: Callable[[], MemoryStore], operation: Operation, kill_at: int) -> tuple[bool, int]:
    """Run the operation in a forked process that dies at the `kill_at`-th call (0: never).

    Gives whether it died, and how many calls it counted when it lived.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        _run_child(opening, operation, kill_at, writer)
    os.close(writer)
    with open(reader, "rb") as answers:
        told = answers.read()
    status = os.waitpid(pid, 0)[1]
    died = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert died or os.waitstatus_to_exitcode(status) == 0, told.decode()
    return died, 0 if died else int(told)


def _run_child(opening: Callable[[], MemoryStore], operation: Operation, kill_at: int, writer: int) -> None:
    try:
        countdown = Countdown(kill_at)
        store = opening()
        memtui.disk.lock.hold_locks = countdown.holding  # type: ignore[assignment]
        operation(store)
        sys.setprofile(None)
        os.write(writer, str(countdown.count).encode())
        os._exit(0)
    except BaseException as error:
        sys.setprofile(None)
        os.write(writer, f"{type(error).__name__}: {error}".encode())
        os._exit(9)


@dataclass
class Witness:
    """What one file has ever held, as somebody who watches the name sees it."""

    path: Path
    database: Path
    whole: set[bytes] = field(default_factory=set)

    def see(self) -> bytes:
        """Note what stands there now."""
        standing = self.path.read_bytes() if self.path.exists() else b""
        self.whole.add(standing)
        return standing

    def lost(self) -> set[bytes]:
        """Contents that stood whole under the name and are in neither file, history nor a backup."""
        copies = {read_backup(backup) for backup in list_backups(self.path)}
        return self.whole - self.kept_in_history() - copies - {self.path.read_bytes(), b""}

    def kept_in_history(self) -> set[bytes]:
        """Every content that history has of the file; it must open and be sound."""
        history = History.open(self.database)
        kept = {version.raw for version in history.versions(str(self.path.resolve()))}
        assert history.problem == ""
        history.close()
        return kept


def lock_is_free(path: Path) -> bool:
    """True when nobody holds the file's lock (a killed process holds none)."""
    done: list[bool] = []

    def take() -> None:
        with contextlib.suppress(Exception), REAL_HOLD(path, 1.0):
            done.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join(5)
    return bool(done)
