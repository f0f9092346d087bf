"""From a finding of the audit to what holds it: the entry in the review, or the staged write, in whichever home."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from memtui.view import texts
from memtui.view import threat_texts as words
from memtui.view.audit_finding import BACKUP, STAGED
from memtui.view.events import EntryPicked, FilterTyped, SideSwitched, TargetSwitched
from memtui.view.rows import EntryKey, Side, find_row

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.screens.audit import AuditScreen
    from memtui.view.audit_finding import AuditRow


async def reach(screen: AuditScreen, row: AuditRow, then: Callable[[], object] = lambda: None) -> None:
    """Leave the audit for the entry, or open its staged write, and go on from there; say why where that cannot be."""
    app = screen.memtui
    app.review.left_audit = screen.audit
    if row.one.kind == BACKUP:
        app.tell(texts.Notice(words.in_a_backup(row), texts.Level.WARNING))
    elif not row.is_own:
        await _reach_elsewhere(screen, row, then)
    elif row.one.kind == STAGED:
        await _show_staged(app, row, lambda: screen.begin(is_every_home=screen.audit.is_every_home))
    elif _selected(app, row):
        await screen.dismiss()
        then()


async def _reach_elsewhere(screen: AuditScreen, row: AuditRow, then: Callable[[], object]) -> None:
    """Open the home that the finding stands in, and go there; a draft asks first."""
    from memtui.tui.audit_jobs import home_of
    from memtui.tui.leaving import once_written
    from memtui.tui.reopening import reopen

    app = screen.memtui

    def arrived() -> None:
        if row.one.kind == STAGED:
            app.start(_show_staged(app, row))
        elif _selected(app, row):
            then()

    def go() -> None:
        app.review.close_editor()
        screen.dismiss()
        reopen(app, home_of(row), arrived)

    await app.review.drop_text_then(partial(once_written, app, go))


async def _show_staged(app: MemtuiApp, row: AuditRow, left: Callable[[], object] = lambda: None) -> None:
    from memtui.tui.screens.staged import StagedScreen

    await app.push_screen(StagedScreen(PurePath(row.one.file).stem), lambda _: left())


def _selected(app: MemtuiApp, row: AuditRow) -> bool:
    """Select the finding's entry in the review; False, and why is told, when it is not there."""
    places = [index for index, group in enumerate(app.state.groups) if group.key == row.one.target]
    if places:
        app.apply(TargetSwitched(places[0]))
        app.apply(SideSwitched(Side.LIVE))
        app.apply(FilterTyped(""))
        if (bar := app.review.filter_bar) is not None:
            bar.value, bar.display = "", False
        group = app.state.groups[places[0]]
        position = find_row(group.rows, group.shown, EntryKey(Side.LIVE, row.one.text))
        if position is not None:
            app.apply(EntryPicked(position))
            return True
    app.tell(texts.Notice(words.NOT_FOUND_ANY_MORE, texts.Level.WARNING))
    return False
