"""The base of the full screens that open above the review screen: lists side by side, or one at a time.

It knows nothing of what they show.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from textual.events import DescendantFocus, Resize
from textual.widget import Widget

from memtui.tui.screens.drawn import DrawnScreen
from memtui.tui.widgets.painted import PaintedLines
from memtui.tui.widgets.panes import WIDE_CELLS
from memtui.view import texts
from memtui.view.lines import Span, Tone


class PlaceScreen(DrawnScreen, inherit_bindings=False):
    """A full screen with lists, of which one is called."""

    CSS_PATH = "place.tcss"
    COLUMNS: ClassVar[tuple[str, ...]]
    """Ids of the lists, in the order that tab goes through them."""
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (30, "-narrow"), (WIDE_CELLS, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-short"), (20, "-tall")]

    @property
    def is_alone(self) -> bool:
        """True when there is room for one list only."""
        return self.size.width < WIDE_CELLS

    @property
    def is_there(self) -> bool:
        """True between the first picture and leaving; what the screen reads may come before or after."""
        return self.is_mounted and self in self.app.screen_stack

    @property
    @abstractmethod
    def called(self) -> str:
        """Id of the called list."""

    @abstractmethod
    def call(self, column: str) -> None:
        """Call another list."""

    @abstractmethod
    def move(self, rows: int) -> None:
        """Move the cursor of the called list."""

    @abstractmethod
    def draw(self) -> None:
        """Draw everything that depends on the state."""

    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Go on when nothing would be lost, or once a person said that it may go. Here nothing can be."""
        go_on()

    def on_mount(self) -> None:
        """Draw the first state."""
        self.query_one("#too-small", PaintedLines).set_lines(
            (Span(line, Tone.WARN),) for line in texts.TOO_SMALL
        )
        self.redraw()
        self.call_after_refresh(self.focus_place)

    def redraw(self) -> None:
        """Draw the state, once there is something to draw on."""
        if not self.is_there:
            return
        self.draw()
        for column in self.COLUMNS:
            widget = self.query_one(f"#{column}")
            widget.set_class(column == self.called, "-called")
            widget.display = column == self.called or not self.is_alone
        self.show_footer()

    def state_changed(self) -> None:
        """The review screen's state changed underneath."""
        self.redraw()

    def focus_place(self) -> None:
        """Put the keyboard into the editor, else into the called list."""
        if self.editor is not None:
            if self.editor.is_mounted:
                self.set_focus(self.editor.field)
        elif self.is_mounted:
            self.set_focus(self.query_one(f"#{self.called}"), scroll_visible=False)

    def call_other(self, places: int) -> None:
        """Call the list so many places further."""
        at = self.COLUMNS.index(self.called) + places
        self.call(self.COLUMNS[at % len(self.COLUMNS)])
        self.focus_place()

    def page_rows(self) -> int:
        """Rows that one page of the called list moves over."""
        return max(self.query_one(f"#{self.called}", Widget).size.height - 1, 1)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A list that got the keyboard is the called one."""
        column = event.widget.id or ""
        if column in self.COLUMNS and column != self.called:
            self.call(column)

    def on_resize(self, event: Resize) -> None:
        """Another width has another layout; what was hidden for a moment lost the keyboard."""
        self.redraw()
        self.call_after_refresh(self.focus_place)
