"""The history: every version of one file, what it holds, and how it differs.

It draws the state and hands keys on; what commands do stands in `tui/actions/bringing_back.py`.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.messages import RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.place import PlaceScreen
from memtui.tui.timeline_jobs import TimelineJobs
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import timeline_rows as words
from memtui.view.keys import Context
from memtui.view.state import GroupView
from memtui.view.timeline import (
    RowChosen,
    TimelineEvent,
    TimelineState,
    Track,
    TrackCalled,
    reduce_timeline,
)

SETTLED_S: Final = 0.06
"""The cursor rests this long before a version is read: a held key passes a hundred versions in three seconds."""


class TimelineScreen(PlaceScreen, inherit_bindings=False):
    """One target's history."""

    PLACE = Context.HISTORY
    COLUMNS = tuple(track.value for track in Track)
    OWN = PLACE_HANDLERS
    BINDINGS = bindings_of(Context.HISTORY)
    AUTO_FOCUS = "#versions"

    def __init__(self, group: GroupView) -> None:
        super().__init__()
        self.group = group
        self.timeline = TimelineState(group.key, group.file_name, time.time())
        self._seen: object = (group.load.file.raw, group.load.is_scanned) if group.load else None
        """The look that the list was made after: bytes, and whether they were recorded and scanned since."""

    @property
    def jobs(self) -> TimelineJobs:
        """What can be asked of the store."""
        return TimelineJobs(self.memtui.jobs, self.group.key)

    @property
    def called(self) -> str:
        """Id of the called list."""
        return self.timeline.track.value

    def call(self, column: str) -> None:
        """Call another list."""
        self.apply(TrackCalled(Track(column)))

    def move(self, rows: int) -> None:
        """Move the cursor of the called list."""
        state = self.timeline
        at = state.position if state.track is Track.VERSIONS else state.entry_position
        self.apply(RowChosen(state.track, at + rows))

    def compose_lists(self) -> ComposeResult:
        """Two lists."""
        with Horizontal(id="lists"):
            for track in Track:
                yield RowList(id=track.value)

    def on_mount(self) -> None:
        """Draw the first state, and list the versions beside it."""
        super().on_mount()
        self.reopen()

    def apply(self, event: TimelineEvent) -> None:
        """Take over an event, and let the chosen version be compared."""
        self.timeline = reduce_timeline(self.timeline, event)
        self.redraw()
        if self.timeline.needs_comparison:
            self.memtui.start(self._compare(), "compare", exclusive=True)

    def reopen(self) -> None:
        """List the versions anew."""
        self.memtui.start(self._listed(), "open", exclusive=True)

    async def _listed(self) -> None:
        self.apply(await self.memtui.jobs.run(self.jobs.open))

    async def _compare(self) -> None:
        if self.timeline.comparison is None and self.timeline.counts:
            await asyncio.sleep(SETTLED_S)
        state = self.timeline
        if state.version is not None:
            job = partial(self.jobs.compare, state.version, state.version_before, state.against)
            self.apply(await self.memtui.jobs.run(job))

    def state_changed(self) -> None:
        """Something was written: list the versions anew."""
        super().state_changed()
        load = next((group.load for group in self.state.groups if group.key == self.group.key), None)
        # An outside change is recorded after it was shown and before it is scanned.
        seen = (load.file.raw, load.is_scanned) if load is not None else None
        if seen != self._seen:
            self._seen = seen
            self.reopen()

    def draw(self) -> None:
        """Draw the state."""
        state = self.timeline
        self.show_header(words.header_left(state))
        self.show_lines("banner", words.banner(state))
        self.show_lines("gauge", ())
        for track in Track:
            pane = self.query_one(f"#{track.value}", RowList)
            pane.border_title = Content(words.track_title(state, track, self.is_alone))
            pane.show(self._rows(track))
        self.show_detail(words.detail_of(state))
        self.show_status()

    def _rows(self, track: Track) -> Rows:
        state = self.timeline
        empty = words.empty_track(state, track)
        if track is Track.VERSIONS:
            draw = partial(words.version_line, state)
            return Rows(
                len(state.versions or ()),
                state.position,
                draw,
                (state.versions, state.counts, state.against),
                empty,
            )
        draw = partial(words.entry_line, state)
        return Rows(len(state.entries), state.entry_position, draw, (state.comparison,), empty)

    async def on_row_picked(self, message: RowPicked) -> None:
        """Choose the clicked row; a double click brings it back."""
        self.apply(RowChosen(Track(message.pane), message.position))
        if message.is_double:
            await self.action_command("version.restore")
