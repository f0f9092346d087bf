"""What each command of `view/keys.py` does: one function a command, found by the command's id.

A new screen brings its own module with a HANDLERS table and adds it here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.tui.screens.review import ReviewScreen

Handler = Callable[["ReviewScreen", str], Awaitable[None] | None]
"""Gets the screen and the key that was pressed (which says the group where a command takes one).

What is awaited is what the next key needs: a dialog or an editor that stands. Work for the store is started.
"""


@cache
def handlers() -> Mapping[str, Handler]:
    """Every command's function. Imported at the first key press: the first frame does not wait for it."""
    from memtui.tui.actions import editing, looking, moving

    return {**moving.HANDLERS, **looking.HANDLERS, **editing.HANDLERS}
