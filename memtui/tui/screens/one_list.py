"""The base of the full screens with one list, on which nothing can be lost by leaving."""

from __future__ import annotations

from collections.abc import Callable

from memtui.tui.screens.place import PlaceScreen


class OneListScreen(PlaceScreen, inherit_bindings=False):
    """The one column is always the called one."""

    @property
    def called(self) -> str:
        """Id of the list."""
        return self.COLUMNS[0]

    def call(self, column: str) -> None:
        """There is no other list to call."""

    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Nothing can be lost here."""
        go_on()
