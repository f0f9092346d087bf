"""One pane of the review screen's rows, live or snapshot."""

from __future__ import annotations

from memtui.tui.widgets.line_list import LineList
from memtui.view.lines import Line
from memtui.view.pane import row_line
from memtui.view.rows import RowView, Side


class Pane(LineList):
    """One pane. The screen tells it what to show; it tells the screen what was clicked or scrolled."""

    def __init__(self, side: Side) -> None:
        super().__init__(id=side.value)
        self.side = side
        self._rows: tuple[RowView, ...] = ()
        self._shown: tuple[int, ...] = ()
        self._size_cells = 0

    def show(self, rows: tuple[RowView, ...], shown: tuple[int, ...], position: int, empty: tuple[str, ...]) -> None:
        """Show these rows, one of them selected; `empty` is said where there are none."""
        is_fresh = rows is not self._rows or shown is not self._shown
        if rows is not self._rows:
            largest = max((row.live.size_chars for row in rows if row.live), default=0)
            self._size_cells = len(f"{largest:,}")
        self._rows, self._shown = rows, shown
        self.show_rows(len(shown), position, empty, is_fresh=is_fresh)

    def line(self, position: int, is_picked: bool, width_cells: int) -> Line:
        """The row at a position."""
        return row_line(self._rows[self._shown[position]], self.side, is_picked, self._size_cells, width_cells)
