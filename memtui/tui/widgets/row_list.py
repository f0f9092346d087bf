"""A list of any rows: what a row looks like is a pure function of the view layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtui.tui.widgets.line_list import LineList
from memtui.view.lines import Line

DrawRow = Callable[[int, bool, int], Line]
"""Position, whether the cursor is on it, cells: the line."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a list shows."""

    count: int
    position: int
    draw: DrawRow
    made_of: tuple[object, ...]
    """The values that the lines depend on: they are drawn anew when one of them is another object."""
    empty: tuple[str, ...] = ()


class RowList(LineList):
    """Draws whatever rows it is given."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._rows = Rows(0, 0, lambda position, is_cursor, width_cells: (), ())

    def show(self, rows: Rows) -> None:
        """Show these rows."""
        before, now = self._rows.made_of, rows.made_of
        is_fresh = len(before) != len(now) or any(a is not b for a, b in zip(before, now, strict=True))
        self._rows = rows
        self.show_rows(rows.count, rows.position, rows.empty, is_fresh=is_fresh)

    def line(self, position: int, is_picked: bool, width_cells: int) -> Line:
        """The row at a position."""
        return self._rows.draw(position, is_picked, width_cells)
