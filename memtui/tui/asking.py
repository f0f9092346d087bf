"""Questions that a person answers in a dialog, on top of whatever screen stands."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from memtui.view.questions import Question

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


async def ask(app: MemtuiApp, question: Question) -> str:
    """The answer to a question."""
    from memtui.tui.screens.choice import ChoiceScreen

    return await app.push_screen_wait(ChoiceScreen(question))


async def ask_then(app: MemtuiApp, question: Question, then: Callable[[str], Coroutine[Any, Any, object]]) -> None:
    """Ask, and start what follows from the answer; returns when the dialog stands."""
    from memtui.tui.screens.choice import ChoiceScreen

    if stands(app, question):
        return

    def answered(answer: str | None) -> None:
        app.start(then(answer or question.options[0].value))

    await app.push_screen(ChoiceScreen(question), answered)


def stands(app: MemtuiApp, question: Question) -> bool:
    """True while the dialog on top asks this already."""
    asked = getattr(app.screen, "question", None)
    return asked is not None and asked.title == question.title
