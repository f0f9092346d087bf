"""The line in which the filter's words are typed."""

from __future__ import annotations

from textual.binding import Binding
from textual.widgets import Input

from memtui.tui.messages import FilterChanged
from memtui.view.keys import Context, commands_in

PLACEHOLDER = "words that must all appear · enter: to the list · esc: clear"


class FilterBar(Input):
    """An input that tells its words."""

    BINDINGS = [
        Binding(key, f"screen.command('{entry.id}')", entry.label, show=False)
        for entry in commands_in(Context.FILTER)
        for key in entry.keys
    ]

    def __init__(self) -> None:
        super().__init__(id="filter", placeholder=PLACEHOLDER, compact=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell the screen the words."""
        event.stop()
        self.post_message(FilterChanged(event.value))
