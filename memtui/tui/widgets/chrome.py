"""Header, gauges and footer: one line each, drawn from the state."""

from __future__ import annotations

from collections.abc import Iterable

from textual.events import Click

from memtui.tui.messages import CommandChosen
from memtui.tui.widgets.painted import PaintedLines
from memtui.view.chrome import Slot, footer_line, gauge_lines, header_line
from memtui.view.keys import Command
from memtui.view.lines import Line
from memtui.view.state import ViewState


class HeaderBar(PaintedLines):
    """Which home, under whose rules, how it is watched, what asks for attention."""

    _state = ViewState()

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        if header_line(state, 200) != header_line(self._state, 200):
            self.refresh()
        self._state = state

    def lines(self, width_cells: int) -> Iterable[Line]:
        """The one line."""
        return (header_line(self._state, width_cells),)


class GaugeBar(PaintedLines):
    """The budget of every group; a click calls the group."""

    _state = ViewState()

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        if gauge_lines(state, 200) != gauge_lines(self._state, 200):
            self.refresh()
        self._state = state

    def lines(self, width_cells: int) -> Iterable[Line]:
        """The one line."""
        return (gauge_lines(self._state, width_cells)[0],)

    def on_click(self, event: Click) -> None:
        """Call the group under the pointer."""
        if slot := _slot_at(gauge_lines(self._state, self.content_size.width)[1], event.x):
            self.post_message(CommandChosen("group.pick", slot.target))


class FooterBar(PaintedLines):
    """The keys that work here, the most important first; a click presses one."""

    _commands: tuple[Command, ...] = ()
    _disabled: frozenset[str] = frozenset()

    def show(self, commands: tuple[Command, ...], disabled: frozenset[str]) -> None:
        """Draw other keys."""
        if (commands, disabled) != (self._commands, self._disabled):
            self._commands, self._disabled = commands, disabled
            self.refresh()

    def lines(self, width_cells: int) -> Iterable[Line]:
        """The one line."""
        return (footer_line(self._commands, self._disabled, width_cells)[0],)

    def on_click(self, event: Click) -> None:
        """Run the command under the pointer."""
        slots = footer_line(self._commands, self._disabled, self.content_size.width)[1]
        if slot := _slot_at(slots, event.x):
            self.post_message(CommandChosen(slot.target))


def _slot_at(slots: Iterable[Slot], x: int) -> Slot | None:
    return next((slot for slot in slots if slot.start <= x < slot.end), None)
