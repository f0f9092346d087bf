"""Leaving the app, or the home for another: not before what was confirmed is written, nor without its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.tui.asking import stands
from memtui.view import questions, texts

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


def once_written(app: MemtuiApp, go_on: Callable[[], object]) -> None:
    """Go on, or say that a change is still being written: nobody would be told when it is refused."""
    if app.jobs.writes_left:
        app.tell(texts.Notice(texts.STILL_WRITING, texts.Level.WARNING))
    else:
        go_on()


def leave(app: MemtuiApp) -> None:
    """Leave as `once_written`; while a change waits for a lock, its owner decides whether to leave without it."""
    if app.state.waiting and app.jobs.writes_left:
        _ask(app)
    else:
        once_written(app, app.exit)


def _ask(app: MemtuiApp) -> None:
    from memtui.tui.screens.waiting import WaitingScreen

    def answered(answer: str | None) -> None:
        if answer == "leave":
            app.exit()

    question = questions.waiting_question(app.state.waiting, app.jobs.writes_left)
    if not stands(app, question):
        app.push_screen(WaitingScreen(question), answered)
