"""The archive: what newer agents evicted from a full memory, and bringing it back.

It draws the state and hands keys on; what commands do stands in `tui/actions/sourcing.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual.content import Content

from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.archive_jobs import ArchiveJobs
from memtui.tui.messages import RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.one_list import OneListScreen
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import archive_rows as words
from memtui.view.cursor import clamped
from memtui.view.keys import Context

ARCHIVED = "archived"


class ArchiveScreen(OneListScreen, inherit_bindings=False):
    """One home's archive."""

    PLACE = Context.ARCHIVE
    COLUMNS = (ARCHIVED,)
    OWN = PLACE_HANDLERS
    BINDINGS = bindings_of(Context.ARCHIVE)
    AUTO_FOCUS = f"#{ARCHIVED}"

    def __init__(self) -> None:
        super().__init__()
        self.archive = words.ArchiveState()
        self._seen: tuple[object, ...] = ()

    @property
    def jobs(self) -> ArchiveJobs:
        """What can be asked of the store."""
        return ArchiveJobs(self.memtui.jobs)

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self._pick(self.archive.position + rows)

    def on_mount(self) -> None:
        """Draw the first state, and read the archive beside it."""
        super().on_mount()
        self.state_changed()

    def state_changed(self) -> None:
        """Read again when a file changed: what is live is told."""
        super().state_changed()
        seen = tuple(group.load and group.load.file.raw for group in self.state.groups)
        if seen != self._seen:
            self._seen = seen
            self.memtui.start(self._read(), "archive", exclusive=True)

    def draw(self) -> None:
        """Draw the state."""
        state = self.archive
        self.show_header(words.header_left(state))
        self.show_lines("banner", words.banner(state))
        self.show_lines("gauge", ())
        pane = self.query_one(f"#{ARCHIVED}", RowList)
        pane.border_title = Content("Evicted by the agent, newest first")
        drawn = Rows(
            len(state.entries), state.position, partial(words.row_line, state), (state.archive, state.live),
            words.empty_words(state),
        )  # fmt: skip
        pane.show(drawn)
        self.show_detail(words.detail_of(state))
        self.show_status()

    async def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked line; a double click brings it back."""
        self._pick(message.position)
        if message.is_double:
            await self.action_command("archive.restore")

    def _pick(self, position: int) -> None:
        self.archive = replace(self.archive, position=clamped(position, len(self.archive.entries)))
        self.redraw()

    async def _read(self) -> None:
        position = self.archive.position
        self.archive = await self.memtui.jobs.run(self.jobs.open)
        self._pick(position)
