"""Commands of the review screen that mend a file: open the resolver or the history, tidy the layout, split an entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import MemoryRefused
from memtui.tui.asking import ask
from memtui.view import mending_texts as words
from memtui.view import questions, texts
from memtui.view.events import Event

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.mending_jobs import MendingJobs
    from memtui.tui.screens.review import ReviewScreen


async def resolve(screen: ReviewScreen, key: str) -> None:
    """Open the resolver on the group on screen."""
    from memtui.tui.screens.resolver import ResolverScreen

    group = screen.state.group
    if group is None or not group.capabilities.has_drift:
        screen.memtui.tell(texts.Notice(words.NO_DRIFT_HERE))
    else:
        await screen.app.push_screen(ResolverScreen(group))


async def show_history(screen: ReviewScreen, key: str) -> None:
    """Open the history of the group on screen."""
    from memtui.tui.screens.timeline import TimelineScreen

    if group := screen.state.group:
        await screen.app.push_screen(TimelineScreen(group))


def tidy(screen: ReviewScreen, key: str) -> None:
    """Show what tidying changes, then tidy."""
    group = screen.state.group
    if group is None or group.load is None:
        return
    file = group.load.file
    if file.drift:
        screen.memtui.tell(texts.Notice(words.drifted(group.file_name), texts.Level.WARNING))
        return
    if not words.is_tidiable(file):
        screen.memtui.tell(texts.Notice(words.already_tidy(group.file_name)))
        return
    jobs = _jobs(screen)
    _ask_and_do(
        screen,
        lambda: words.tidy_question(group.file_name, jobs.view_tidied(group.key), file.differences),
        "tidy",
        partial(jobs.tidy, group.key),
    )


def split(screen: ReviewScreen, key: str) -> None:
    """Show the notes of the selected entry, then make entries of them."""
    group, row = screen.state.group, screen.state.picked
    if group is None or row is None:
        return
    if row.live is None:
        screen.memtui.tell(texts.Notice(texts.NOT_ON_DISK, texts.Level.WARNING))
        return
    text, jobs = row.live.text, _jobs(screen)
    used_chars = group.load.file.budget.used_chars if group.load else 0
    _ask_and_do(
        screen,
        lambda: words.split_question(group.file_name, jobs.view_split(group.key, text), used_chars),
        "split",
        partial(jobs.split, group.key, text),
    )


def _jobs(screen: ReviewScreen) -> MendingJobs:
    from memtui.tui.mending_jobs import MendingJobs

    return MendingJobs(screen.memtui.jobs)


def _ask_and_do(
    screen: ReviewScreen,
    build: Callable[[], questions.Question],
    wanted: str,
    job: Callable[[], tuple[Event, ...]],
) -> None:
    """Build a question beside the event loop, ask it, and do the job when the answer is the wanted one."""
    app = screen.memtui

    async def asked() -> None:
        try:
            question = await app.jobs.run(build)
        except MemoryRefused as refusal:
            app.tell(texts.Notice(str(refusal), texts.Level.WARNING))
            return
        if await ask(app, question) == wanted:
            await app.change(job)

    app.start(asked())


HANDLERS: Mapping[str, Handler] = {
    "drift.resolve": resolve,
    "history.open": show_history,
    "file.tidy": tidy,
    "entry.split": split,
}
