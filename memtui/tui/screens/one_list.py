"""The base of the full screens with one list."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from memtui.tui.screens.place import PlaceScreen
from memtui.tui.widgets.row_list import RowList


class OneListScreen(PlaceScreen, inherit_bindings=False):
    """The one column is always the called one."""

    @property
    def called(self) -> str:
        """Id of the list."""
        return self.COLUMNS[0]

    def call(self, column: str) -> None:
        """There is no other list to call."""

    def compose_lists(self) -> ComposeResult:
        """The one list."""
        with Horizontal(id="lists"):
            yield RowList(id=self.called)
