"""The base of the full screens with one list and a filter above it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.events import DescendantFocus

from memtui.tui.screens.one_list import OneListScreen
from memtui.tui.widgets.filter_bar import FilterBar
from memtui.view.keys import Context


class FilteredListScreen(OneListScreen, inherit_bindings=False):
    """The keyboard is in the list, or in the filter while its words are typed."""

    @property
    def filter_bar(self) -> FilterBar:
        """Where the filter's words are typed."""
        return self.query_one(FilterBar)

    @property
    def context(self) -> Context:
        """Where the keyboard is."""
        return Context.FILTER if self.is_mounted and self.filter_bar.has_focus else self.PLACE

    def compose_lists(self) -> ComposeResult:
        """The filter and the list."""
        yield FilterBar()
        yield from super().compose_lists()

    def focus_place(self) -> None:
        """Put the keyboard into the list, unless the filter's words are being typed."""
        if self.context is not Context.FILTER:
            super().focus_place()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Another place has other keys."""
        self.show_footer()
