"""The history's commands: compare a version, bring it or one of its entries back after asking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import MemoryRefused
from memtui.tui.asking import ask
from memtui.view import texts
from memtui.view import timeline_rows as words
from memtui.view.amounts import full_moment_words
from memtui.view.events import Event
from memtui.view.resolver_texts import restore_question
from memtui.view.timeline import AgainstSwitched, Standing, Track

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.restoring import RestoreView
    from memtui.tui.screens.timeline import TimelineScreen


def bring_back(screen: TimelineScreen, key: str) -> None:
    """Bring back the chosen version, or the chosen entry of it, after asking."""
    if screen.timeline.track is Track.ENTRIES:
        _bring_entry_back(screen)
    else:
        _bring_version_back(screen)


def _bring_version_back(screen: TimelineScreen) -> None:
    version = screen.timeline.version
    if version is None:
        _say(screen, words.NO_VERSION)
    elif version.sha256 == screen.timeline.now_sha256:
        _say(screen, words.STANDS_ALREADY)
    else:
        name = f"the version of {full_moment_words(version.when)}"
        _ask_and_restore(
            screen,
            name,
            "byte for byte",
            partial(screen.jobs.view_version, version),
            partial(screen.jobs.restore, version),
        )


def _bring_entry_back(screen: TimelineScreen) -> None:
    entry = screen.timeline.entry
    if entry is None:
        _say(screen, words.NO_ENTRY if screen.timeline.comparison else words.STILL_READING)
    elif entry.standing is Standing.LIVE:
        _say(screen, words.ENTRY_IS_LIVE)
    else:
        _ask_and_restore(
            screen,
            "this entry",
            "at the end of the file",
            partial(screen.jobs.view_entry, entry.text),
            partial(screen.jobs.restore_entry, entry.text),
        )


def _ask_and_restore(
    screen: TimelineScreen,
    name: str,
    what: str,
    look: Callable[[], RestoreView],
    job: Callable[[], tuple[Event, ...]],
) -> None:
    app = screen.memtui

    async def asked() -> None:
        try:
            view = await app.jobs.run(look)
        except MemoryRefused as refusal:
            _say(screen, str(refusal))
            return
        question = restore_question(name, screen.group.file_name, view.lines, view.warnings, what)
        if await ask(app, question) == "restore":
            await app.change(job)

    app.start(asked())


def _say(screen: TimelineScreen, sentence: str) -> None:
    screen.memtui.tell(texts.Notice(sentence, texts.Level.WARNING))


HANDLERS: Mapping[str, Handler] = {
    "version.restore": bring_back,
    "version.compare": lambda screen, key: screen.apply(AgainstSwitched()),
}
