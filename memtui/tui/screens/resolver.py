"""The resolver: sources, candidates, and the file as it will be, side by side.

It draws the state and hands keys on; what commands do stands in `tui/actions/resolving.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from memtui.core.errors import MemoryRefused
from memtui.core.resolve import Draft
from memtui.tui.actions.resolving import OWN_HANDLERS
from memtui.tui.messages import RowPicked
from memtui.tui.resolver_jobs import ResolverJobs
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.place import PlaceScreen
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import resolver_texts as words
from memtui.view import texts
from memtui.view.keys import Context
from memtui.view.resolver import Column, ResolverState
from memtui.view.resolver_events import ColumnCalled, CursorMoved, DraftChanged, ResolverEvent, StepFailed
from memtui.view.resolver_reducing import reduce_resolver
from memtui.view.resolver_rows import budget_line, detail_of, row_of
from memtui.view.state import GroupView


class ResolverScreen(PlaceScreen, inherit_bindings=False):
    """One target's resolver."""

    PLACE = Context.RESOLVER
    COLUMNS = tuple(column.value for column in Column)
    OWN = OWN_HANDLERS
    BINDINGS = bindings_of(Context.RESOLVER)
    AUTO_FOCUS = "#candidates"

    def __init__(self, group: GroupView) -> None:
        super().__init__()
        self.group = group
        self.begin_anew()
        self.is_writing = False
        """True while the resolver itself changes the file: no other program did."""

    def begin_anew(self) -> None:
        """Forget what was picked: the file was just written."""
        self.resolver = ResolverState(self.group.key, self.group.file_name, time.time())

    @property
    def jobs(self) -> ResolverJobs:
        """What can be asked of the store."""
        return ResolverJobs(self.memtui.jobs, self.group.key)

    @property
    def called(self) -> str:
        """Id of the called list."""
        return self.resolver.column.value

    def call(self, column: str) -> None:
        """Call another list."""
        self.apply(ColumnCalled(Column(column)))

    def move(self, rows: int) -> None:
        """Move the cursor of the called list."""
        column = self.resolver.column
        self.apply(CursorMoved(column, self.resolver.positions[column] + rows))

    def compose_lists(self) -> ComposeResult:
        """Three lists."""
        with Horizontal(id="lists"):
            for column in Column:
                yield RowList(id=column.value)

    def on_mount(self) -> None:
        """Draw the first state, and read the file beside it."""
        super().on_mount()
        self.reopen()

    # ------------------------------------------------------------------------------------- state and jobs

    def apply(self, event: ResolverEvent) -> None:
        """Take over an event, and let be read and compared what is not known yet."""
        self.resolver = reduce_resolver(self.resolver, event)
        self.redraw()
        state = self.resolver
        if state.draft is None:
            return
        if state.cut is None:
            self.memtui.start(self._cut(state.draft, state.source), "cut", exclusive=True)
        elif state.unmarked:
            self.memtui.start(self._mark(state.draft, state.unmarked), "mark", exclusive=True)

    def change(self, draft: Draft, follow: str | None = None) -> None:
        """Take over another draft."""
        self.apply(DraftChanged(draft, follow))

    def fail(self, problem: str) -> None:
        """Say why something was not done."""
        self.apply(StepFailed(problem))
        self.memtui.tell(texts.Notice(problem, texts.Level.WARNING))

    def reopen(self, *, keeps_picks: bool = False, encoding: str = "") -> None:
        """Read and cut the file anew, then judge its copies."""
        self.memtui.start(self.read_anew(keeps_picks=keeps_picks, encoding=encoding), "open", exclusive=True)

    async def read_anew(self, *, keeps_picks: bool = False, encoding: str = "") -> None:
        """Read and cut the file, and show it; then judge its copies, which may be many."""
        run = self.memtui.jobs.run
        self.apply(await run(partial(self.jobs.open, encoding, keeps_picks=keeps_picks)))
        self.apply(await run(self.jobs.judge))

    def state_changed(self) -> None:
        """Follow the file when another program wrote it."""
        super().state_changed()
        load = next((group.load for group in self.state.groups if group.key == self.group.key), None)
        draft = self.resolver.draft
        if self.is_writing or load is None or draft is None or load.file.raw == draft.base.raw_bytes:
            return
        if self.resolver.is_touched:
            self.memtui.tell(
                texts.Notice(words.changed_underneath(self.group.file_name), texts.Level.WARNING)
            )
        self.reopen(keeps_picks=self.resolver.is_touched)

    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Go on when nothing is picked that is not written, or once a person said that it may go."""
        if not self.resolver.is_touched and self.editor is None:
            go_on()
            return

        async def answered(answer: str) -> None:
            if answer == "drop":
                go_on()

        await self.memtui.ask_then(words.draft_question(self.resolver), answered)

    async def _cut(self, draft: Draft, source: str) -> None:
        self.apply(await self.memtui.jobs.run(partial(self.jobs.cut, draft, source)))

    async def _mark(self, draft: Draft, texts_made: tuple[str, ...]) -> None:
        source = self.resolver.source
        try:
            self.apply(await self.memtui.jobs.run(partial(self.jobs.mark, draft, source, texts_made)))
        except MemoryRefused as refusal:
            self.fail(str(refusal))

    # -------------------------------------------------------------------------------------------- drawing

    def draw(self) -> None:
        """Draw the state."""
        state = self.resolver
        self.show_header(words.header_left(state))
        self.show_lines("banner", words.banner(state))
        self.show_lines("gauge", filter(None, (budget_line(state, max(self.size.width - 2, 1)),)), 1)
        for column in Column:
            pane = self.query_one(f"#{column.value}", RowList)
            pane.border_title = Content(words.column_title(state, column, self.is_alone))
            pane.show(self._rows(column))
        self.show_detail(detail_of(state))
        self.show_status(state.problem)

    def _rows(self, column: Column) -> Rows:
        state = self.resolver
        made_of: tuple[object, ...] = (state.sources,)
        if column is not Column.SOURCES:
            made_of = (state.cut, state.draft.picked if state.draft else None, state.marks)
        return Rows(
            len(state.rows(column)),
            state.positions[column],
            partial(row_of, state, column),
            made_of,
            words.empty_column(state, column),
        )

    async def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked row; a double click picks a candidate."""
        self.apply(CursorMoved(Column(message.pane), message.position))
        if message.is_double and self.resolver.column is not Column.SOURCES:
            await self.action_command("draft.pick")
