"""Whether another program still has a file open to write into it: `echo note >> MEMORY.md`, an editor.

What it writes after the file lost its name would be lost with it. Never waits long and never stops a writer;
where the system does not tell, nobody counts as one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

POLL_S: Final = 0.002

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

else:

    def has_writer(path: Path) -> bool:
        """False: this system does not tell."""
        return False


def wait_for_writers(path: Path, wait_s: float) -> bool:
    """True once no program has the file open for writing any more, False when one still has after `wait_s`."""
    deadline_s = time.monotonic() + wait_s
    while has_writer(path):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(POLL_S)
    return True
