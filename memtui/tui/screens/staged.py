"""The staged writes: what the agent waits to have approved, and what each would change.

It draws the state and hands keys on; what commands do stands in `tui/actions/staging.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.content import Content

from memtui.tui.actions.staging import OWN_HANDLERS, Edited
from memtui.tui.messages import RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.one_list import OneListScreen
from memtui.tui.staged_jobs import StagedJobs
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import staged_rows as rows
from memtui.view import staged_texts as words
from memtui.view.keys import Context
from memtui.view.staged import StagedEvent, StagedFailed, StagedPicked, StagedState, reduce_staged

STAGED = "staged"


class StagedScreen(OneListScreen, inherit_bindings=False):
    """One home's staged writes; the cursor begins on the record whose id is `wanted`."""

    PLACE = Context.STAGED
    COLUMNS = (STAGED,)
    OWN = OWN_HANDLERS
    BINDINGS = bindings_of(Context.STAGED)
    AUTO_FOCUS = f"#{STAGED}"

    def __init__(self, wanted: str = "") -> None:
        super().__init__()
        self.staged = StagedState(wanted=wanted)
        self.edited: Edited | None = None
        """What the open editor holds, or the last one held."""
        self._seen: tuple[object, ...] = ()

    @property
    def jobs(self) -> StagedJobs:
        """What can be asked of the store."""
        return StagedJobs(self.memtui.jobs)

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.apply(StagedPicked(self.staged.position + rows))

    def on_mount(self) -> None:
        """Draw the first state, and read the records beside it."""
        super().on_mount()
        self.state_changed()

    def apply(self, event: StagedEvent) -> None:
        """Take over an event."""
        self.staged = reduce_staged(self.staged, event)
        self.redraw()

    def fail(self, problem: str) -> None:
        """Say above the footer why something was not done."""
        self.apply(StagedFailed(problem))

    async def read_anew(self) -> None:
        """Read the records and the files that they would change."""
        self.apply(await self.memtui.jobs.run(self.jobs.list))

    def state_changed(self) -> None:
        """Follow the folder of records and the files: each changes what an approval would do."""
        super().state_changed()
        seen = (self.state.staged_serial, *(group.load and group.load.file.raw for group in self.state.groups))
        if seen != self._seen:
            self._seen = seen
            self.memtui.start(self.read_anew(), "staged", exclusive=True)
        if self.editor is not None:
            for group in self.state.groups:
                if group.key == self.editor.draft.group and group.load is not None:
                    self.editor.show_file(group.load.file)

    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Go on when no text is being edited, or once a person said that it may go."""
        await self.drop_text_then(go_on)

    def draw(self) -> None:
        """Draw the state."""
        state = self.staged
        self.show_header(words.header_left(state))
        self.show_lines("banner", ())
        gauge = rows.budget_line(state.view, max(self.size.width - 2, 1))
        self.show_lines("gauge", (gauge,) if gauge else (), 1)
        pane = self.query_one(f"#{STAGED}", RowList)
        pane.border_title = Content("Waiting for approval, oldest first")
        drawn = Rows(
            len(state.views or ()), state.position, partial(rows.row_line, state), (state.views, state.first),
            words.empty_words(state),
        )  # fmt: skip
        pane.show(drawn)
        self.show_detail(rows.detail_of(state))
        self.show_status(state.problem)

    def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked record. Approving is never a click's doing."""
        self.apply(StagedPicked(message.position))
