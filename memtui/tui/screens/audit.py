"""The audit screen: every finding of the open home, or of every home that is known, the worst first.

It draws the state and hands keys on; what commands do stands in `tui/actions/auditing.py`.
"""

from __future__ import annotations

import asyncio
from functools import partial

from textual.content import Content

from memtui.tui.actions.auditing import OWN_HANDLERS
from memtui.tui.audit_jobs import AuditJobs
from memtui.tui.messages import FilterChanged, RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.filtered_list import FilteredListScreen
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import audit_rows as words
from memtui.view.audit import (
    AuditBegan,
    AuditEnded,
    AuditEvent,
    AuditState,
    CursorSet,
    WordsTyped,
    reduce_audit,
)
from memtui.view.homes_rows import demo_lines
from memtui.view.keys import Context
from memtui.view.state import ViewState

FINDINGS = "findings"


class AuditScreen(FilteredListScreen, inherit_bindings=False):
    """All findings as one list."""

    PLACE = Context.AUDIT
    COLUMNS = (FINDINGS,)
    OWN = OWN_HANDLERS
    # "d" and the key that answers its question may come at once.
    BINDINGS = bindings_of(Context.AUDIT, priority=True)
    AUTO_FOCUS = f"#{FINDINGS}"

    def __init__(self, left: AuditState | None = None) -> None:
        """`left`: the audit as it was left for an entry; it goes on there."""
        super().__init__()
        self.audit = left or AuditState()
        self._looked_at: object = None
        """What stood on disk when the audit began, as far as the review screen knows."""

    @property
    def jobs(self) -> AuditJobs:
        """What can be asked."""
        return AuditJobs(self.memtui.jobs)

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.apply(CursorSet(self.audit.position + rows))

    def on_mount(self) -> None:
        """Draw the first state, and begin to look."""
        super().on_mount()
        self.filter_bar.value = self.audit.query
        self.filter_bar.display = bool(self.audit.query.strip())
        self.begin(is_every_home=self.audit.is_every_home)

    def begin(self, *, is_every_home: bool = False, wanted: tuple[object, ...] | None = None) -> None:
        """Audit anew; the cursor stays, or goes to the wanted row."""
        self._looked_at = _on_disk(self.state)
        self.memtui.start(self._audited(AuditBegan(is_every_home, wanted)), "audit", exclusive=True)

    def state_changed(self) -> None:
        """Follow the files: what changed outside is audited anew."""
        super().state_changed()
        if self.is_mounted and self.state.groups and _on_disk(self.state) != self._looked_at:
            self.begin(is_every_home=self.audit.is_every_home)

    def refused_commands(self) -> frozenset[str]:
        """Nothing is marked twice, and the agent's own verdict never."""
        row = self.audit.picked
        return frozenset() if row is None or row.can_be_known else frozenset({"finding.know"})

    def apply(self, event: AuditEvent) -> None:
        """Take over an event."""
        self.audit = reduce_audit(self.audit, event)
        self.redraw()

    def draw(self) -> None:
        """Draw the state."""
        state = self.audit
        rules = self.state.home.rules if self.state.home else ""
        self.show_header(words.header_left(state, rules), counts_staged=False)
        demo = demo_lines(is_demo=self.memtui.is_demo and state.is_every_home)
        self.show_lines("banner", (*demo, *words.problem_lines(state)))
        self.show_lines("gauge", (words.counts_line(state),), 1)
        pane = self.query_one(f"#{FINDINGS}", RowList)
        pane.border_title = Content(f"{len(state.shown):,} of {len(state.rows):,} findings, the worst first")
        rows = Rows(
            len(state.shown), state.position, partial(words.row_line, state), (state.rows, state.shown),
            words.empty_words(state),
        )  # fmt: skip
        pane.show(rows)
        self.show_detail(words.detail_of(state))
        self.show_status(told_above=state.problems)

    def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked row; a double click goes to its entry."""
        self.apply(CursorSet(message.position))
        if message.is_double:
            self.call_next(partial(self.action_command, "finding.go"))

    def on_filter_changed(self, message: FilterChanged) -> None:
        """Filter by the words."""
        if message.query != self.audit.query:
            self.apply(WordsTyped(message.query))

    async def _audited(self, began: AuditBegan) -> None:
        self.apply(began)
        run = self.jobs.begin(is_every_home=began.is_every_home, is_demo=self.memtui.is_demo)
        while self.is_there and (found := await asyncio.to_thread(run.next_slice)) is not None:
            self.apply(found)
        self.apply(AuditEnded())


def _on_disk(state: ViewState) -> object:
    """Equal as long as no file changed and nothing else in the home was looked at anew."""
    return (state.staged_serial, *(group.load and group.load.file.raw for group in state.groups))
