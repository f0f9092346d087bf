"""Asks for one line: why a finding, or every finding of its entry, is known and fine."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.text_box import TextBox
from memtui.view import threat_texts as words
from memtui.view.lines import Line


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and for what."""

    words: str
    marks_all: bool = False
    """True for every finding of the entry, not the one alone."""


class ReasonScreen(Dialog[Reason | None]):
    """The finding, a line to type, and two answers where the entry has several findings. Dismissed with None for no."""

    AUTO_FOCUS = "#reason"
    BINDINGS = [
        Binding("tab,down", "app.focus_next", show=False),
        Binding("shift+tab,up", "app.focus_previous", show=False),
    ]

    def __init__(self, body: tuple[Line, ...], findings: int = 1) -> None:
        """`findings`: how many of the entry can be marked, the one in question included."""
        super().__init__()
        self.body = body
        self.findings = findings

    def compose(self) -> ComposeResult:
        """Title, finding, line, answers."""
        with Vertical(id="dialog"):
            yield Static(Content(words.reason_title(self.findings)), id="question", markup=False)
            yield TextBox(id="body")
            hint = words.REASON_HINT_OF_SEVERAL if self.findings > 1 else words.REASON_HINT
            yield Input(id="reason", placeholder=hint, compact=True, max_length=500)
            yield Static(Content(""), id="hint", markup=False)
            if self.findings > 1:
                with Horizontal(id="answers"):
                    yield Button(Content("Mark this one"), id="one", compact=True)
                    yield Button(Content(f"Mark all {self.findings:,}"), id="all", compact=True)

    def on_mount(self) -> None:
        """Show what it is about."""
        self.query_one(TextBox).show(self.body)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line for the one finding."""
        event.stop()
        self._take(marks_all=False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Take the line for what the button says."""
        event.stop()
        self._take(marks_all=event.button.id == "all")

    def action_back(self) -> None:
        """Leave the finding as it is."""
        self.dismiss(None)

    def _take(self, *, marks_all: bool) -> None:
        """Dismiss with the line; an empty one is not taken."""
        field = self.query_one(Input)
        if field.value.strip():
            self.dismiss(Reason(field.value.strip(), marks_all))
        else:
            self.query_one("#hint", Static).update(Content(words.REASON_NEEDED))
            self.set_focus(field)
