"""The home chooser: every home with its gauges and what calls for a person; rows come as they are read.

It draws the state and hands keys on; what commands do stands in `tui/actions/homing.py`.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial

from textual.content import Content

from memtui.tui.actions.homing import OWN_HANDLERS
from memtui.tui.home_jobs import HomesReading, key_of
from memtui.tui.messages import FilterChanged, RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.filtered_list import FilteredListScreen
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import homes_rows as words
from memtui.view.homes import (
    HomePicked,
    HomesEvent,
    HomesFiltered,
    HomesState,
    ReadingBegan,
    ReadingEnded,
    reduce_homes,
)
from memtui.view.keys import Context

HOMES = "homes"


class HomesScreen(FilteredListScreen, inherit_bindings=False):
    """Every home that is known, and the other profiles of the one in use."""

    PLACE = Context.HOMES
    COLUMNS = (HOMES,)
    OWN = OWN_HANDLERS
    BINDINGS = bindings_of(Context.HOMES)
    AUTO_FOCUS = f"#{HOMES}"

    def __init__(self) -> None:
        super().__init__()
        self.homes = HomesState()

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.apply(HomePicked(self.homes.position + rows))

    def on_mount(self) -> None:
        """Draw the first state, and begin to read."""
        super().on_mount()
        self.begin()

    def begin(self) -> None:
        """Read every home anew."""
        self.memtui.start(_read(self), "homes", exclusive=True)

    def apply(self, event: HomesEvent) -> None:
        """Take over an event."""
        self.homes = reduce_homes(self.homes, event)
        self.redraw()

    def draw(self) -> None:
        """Draw the state."""
        state = self.homes
        self.show_header(words.header_left(state))
        self.show_lines("banner", (*words.demo_lines(is_demo=self.memtui.is_demo), *words.banner(state)))
        self.show_lines("gauge", ())
        pane = self.query_one(f"#{HOMES}", RowList)
        pane.border_title = Content(words.title(state))
        drawn = Rows(
            len(state.shown), state.position, partial(words.row_line, state),
            (state.homes, state.shown, state.marked), words.empty_words(state),
        )  # fmt: skip
        pane.show(drawn)
        self.show_detail(words.detail_of(state))
        self.show_status()

    async def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked home; a double click opens it."""
        self.apply(HomePicked(message.position))
        if message.is_double:
            await self.action_command("home.open")

    def on_filter_changed(self, message: FilterChanged) -> None:
        """Filter by the words."""
        self.apply(HomesFiltered(message.query))


async def _read(screen: HomesScreen) -> None:
    home = screen.memtui.jobs.home_or_none
    current = await asyncio.to_thread(key_of, home) if home else ""
    screen.apply(ReadingBegan(current, time.time()))
    reading = HomesReading(home, is_demo=screen.memtui.is_demo)
    while screen.is_there and (came := await asyncio.to_thread(reading.next_slice)) is not None:
        screen.apply(came)
    screen.apply(ReadingEnded(reading.problem))
