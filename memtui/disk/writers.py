"""Other programs that write into a file without its lock: `echo note >> MEMORY.md`, an editor.

Tells whether one has the file open, since what it writes after the file lost its name would be lost with it, and holds
up who would open it while it is written over. Never waits long; where the system does neither, nobody counts as one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

POLL_S: Final = 0.002
OPEN_WAIT_S: Final = 5.0
"""For whoever writes the file over and holds up others meanwhile: some ms, more on a slow disk."""


def open_without_waiting(path: Path, flags: int) -> int:
    """A descriptor, like `os.open`, which never waits for the other end of a FIFO.

    Only for a program that holds up others (`others_held_up`) it waits, as any other open does. Raises OSError.
    """
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    deadline_s = time.monotonic() + OPEN_WAIT_S
    while True:
        try:
            return os.open(path, flags)
        except BlockingIOError:
            if time.monotonic() >= deadline_s:
                raise
            time.sleep(POLL_S)


if sys.platform == "linux":

    def has_writer(path: Path) -> bool:
        """True when a descriptor for writing is open on the regular file at `path`; never raises."""
        import fcntl

        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            # Whoever opens the file in this very moment makes the kernel signal us; SIGIO would end the process.
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            # The kernel grants a read lease only on a file that nobody has open for writing (fcntl(2)).
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN  # others: not our file, or a file system without leases
        finally:
            with contextlib.suppress(OSError):
                os.close(descriptor)  # gives the lease back as well
        return False

    def _lease(descriptor: int) -> int:
        """Make every open of the file wait, as long as nobody else has it open; the error number, 0 for none."""
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            return error.errno or errno.EINVAL
        return 0

    def _give_back(descriptor: int) -> None:
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:

    def has_writer(path: Path) -> bool:
        """False: this system does not tell."""
        return False

    def _lease(descriptor: int) -> int:
        return errno.ENOSYS

    def _give_back(descriptor: int) -> None:
        pass


@contextlib.contextmanager
def others_held_up(descriptor: int, wait_s: float) -> Iterator[bool]:
    """Let other programs wait when they open the file of a descriptor meanwhile, some ms and not longer than needed.

    False when they cannot be: another one has it open even after `wait_s`, or the system has no means for it. Whoever
    holds them up must not open the file once more: the kernel would let that wait as well, for 45 s.
    """
    deadline_s = time.monotonic() + wait_s
    while (failed := _lease(descriptor)) == errno.EAGAIN and time.monotonic() < deadline_s:
        time.sleep(POLL_S)
    try:
        yield not failed
    finally:
        if not failed:
            _give_back(descriptor)


def wait_for_writers(path: Path, wait_s: float) -> bool:
    """True once no program has the file open for writing any more, False when one still has after `wait_s`."""
    deadline_s = time.monotonic() + wait_s
    while has_writer(path):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(POLL_S)
    return True
