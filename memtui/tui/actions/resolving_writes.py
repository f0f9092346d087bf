"""The resolver's commands that reach the disk: write the draft, restore, back up, delete what holds nothing more.

Each asks what has to be asked and hands a job to the store. A refused write leaves the draft as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import Conflict, MemoryRefused, OverBudget, ThreatFound
from memtui.core.resolve import FILE_NOW, Draft
from memtui.tui.asking import ask
from memtui.view import questions, texts
from memtui.view import resolver_texts as words
from memtui.view.events import ChangeCommitted, ChangeRefused

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.resolver import ResolverScreen

ANSWERED_HERE = ("threat", "conflict", "over_budget", "invalid")
"""Codes of refusals that the resolver answers itself, with a dialog."""


def preview(screen: ResolverScreen, key: str) -> None:
    """Show what writing the draft would change on disk."""
    from memtui.tui.screens.reading import ReadingScreen

    draft = screen.resolver.draft
    if draft is None:
        return

    async def shown() -> None:
        lines = await asyncio.to_thread(lambda: draft.diff)
        page = words.preview_page(lines, draft.budget, len(draft.picked))
        screen.app.push_screen(ReadingScreen(words.PREVIEW_TITLE, page))

    screen.memtui.start(shown())


def write(screen: ResolverScreen, key: str) -> None:
    """Write the draft; what would be left out of the file is asked about first."""
    draft = screen.resolver.draft
    if draft is None:
        screen.fail(words.STILL_READING)
    elif draft.raw_bytes == draft.base.raw_bytes:
        screen.memtui.tell(texts.Notice(words.STANDS_SO))
    elif not screen.is_writing:
        screen.memtui.start(_asked_and_written(screen, draft))


async def _asked_and_written(screen: ResolverScreen, draft: Draft) -> None:
    now = screen.resolver.cuts[FILE_NOW].pieces
    lost = await asyncio.to_thread(_left_out, now, draft.picked)
    if lost:
        lines = await asyncio.to_thread(lambda: draft.diff)
        if await ask(screen.memtui, words.write_question(draft, lost, lines)) != "write":
            return
    screen.is_writing = True
    try:
        await _written(screen, draft)
    finally:
        screen.is_writing = False


def _left_out(pieces: Sequence[str], picked: Sequence[str]) -> tuple[str, ...]:
    """Texts of the file now that stand in no picked text, alone or as a part of it."""
    kept = frozenset(picked)
    return tuple(text for text in pieces if text not in kept and not any(text in one for one in picked))


async def _written(screen: ResolverScreen, draft: Draft, allow: tuple[str, ...] = ()) -> None:
    app = screen.memtui
    events = await app.change(lambda: screen.jobs.write(draft, allow), quiet=ANSWERED_HERE)
    committed = next((event for event in events if isinstance(event, ChangeCommitted)), None)
    if committed is not None:
        await _offer_clean_up(screen, (str(committed.change), *committed.change.notices))
        await _finish(screen)
        return
    refusal = next(event for event in events if isinstance(event, ChangeRefused))
    if refusal.code == ThreatFound.code:
        if await ask(app, questions.threat_question(refusal.details, *words.ANSWERS_TO_A_THREAT)) == "allow":
            await _written(screen, draft, tuple({*allow, *refusal.details["rules"]}))
    elif refusal.code == Conflict.code:
        app.tell(texts.Notice(words.changed_underneath(screen.group.file_name), texts.Level.WARNING))
        await screen.read_anew(keeps_picks=True)
    elif refusal.code == OverBudget.code:
        await ask(app, words.over_budget_question(draft, screen.group.file_name))
    elif refusal.code in ANSWERED_HERE:
        await ask(app, words.refusal_question(refusal.message, screen.group.file_name))


async def _finish(screen: ResolverScreen) -> None:
    """Back to the review screen when the file is in order, else go on with what is left."""
    load = next(group.load for group in screen.state.groups if group.key == screen.group.key)
    if load is not None and (load.file.drift or load.file.merged):
        screen.begin_anew()
        await screen.read_anew()
    else:
        screen.dismiss()


async def _offer_clean_up(screen: ResolverScreen, said: Sequence[str] = ()) -> bool:
    """Offer to delete the backups that hold nothing more; False when there is none."""
    app = screen.memtui
    judged = await app.jobs.run(screen.jobs.judge)
    question = words.clean_up_question(judged.sources, screen.group.file_name, said)
    if question is None:
        return False
    answer = await ask(app, question)
    if answer == "keep":
        return True
    is_identical = answer == "identical"
    names = [
        row.name
        for row in judged.sources
        if row.is_backup and (row.is_identical if is_identical else not row.why_kept)
    ]
    try:
        deleted = await app.jobs.write(partial(screen.jobs.delete, names, only_identical=is_identical))
    except MemoryRefused as refusal:
        # Not on the status line of the resolver, which may be left after this.
        app.tell(texts.Notice(str(refusal), texts.Level.WARNING))
        return True
    app.tell(texts.Notice(words.deleted_words(deleted)))
    screen.apply(await app.jobs.run(screen.jobs.judge))
    return True


def clean_up(screen: ResolverScreen, key: str) -> None:
    """Offer to delete backups."""

    async def offered() -> None:
        if not await _offer_clean_up(screen):
            has_backups = any(row.is_backup for row in screen.resolver.sources)
            screen.memtui.tell(texts.Notice(words.NOTHING_TO_CLEAN if has_backups else words.NO_BACKUPS))

    screen.memtui.start(offered())


def restore(screen: ResolverScreen, key: str) -> None:
    """Put the chosen backup back byte for byte, after asking."""
    row = screen.resolver.picked_source
    if row is None or not row.is_backup:
        screen.fail(words.NO_SOURCE)
    elif not screen.is_writing:
        screen.memtui.start(_restored(screen, row.name))


async def _restored(screen: ResolverScreen, name: str) -> None:
    app = screen.memtui
    try:
        view = await app.jobs.run(partial(screen.jobs.view_backup, name))
    except MemoryRefused as refusal:
        screen.fail(str(refusal))
        return
    question = words.restore_question(name, screen.group.file_name, view.lines, view.warnings)
    if await ask(app, question) != "restore":
        return
    keeps_picks = screen.resolver.is_touched
    screen.is_writing = True
    try:
        await app.change(partial(screen.jobs.restore, name))
        await screen.read_anew(keeps_picks=keeps_picks)
    finally:
        screen.is_writing = False


def back_up(screen: ResolverScreen, key: str) -> None:
    """Make a backup of the file as it is now."""
    app = screen.memtui

    async def backed_up() -> None:
        try:
            name = await app.jobs.write(screen.jobs.back_up)
        except MemoryRefused as refusal:
            screen.fail(str(refusal))
            return
        app.tell(texts.Notice(words.backed_up(name)))
        screen.apply(await app.jobs.run(screen.jobs.judge))

    app.start(backed_up())


HANDLERS: Mapping[str, Handler] = {
    "draft.preview": preview,
    "draft.write": write,
    "backups.clean_up": clean_up,
    "backups.restore": restore,
    "backups.make": back_up,
}
