"""What each command of `view/keys.py` does: one function a command, found by the command's id.

A new screen brings its own module with a HANDLERS table and adds it here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

Handler = Callable[[Any, str], Awaitable[None] | None]
"""Gets the screen that the command works on and the key that was pressed (it says the group where one is taken).

What is awaited is what the next key needs: a dialog or an editor that stands. Work for the store is started.
"""


@cache
def handlers() -> Mapping[str, Handler]:
    """Every command's function. Imported at the first key press: the first frame does not wait for it."""
    from memtui.tui.actions import (
        auditing,
        bringing_back,
        editing,
        homing,
        knowing,
        looking,
        mending,
        moving,
        placing,
        resolving,
        resolving_writes,
        sourcing,
        staging,
        transferring,
    )

    tables = (
        moving, looking, editing, mending, placing, resolving, resolving_writes, bringing_back, auditing,
        knowing, staging, homing, transferring, sourcing,
    )  # fmt: skip
    return {command_id: handler for table in tables for command_id, handler in table.HANDLERS.items()}
