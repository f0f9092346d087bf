"""Logs of errors that nobody foresaw: where in memtui they came from, without a word of anybody's memory."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from pathlib import Path

from memtui import __version__

MAX_LOGS = 20


def write_crash_log(error: BaseException) -> Path | None:
    """Write where an error came from to a private file under the state folder; None when that cannot be done.

    An exception's message may quote an entry, so only its type and the places in the code are kept.
    """
    from memtui.core.errors import MemoryRefused
    from memtui.disk.creation import make_folder
    from memtui.disk.folders import state_folder

    folder = state_folder() / "crashes"
    name = time.strftime("crash-%Y%m%d-%H%M%S", time.gmtime()) + f"-{os.getpid()}.log"
    try:
        make_folder(folder)
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as log:
            log.write(_describe(error))
        for old in sorted(folder.glob("crash-*.log"))[:-MAX_LOGS]:
            old.unlink(missing_ok=True)
    except (OSError, MemoryRefused):
        return None  # the error itself is still told on the terminal
    return folder / name


def _describe(error: BaseException) -> str:
    head = f"memtui {__version__}, Python {platform.python_version()}, {sys.platform}\n"
    return head + "".join(_chain(error))


def _chain(error: BaseException) -> list[str]:
    lines: list[str] = []
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        lines.append(f"\n{type(cause).__module__}.{type(cause).__qualname__}\n")
        frames = traceback.extract_tb(cause.__traceback__)
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in frames]
        cause = cause.__cause__ or cause.__context__
    return lines
