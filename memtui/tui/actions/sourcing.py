"""Commands on what the agent keeps beside its memory: real sessions as snapshots, and its archive."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import ThreatFound
from memtui.tui.asking import ask
from memtui.view import archive_rows as words
from memtui.view import questions, texts
from memtui.view.chats import NO_BLOCK, PREDICTED, Sources, source_choices
from memtui.view.events import ChangeRefused

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.archive import ArchiveScreen
    from memtui.tui.screens.place import PlaceScreen
    from memtui.tui.screens.review import ReviewScreen


def choose_snapshot(screen: ReviewScreen, key: str) -> None:
    """Choose what the snapshot pane shows."""
    screen.memtui.start(_choose_snapshot(screen))


async def _choose_snapshot(screen: ReviewScreen) -> None:
    from memtui.tui.screens.pick import PickScreen

    app = screen.memtui
    sources = await app.jobs.run(app.lookout.chats.sources)
    picked = await app.push_screen_wait(PickScreen(source_choices(sources)))
    if picked is not None:
        await _show_source(screen, sources, picked)


async def _show_source(screen: ReviewScreen, sources: Sources, picked: int) -> None:
    from memtui.tui.actions.looking import freeze

    app = screen.memtui
    if picked == 0:
        app.apply(await app.jobs.run(app.lookout.chats.show_prediction))
    elif picked < PREDICTED:
        freeze(screen, "")
    elif session := sources.sessions[picked - PREDICTED]:
        if not session.blocks:
            app.tell(texts.Notice(NO_BLOCK, texts.Level.WARNING))
        else:
            app.apply(await app.jobs.run(partial(app.lookout.chats.show, session)))
    app.lookout.match_filter()


async def open_archive(screen: ReviewScreen | PlaceScreen, key: str) -> None:
    """Open the archive."""
    from memtui.tui.screens.archive import ArchiveScreen

    await screen.app.push_screen(ArchiveScreen())


def restore(screen: ArchiveScreen, key: str) -> None:
    """Ask, then add the archived entry again."""
    screen.memtui.start(_restore(screen))


async def _restore(screen: ArchiveScreen) -> None:
    app, state = screen.memtui, screen.archive
    entry = state.entry
    if entry is None or not entry.text:
        app.tell(texts.Notice(words.NO_ENTRY if entry is None else words.NO_TEXT, texts.Level.WARNING))
        return
    files = {group.key: group.load.file for group in app.state.groups if group.load is not None}
    answer = await ask(app, words.restore_question(entry, files))
    if answer not in files:
        return
    allow: tuple[str, ...] = ()
    while True:
        job = partial(screen.jobs.restore, answer, entry.text, allow)
        events = await app.change(job, quiet=(ThreatFound.code,))
        refusal = next((event for event in events if isinstance(event, ChangeRefused)), None)
        if refusal is None or refusal.code != ThreatFound.code:
            return
        if await ask(app, questions.threat_question(refusal.details, *words.ANSWERS_TO_A_THREAT)) != "allow":
            return
        allow = tuple(refusal.details["rules"])


HANDLERS: Mapping[str, Handler] = {
    "snapshot.choose": choose_snapshot,
    "archive.open": open_archive,
    "archive.restore": restore,
}
