"""Two homes side by side, entry by entry, and copying or moving from one to the other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from memtui.core.comparing import compare_entries
from memtui.core.visible import visible_text
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.home_jobs import key_of
from memtui.tui.jobs import short_path
from memtui.tui.messages import PaneScrolled
from memtui.tui.messages import RowPicked as RowClicked
from memtui.tui.screens.commanding import bindings_of
from memtui.tui.screens.place import PlaceScreen
from memtui.tui.transfer_jobs import TransferJobs
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.view import comparing as words
from memtui.view import texts
from memtui.view.comparing import (
    CompareEvent,
    CompareState,
    HomesCompared,
    Pair,
    PairCalled,
    RowPicked,
    Side,
    SideCalled,
    reduce_compare,
)
from memtui.view.homes_rows import shown_name
from memtui.view.keys import Context
from memtui.view.transfers import Order, Spot

if TYPE_CHECKING:
    from memtui.disk.homes import Home


def _pick_pair(screen: CompareScreen, key: str) -> None:
    screen.apply(PairCalled(int(key) - 1))


class CompareScreen(PlaceScreen, inherit_bindings=False):
    """Both files of two homes."""

    PLACE = Context.COMPARE
    COLUMNS = tuple(side.value for side in Side)
    OWN = {**PLACE_HANDLERS, "group.pick": _pick_pair}
    BINDINGS = bindings_of(Context.COMPARE)
    AUTO_FOCUS = "#left"

    def __init__(self, left: Home, right: Home) -> None:
        super().__init__()
        self.homes = (left, right)
        self.compare = CompareState()
        self._seen: tuple[object, ...] = ()

    @property
    def called(self) -> str:
        """Id of the called list."""
        return self.compare.side.value

    def call(self, column: str) -> None:
        """Call the other home."""
        self.apply(SideCalled(Side(column)))

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.apply(RowPicked(self.compare.position + rows))

    def compose_lists(self) -> ComposeResult:
        """Two lists."""
        with Horizontal(id="lists"):
            for side in Side:
                yield RowList(id=side.value)

    def on_mount(self) -> None:
        """Draw the first state, and read both homes beside it."""
        super().on_mount()
        self.state_changed()

    def apply(self, event: CompareEvent) -> None:
        """Take over an event."""
        self.compare = reduce_compare(self.compare, event)
        self.redraw()

    def state_changed(self) -> None:
        """Read both again when a file of the home in use changed."""
        super().state_changed()
        seen = tuple(group.load and group.load.file.raw for group in self.state.groups)
        if seen != self._seen:
            self._seen = seen
            self.memtui.start(self._read(), "compare", exclusive=True)

    def transfer(self, *, is_move: bool) -> None:
        """Copy or move the entry under the cursor; the other home stands first among the places."""
        state = self.compare
        text = state.text(state.side, state.position)
        if state.pair is None or text is None:
            self.memtui.tell(texts.Notice(words.NO_ENTRY, texts.Level.WARNING))
            return
        order = Order(text, state.pair.spot(state.side), is_move)
        # The same file of the other home first, then its other one.
        pairs = sorted(state.pairs, key=lambda pair: pair is not state.pair)
        self.memtui.start(self._transfer(order, [pair.spot(state.other_side) for pair in pairs]))

    async def _transfer(self, order: Order, first: list[Spot]) -> None:
        from memtui.tui.actions.transferring import transfer

        if await transfer(self.memtui, order, first):
            await self._read()

    def draw(self) -> None:
        """Draw the state."""
        state = self.compare
        self.show_header(words.header_left(state))
        self.show_lines("banner", words.banner(state))
        gauge = None if self.is_alone else words.gauge_line(state, self.size.width)
        self.show_lines("gauge", (gauge,) if gauge else (), 1)
        for side in Side:
            pane = self.query_one(f"#{side.value}", RowList)
            cells = self.size.width if self.is_alone else self.size.width // 2
            pane.border_title = Content(words.title(state, side, self.is_alone, cells))
            draw = partial(words.row_line, state, side)
            pane.show(Rows(len(state.rows), state.position, draw, (state.pair,), words.empty_words(state)))
        self.show_detail(words.detail_of(state))
        self.show_status()

    def on_row_picked(self, message: RowClicked) -> None:
        """Put the cursor on the clicked row."""
        self.apply(SideCalled(Side(message.pane)))
        self.apply(RowPicked(message.position))

    def on_pane_scrolled(self, message: PaneScrolled) -> None:
        """Let the other list follow."""
        for side in Side:
            pane = self.query_one(f"#{side.value}", RowList)
            if pane.display and round(pane.scroll_y) != message.top:
                pane.scroll_to(y=message.top, animate=False)

    async def _read(self) -> None:
        self.apply(HomesCompared(await self.memtui.jobs.run(self._pairs)))

    def _pairs(self) -> tuple[Pair, ...]:
        """On the store's thread: both files of both homes."""
        jobs = TransferJobs(self.memtui)
        spots = [
            [Spot(home, key_of(home), shown_name(_label(home), home.profile), file) for file in jobs.files(home)]
            for home in self.homes
        ]
        return tuple(
            Pair(left, right, compare_entries(left.file.document.texts, right.file.document.texts))
            for left, right in zip(*spots, strict=True)
        )


def _label(home: Home) -> str:
    return visible_text(short_path(home.root))
