"""The command line: a thin face of the store for people and scripts; no command opens the app.

It decides nothing about memory; every check is the store's.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run `memtui` with `argv` (default: the process's arguments) and leave with its exit code."""
    from memtui.cli.running import INTERRUPTED, run

    code = run(sys.argv[1:] if argv is None else list(argv))
    if code == INTERRUPTED:
        # Only leaving is left to do; a second Ctrl+C would break it off with a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
