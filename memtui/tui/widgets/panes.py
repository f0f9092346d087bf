"""Both panes side by side, or one at a time where the terminal is narrow; they scroll together."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from memtui.tui.messages import PaneScrolled
from memtui.tui.widgets.pane import Pane
from memtui.view.rows import Side
from memtui.view.state import ViewState
from memtui.view.texts import empty_state, pane_subtitle, pane_title

WIDE_CELLS = 100
"""From here on both panes stand side by side."""


class Panes(Horizontal):
    """The live and the snapshot pane of one group."""

    def __init__(self, state: ViewState) -> None:
        super().__init__(id="panes")
        self._state = state

    def compose(self) -> ComposeResult:
        """One pane a side, with its rows: the first frame has them."""
        for side in Side:
            pane = Pane(side)
            self._fill(pane, self._state)
            yield pane

    def pane(self, side: Side) -> Pane:
        """One of the two."""
        return self.query_one(f"#{side.value}", Pane)

    def show(self, state: ViewState) -> None:
        """Draw the group on screen; the called side is the one that a narrow terminal shows."""
        self._state = state
        for pane in self.query(Pane):
            self._fill(pane, state)

    def _fill(self, pane: Pane, state: ViewState) -> None:
        group, is_called = state.group, pane.side is state.side
        empty = empty_state(state) if is_called else ()
        has_both = group is None or group.capabilities.has_snapshot
        is_alone = self.app.size.width < WIDE_CELLS
        pane.set_class(is_called, "-called")
        pane.display = is_called if is_alone else (has_both or pane.side is Side.LIVE)
        pane.border_title = Content(pane_title(group, pane.side, is_alone and has_both))
        pane.border_subtitle = Content(pane_subtitle(group, pane.side))
        if group is None:
            pane.show((), (), 0, empty)
        else:
            pane.show(group.rows, group.shown, group.position, empty)

    def on_pane_scrolled(self, message: PaneScrolled) -> None:
        """Let the other pane follow."""
        message.stop()
        for pane in self.query(Pane):
            if pane.display and round(pane.scroll_y) != message.top:
                pane.scroll_to(y=message.top, animate=False)
