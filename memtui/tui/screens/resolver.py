"""The resolver: sources, candidates, and the file as it will be, side by side.

It draws the state and hands keys on; what commands do stands in `tui/actions/resolving.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from memtui.tui.actions.resolving import OWN_HANDLERS
from memtui.tui.asking import ask_then
from memtui.tui.messages import RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.resolver_reading import ResolverReading
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import resolver_texts as words
from memtui.view.keys import Context
from memtui.view.resolver import Column
from memtui.view.resolver_events import ColumnCalled, CursorMoved
from memtui.view.resolver_rows import budget_line, detail_of, row_of


class ResolverScreen(ResolverReading, inherit_bindings=False):
    """One target's resolver."""

    PLACE = Context.RESOLVER
    COLUMNS = tuple(column.value for column in Column)
    OWN = OWN_HANDLERS
    BINDINGS = bindings_of(Context.RESOLVER)
    AUTO_FOCUS = "#candidates"

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

    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Go on when nothing is picked that is not written, or once a person said that it may go."""
        is_typed = self.editor is not None and self.editor.draft.is_changed
        if not self.resolver.is_touched and not is_typed:
            go_on()
            return

        async def answered(answer: str) -> None:
            if answer == "drop":
                go_on()

        await ask_then(self.memtui, words.draft_question(self.resolver), answered)

    def draw(self) -> None:
        """Draw the state."""
        state = self.resolver
        self.show_header(words.header_left(state))
        self.show_lines("banner", words.banner(state, self._other_drifted()))
        self.show_lines("gauge", filter(None, (budget_line(state, max(self.size.width - 2, 1)),)), 1)
        for column in Column:
            pane = self.query_one(f"#{column.value}", RowList)
            pane.border_title = Content(words.column_title(state, column, self.is_alone))
            pane.show(self._rows(column))
        self.show_detail(detail_of(state))
        self.show_status(state.problem)

    def _other_drifted(self) -> tuple[str, ...]:
        others = (group for group in self.state.groups if group.key != self.group.key)
        return tuple(group.file_name for group in others if group.load and group.load.file.drift)

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
