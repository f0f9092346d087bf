"""A dialog to pick one of several rows, found by typing; each row says more about itself below."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from memtui.core.visible import visible_text
from memtui.tui.messages import RowPicked
from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.tui.widgets.text_box import TextBox
from memtui.view.cursor import clamped
from memtui.view.lines import Span, Tone
from memtui.view.picking import PICK_HINT, Choice, Choices, choice_line, matching


class PickScreen(Dialog["int | None"]):
    """Dismissed with the index of the picked row, None when nothing was picked."""

    BINDINGS = [
        Binding("down,tab", "move(1)", show=False),
        Binding("up,shift+tab", "move(-1)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("enter", "choose", show=False, priority=True),
    ]
    AUTO_FOCUS = "#wanted"

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices = choices
        self.rows = choices.rows
        self._shown = matching(self.rows, "")
        self._position = choices.position

    def compose(self) -> ComposeResult:
        """The words, the rows, the page of the row under the cursor."""
        with Vertical(id="page"):
            yield Input(id="wanted", placeholder=PICK_HINT, compact=True)
            yield TextBox(id="note")
            yield RowList(id="choices")
            yield TextBox(id="about")

    def on_mount(self) -> None:
        """Show the rows that are there."""
        self.query_one("#page").border_title = Content(self.choices.title)
        note = self.query_one("#note", TextBox)
        note.display = bool(self.choices.note)
        note.show(((Span(visible_text(self.choices.note), Tone.WARN),),))
        self._match()

    def extend(self, rows: tuple[Choice, ...]) -> None:
        """Show more rows below the others."""
        self.rows = (*self.rows, *rows)
        if self.is_mounted:
            self._match()

    def action_back(self) -> None:
        """Pick nothing."""
        self.dismiss(None)

    def action_choose(self) -> None:
        """Take the row under the cursor."""
        if self._shown:
            self.dismiss(self._shown[self._position])

    def action_move(self, rows: int) -> None:
        """Put the cursor on another row."""
        self._position = clamped(self._position + rows, len(self._shown))
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show only the rows that hold the words."""
        event.stop()
        self._position = 0
        self._match()

    def on_row_picked(self, message: RowPicked) -> None:
        """Show the clicked row; a double click takes it."""
        self._position = message.position
        self._show()
        if message.is_double:
            self.action_choose()

    def _match(self) -> None:
        self._shown = matching(self.rows, self.query_one(Input).value)
        self._position = clamped(self._position, len(self._shown))
        self._show()

    def _show(self) -> None:
        rows, shown = self.rows, self._shown
        drawn = Rows(
            len(shown), self._position,
            lambda at, is_cursor, cells: choice_line(rows[shown[at]], is_cursor, cells),
            (rows, shown), (self.choices.empty,),
        )  # fmt: skip
        self.query_one("#choices", RowList).show(drawn)
        self.query_one("#about", TextBox).show(rows[shown[self._position]].page if shown else ())
