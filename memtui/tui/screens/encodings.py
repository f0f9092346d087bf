"""The choice of an encoding for bytes that are not UTF-8, each with what the text would be."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.messages import RowPicked
from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.row_list import RowList, Rows
from memtui.tui.widgets.text_box import TextBox
from memtui.view.cursor import clamped
from memtui.view.encoding_rows import CHOICE_HINT, guess_line, guess_page
from memtui.view.resolver import Encodings
from memtui.view.resolver_texts import encoding_title


class EncodingScreen(Dialog[str]):
    """Dismissed with the chosen encoding; stepping back keeps the one in use."""

    BINDINGS = [
        Binding("down,j,tab", "move(1)", show=False),
        Binding("up,k,shift+tab", "move(-1)", show=False),
        Binding("enter,space", "choose", show=False),
    ]
    AUTO_FOCUS = "#guesses"

    def __init__(self, encodings: Encodings, name: str) -> None:
        super().__init__()
        self.encodings, self.name_shown = encodings, encoding_title(name)
        codes = [guess.encoding for guess in encodings.guesses]
        self.position = codes.index(encodings.chosen) if encodings.chosen in codes else 0

    def compose(self) -> ComposeResult:
        """The encodings above, what the chosen one gives below."""
        with Vertical(id="page"):
            yield RowList(id="guesses")
            yield TextBox(id="reading")

    def on_mount(self) -> None:
        """Show the encoding in use."""
        page = self.query_one("#page")
        page.border_title, page.border_subtitle = Content(self.name_shown), Content(CHOICE_HINT)
        self.query_one("#guesses").styles.height = len(self.encodings.guesses)
        self._show()

    def action_back(self) -> None:
        """Keep the encoding in use."""
        self.dismiss(self.encodings.chosen)

    def action_choose(self) -> None:
        """Take the encoding under the cursor."""
        self.dismiss(self.encodings.guesses[self.position].encoding)

    def action_move(self, rows: int) -> None:
        """Put the cursor on another encoding."""
        self.position = clamped(self.position + rows, len(self.encodings.guesses))
        self._show()

    def on_row_picked(self, message: RowPicked) -> None:
        """Show the clicked encoding; a double click takes it."""
        self.position = message.position
        self._show()
        if message.is_double:
            self.action_choose()

    def _show(self) -> None:
        guesses, chosen = self.encodings.guesses, self.encodings.chosen
        rows = Rows(
            len(guesses),
            self.position,
            lambda at, is_cursor, cells: guess_line(
                guesses[at], guesses[at].encoding == chosen, is_cursor, cells
            ),
            (guesses,),
        )
        self.query_one(RowList).show(rows)
        self.query_one(TextBox).show(guess_page(self.encodings, guesses[self.position]))
