"""Keeps the garbage collector from holding up the event loop.

A look at 10,000 entries makes 100,000 objects, all of them alive and none in a cycle. Looking through them took up to
85 ms, with the interpreter locked, each time that so many more had been made.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final, TypeVar

Result = TypeVar("Result")

MANY: Final = 30_000
"""Objects that take the collector some 20 ms: the scanner's rules are more, a look at a file of a usual size less."""


def without_pauses(job: Callable[[], Result]) -> Result:
    """Run a job; what it makes is never looked at when it is many objects.

    Nothing else that is there by then is either, so that a screen on which such a job ran is never freed: after every
    job it cost a megabyte for each screen that was opened.
    """
    gc.disable()
    try:
        return job()
    finally:
        if gc.get_count()[0] > MANY:
            gc.freeze()
        gc.enable()
