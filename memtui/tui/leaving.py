"""Leaving the app, or the home for another: not before what was confirmed is written, nor without its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.view import texts

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


def once_written(app: MemtuiApp, go_on: Callable[[], object]) -> None:
    """Go on, or say that a change is still being written: nobody would be told when it is refused."""
    if app.jobs.writes_left:
        app.tell(texts.Notice(texts.STILL_WRITING, texts.Level.WARNING))
    else:
        go_on()


def leave(app: MemtuiApp) -> None:
    """Leave as `once_written`; who leaves in sight of a wait for a lock gives up the one change that waits."""
    if app.state.waiting and app.jobs.writes_left == 1:
        app.exit()
    else:
        once_written(app, app.exit)
