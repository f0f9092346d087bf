"""The list of what is known and fine: every finding that a person marked so, for all homes; each can be taken back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from textual.content import Content

from memtui.core.errors import MemoryRefused
from memtui.disk.suppressions import Suppression
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.audit_jobs import AuditJobs
from memtui.tui.messages import RowPicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.one_list import OneListScreen
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import texts
from memtui.view import threat_texts as words
from memtui.view.amounts import counted
from memtui.view.cursor import clamped
from memtui.view.keys import Context
from memtui.view.lines import Line, Span, Tone, fit

KNOWN = "known"


class KnownScreen(OneListScreen, inherit_bindings=False):
    """What is known and fine, the newest first."""

    PLACE = Context.KNOWN
    COLUMNS = (KNOWN,)
    OWN = PLACE_HANDLERS
    BINDINGS = bindings_of(Context.KNOWN)
    AUTO_FOCUS = f"#{KNOWN}"

    def __init__(self, texts_by_key: Mapping[str, str]) -> None:
        """`texts_by_key`: the whole texts that stand somewhere, by the keys of what is known of them."""
        super().__init__()
        self.texts_by_key = texts_by_key
        self.items: tuple[Suppression, ...] = ()
        self.problem = ""
        """What is wrong with the record."""
        self.position = 0
        self.now_s = time.time()
        self._looked_at = 0
        """Which look at the disk the list was read after."""

    @property
    def jobs(self) -> AuditJobs:
        """What can be asked."""
        return AuditJobs(self.memtui.jobs)

    @property
    def picked(self) -> Suppression | None:
        """The selected one."""
        return self.items[self.position] if self.items else None

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.position = clamped(self.position + rows, len(self.items))
        self.redraw()

    def on_mount(self) -> None:
        """Draw, and read the list beside it."""
        super().on_mount()
        self.memtui.start(self.read())

    def state_changed(self) -> None:
        """Follow the record: another program may change it."""
        super().state_changed()
        if self.is_mounted and self.state.staged_serial != self._looked_at:
            self._looked_at = self.state.staged_serial
            self.memtui.start(self.read())

    async def read(self) -> None:
        """Read the list anew."""
        self.items, self.problem = await self.memtui.jobs.run(self.jobs.known)
        self.move(0)

    def revoke(self) -> None:
        """Take the selected one back."""
        if self.picked is not None:
            self.memtui.start(self._revoked(self.picked))

    def draw(self) -> None:
        """Draw the list."""
        count = Span(f"  {counted(len(self.items), 'finding')}", Tone.DIM)
        self.show_header((Span(words.KNOWN_TITLE, Tone.STRONG), count))
        self.show_lines("banner", ((Span(f"▲ {self.problem}", Tone.WARN),),) if self.problem else ())
        self.show_lines("gauge", ())
        pane = self.query_one(f"#{KNOWN}", RowList)
        pane.border_title = Content("holds for the very text; one changed byte, and the finding is back")
        empty = words.KNOWN_UNREADABLE if self.problem else words.KNOWN_EMPTY
        pane.show(Rows(len(self.items), self.position, self._line, (self.items,), empty))
        text = self.texts_by_key.get(self.picked.key) if self.picked else None
        self.show_detail(words.known_detail(self.picked, text))
        self.show_status(told_above=(self.problem,))

    def on_row_picked(self, message: RowPicked) -> None:
        """Put the cursor on the clicked row."""
        self.move(message.position - self.position)

    def _line(self, position: int, is_cursor: bool, width_cells: int) -> Line:
        return fit(words.known_line(self.items[position], self.now_s, is_cursor), width_cells)

    async def _revoked(self, known: Suppression) -> None:
        app = self.memtui
        try:
            await app.jobs.write(partial(self.jobs.revoke, known))
        except MemoryRefused as refusal:
            app.tell(texts.Notice(str(refusal), texts.Level.ERROR))
            return
        app.tell(texts.Notice(words.taken_back(known)))
        await self.read()
        await app.lookout.scan_all()
