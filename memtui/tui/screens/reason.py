"""Asks for one line: why a finding is known and fine. Dismissed with the line, or with "" for no."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.text_box import TextBox
from memtui.view import threat_texts as words
from memtui.view.lines import Line


class ReasonScreen(Dialog[str]):
    """The finding, and a line to type."""

    AUTO_FOCUS = "#reason"

    def __init__(self, body: tuple[Line, ...]) -> None:
        super().__init__()
        self.body = body

    def compose(self) -> ComposeResult:
        """Title, finding, line."""
        with Vertical(id="dialog"):
            yield Static(Content(words.REASON_TITLE), id="question", markup=False)
            yield TextBox(id="body")
            yield Input(id="reason", placeholder=words.REASON_HINT, compact=True, max_length=500)
            yield Static(Content(""), id="hint", markup=False)

    def on_mount(self) -> None:
        """Show what it is about."""
        self.query_one(TextBox).show(self.body)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line; an empty one is not taken."""
        event.stop()
        if event.value.strip():
            self.dismiss(event.value.strip())
        else:
            self.query_one("#hint", Static).update(Content(words.REASON_NEEDED))

    def action_back(self) -> None:
        """Leave the finding as it is."""
        self.dismiss("")
