"""Commands that every full screen above the review screen knows: move, call another list, help, go back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.tui.widgets.text_box import TextBox
from memtui.view import texts

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.place import PlaceScreen

TO_THE_END = 1_000_000_000


def _scroll_detail(screen: PlaceScreen, direction: int) -> None:
    screen.query_one("#detail", TextBox).page(direction / 2)


async def show_help(screen: PlaceScreen, key: str) -> None:
    """Show every key, those of this place first."""
    from memtui.tui.screens.reading import ReadingScreen
    from memtui.view.help import HANGING_CELLS, help_page

    await screen.app.push_screen(ReadingScreen(texts.HELP_TITLE, help_page(screen.PLACE), HANGING_CELLS))


async def leave(screen: PlaceScreen, key: str) -> None:
    """One step out: a wait, a message, then the screen."""
    if screen.state.waiting:
        screen.memtui.jobs.give_up_waiting()
    else:
        await screen.leave_then(screen.dismiss)


PLACE_HANDLERS: Mapping[str, Handler] = {
    "move.down": lambda screen, key: screen.move(1),
    "move.up": lambda screen, key: screen.move(-1),
    "move.page_down": lambda screen, key: screen.move(screen.page_rows()),
    "move.page_up": lambda screen, key: screen.move(-screen.page_rows()),
    "move.first": lambda screen, key: screen.move(-TO_THE_END),
    "move.last": lambda screen, key: screen.move(TO_THE_END),
    "detail.down": lambda screen, key: _scroll_detail(screen, 1),
    "detail.up": lambda screen, key: _scroll_detail(screen, -1),
    "app.help": show_help,
}
"""What commands of the review screen do on such a screen."""

HANDLERS: Mapping[str, Handler] = {
    "list.next": lambda screen, key: screen.call_other(1),
    "list.previous": lambda screen, key: screen.call_other(-1),
    "place.leave": leave,
}
