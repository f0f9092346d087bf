"""A question with a few named answers; the safe one has the focus, and esc means it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Button, Static

from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.text_box import TextBox
from memtui.view.questions import Question


class ChoiceScreen(Dialog[str]):
    """Dismissed with the value of an option."""

    BINDINGS = [
        Binding("tab,right,down,l,j", "app.focus_next", show=False),
        Binding("shift+tab,left,up,h,k", "app.focus_previous", show=False),
    ]
    AUTO_FOCUS = "Button"

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """Title, body, buttons."""
        with Vertical(id="dialog"):
            yield Static(Content(self.question.title), id="question", markup=False)
            yield TextBox(id="body")
            with Horizontal(id="answers"):
                for option in self.question.options:
                    label = f"{option.label}  {option.key}" if option.key else option.label
                    button = Button(Content(label), id=f"answer-{option.value}", compact=True)
                    button.set_class(option.is_dangerous, "-dangerous")
                    yield button

    def on_mount(self) -> None:
        """Show what the question is about."""
        self.query_one(TextBox).show(self.question.body)

    def on_key(self, event: Key) -> None:
        """A letter of an option is its answer."""
        for option in self.question.options:
            if option.key and event.character == option.key:
                event.stop()
                self.dismiss(option.value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        self.dismiss((event.button.id or "").removeprefix("answer-"))

    def action_back(self) -> None:
        """Give the safe answer."""
        self.dismiss(self.question.options[0].value)
