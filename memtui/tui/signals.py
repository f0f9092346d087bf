"""Signals that end a program: the app leaves as by its own key, so that the terminal gets its modes back."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable


def end_on_signals(loop: asyncio.AbstractEventLoop, end: Callable[[int], None]) -> None:
    """Call `end` with the signal's number when somebody ends the program from outside.

    Without it, `kill` would leave the alternate screen, the mouse reports and the keyboard mode switched on.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end, number)
