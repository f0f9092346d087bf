"""The home chooser's commands: open a home, mark one, compare two, filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from memtui.tui.actions.placing import HANDLERS as PLACE_OWN
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.view import homes_rows as words
from memtui.view import texts
from memtui.view.homes import HomeMarked, HomesFiltered

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.homes import HomesScreen
    from memtui.tui.screens.review import ReviewScreen


async def choose(screen: ReviewScreen, key: str) -> None:
    """Open the chooser."""
    from memtui.tui.screens.homes import HomesScreen

    await screen.app.push_screen(HomesScreen())


async def open_home(screen: HomesScreen, key: str, then: Callable[[], object] = lambda: None) -> None:
    """Open the home under the cursor in the app, and go on from there; a draft asks first."""
    from memtui.tui.leaving import once_written
    from memtui.tui.reopening import reopen

    app, home = screen.memtui, screen.homes.home
    if home is None:
        app.tell(texts.Notice(words.NO_HOME, texts.Level.WARNING))
        return
    if home.key == screen.homes.current:
        screen.dismiss()
        then()
        return

    def go() -> None:
        app.review.close_editor()
        app.review.left_audit = None
        screen.dismiss()
        reopen(app, home.row.home, then)

    await app.review.drop_text_then(partial(once_written, app, go))


async def audit(screen: HomesScreen, key: str) -> None:
    """Open the home under the cursor and go through its findings; a draft asks first."""
    from memtui.tui.screens.audit import AuditScreen

    app = screen.memtui
    await open_home(screen, key, lambda: app.push_screen(AuditScreen()))


def mark(screen: HomesScreen, key: str) -> None:
    """Mark the home under the cursor, or take the mark back."""
    screen.apply(HomeMarked())


async def compare(screen: HomesScreen, key: str) -> None:
    """Compare the home under the cursor with the marked one, else with the one in use."""
    from memtui.tui.screens.comparing import CompareScreen

    state = screen.homes
    one = state.known_as(state.marked) or state.known_as(state.current)
    other = state.home
    if one is None or other is None or one.key == other.key:
        screen.memtui.tell(texts.Notice(words.NOTHING_TO_COMPARE, texts.Level.WARNING))
        return
    await screen.app.push_screen(CompareScreen(one.row.home, other.row.home))


def open_filter(screen: HomesScreen, key: str) -> None:
    """Show the filter bar and go there."""
    screen.filter_bar.display = True
    screen.set_focus(screen.filter_bar)


def accept_filter(screen: HomesScreen, key: str) -> None:
    """Keep the filter and go to the list."""
    screen.filter_bar.display = bool(screen.homes.query.strip())
    screen.set_focus(screen.query_one("#homes"))


def clear_filter(screen: HomesScreen, key: str) -> None:
    """Show every home again and go to the list."""
    screen.filter_bar.value = ""
    screen.filter_bar.display = False
    screen.apply(HomesFiltered(""))
    screen.set_focus(screen.query_one("#homes"))


async def leave(screen: HomesScreen, key: str) -> None:
    """One step out: the filter first, then as everywhere."""
    if screen.homes.query.strip() and not screen.state.waiting:
        clear_filter(screen, key)
    elif (waited := PLACE_OWN["place.leave"](screen, key)) is not None:
        await waited


OWN_HANDLERS: Mapping[str, Handler] = {
    **PLACE_HANDLERS,
    "filter.accept": accept_filter,
    "filter.clear": clear_filter,
    "place.leave": leave,
}

HANDLERS: Mapping[str, Handler] = {
    "home.choose": choose,
    "home.open": open_home,
    "home.audit": audit,
    "home.mark": mark,
    "home.compare": compare,
    "home.filter": open_filter,
    "home.again": lambda screen, key: screen.begin(),
}
