"""The base of the full screens that open above the review screen: resolver and history.

It holds what they share: keys from the one table, lists side by side or one at a time, banner, status and footer.
It knows nothing of what they show.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.screen import Screen
from textual.widget import Widget

from memtui.core.visible import visible_text
from memtui.tui.messages import CommandChosen
from memtui.tui.widgets.chrome import FooterBar
from memtui.tui.widgets.painted import PaintedLines
from memtui.tui.widgets.panes import WIDE_CELLS
from memtui.tui.widgets.text_box import TextBox
from memtui.view import texts
from memtui.view.chrome import disabled_commands, missing_need
from memtui.view.detail import Detail
from memtui.view.keys import Context, command, commands_in, footer_commands
from memtui.view.lines import Line, Span, Tone, spread, wrap

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.app import MemtuiApp
    from memtui.tui.widgets.editor import EditorPanel
    from memtui.view.state import ViewState

MAX_BANNER_LINES: Final = 4


def bindings_of(place: Context) -> list[BindingType]:
    """The key bindings of a place, from the table of commands."""
    return [
        Binding(key, f"command('{entry.id}', '{key}')", entry.label, show=False)
        for entry in commands_in(place)
        for key in entry.keys
    ]


class PlaceScreen(Screen[None], inherit_bindings=False):
    """A full screen with lists, of which one is called."""

    CSS_PATH = "place.tcss"
    PLACE: ClassVar[Context]
    COLUMNS: ClassVar[tuple[str, ...]]
    """Ids of the lists, in the order that tab goes through them."""
    OWN: ClassVar[Mapping[str, Handler]] = {}
    """What commands that work in several places do in this one."""
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (30, "-narrow"), (WIDE_CELLS, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-short"), (20, "-tall")]

    def __init__(self) -> None:
        super().__init__()
        self.editor: EditorPanel | None = None

    @property
    def memtui(self) -> MemtuiApp:
        """The app, as what it is."""
        return cast("MemtuiApp", self.app)

    @property
    def state(self) -> ViewState:
        """What the review screen below shows."""
        return self.memtui.state

    @property
    def context(self) -> Context:
        """Where the keyboard is."""
        return Context.EDITOR if self.editor is not None else self.PLACE

    @property
    def is_alone(self) -> bool:
        """True when there is room for one list only."""
        return self.size.width < WIDE_CELLS

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

    @abstractmethod
    async def leave_then(self, go_on: Callable[[], object]) -> None:
        """Go on when nothing would be lost, or once a person said that it may go."""

    @abstractmethod
    def compose_lists(self) -> ComposeResult:
        """The lists."""

    def compose(self) -> ComposeResult:
        """Everything from the header to the footer."""
        yield PaintedLines(id="too-small")
        yield PaintedLines(id="header")
        yield PaintedLines(id="banner")
        yield PaintedLines(id="gauge")
        yield from self.compose_lists()
        with Vertical(id="lower"):
            yield TextBox(id="detail")
        yield PaintedLines(id="status")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        """Draw the first state."""
        self.query_one("#too-small", PaintedLines).set_lines(
            (Span(line, Tone.WARN),) for line in texts.TOO_SMALL
        )
        self.redraw()
        self.call_after_refresh(self.focus_place)

    def redraw(self) -> None:
        """Draw the state, once there is something to draw on."""
        if not self.is_mounted:
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

    def show_header(self, left: Line) -> None:
        """Show what this screen is about, and in which home."""
        home = self.state.home
        right: Line = ()
        if home is not None:
            name = f"{home.label} · {home.profile}" if home.profile else home.label
            right = (Span(f"{name}{' · read-only' if home.read_only else ''} ", Tone.DIM),)
        self.query_one("#header", PaintedLines).set_lines((spread(left, right, self.size.width),))

    def show_status(self, problem: str = "") -> None:
        """Show what is waited for, else the last failure."""
        status = texts.status(self.state)
        tone = Tone.WARN if self.state.waiting else Tone.BAD
        words = visible_text(status if self.state.waiting else problem or status)
        self.show_lines("status", ((Span(words, tone),),) if words else (), 3)

    def show_lines(self, widget_id: str, lines: Iterable[Line], max_lines: int = MAX_BANNER_LINES) -> None:
        """Show sentences in as many lines as they need, up to a number; none when there is none."""
        width = max(self.size.width - 2, 1)
        room = max_lines if self.size.height >= 24 else min(max_lines, 2)
        wrapped = [one for line in lines for one in wrap(line, width)][:room]
        widget = self.query_one(f"#{widget_id}", PaintedLines)
        widget.set_lines((Span(" "), *line) for line in wrapped)
        widget.styles.height = len(wrapped)
        widget.display = bool(wrapped)

    def show_detail(self, detail: Detail) -> None:
        """Show the whole of what the cursor is on."""
        box = self.query_one("#detail", TextBox)
        box.border_title = Content(detail.title)
        box.show(detail.paragraphs)

    def show_footer(self) -> None:
        """Draw the keys of the place where the keyboard is."""
        context = self.context
        self.query_one(FooterBar).show(footer_commands(context), disabled_commands(self.state, context))

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A command's key works where the command does: no list key acts while a text is typed."""
        if action != "command":
            return super().check_action(action, parameters)
        return bool({self.context, Context.ANYWHERE} & command(str(parameters[0])).contexts)

    async def action_command(self, command_id: str, key: str = "") -> None:
        """Run a command, or say what it needs."""
        from memtui.tui.actions import handlers

        if need := missing_need(command(command_id), self.state):
            if sentence := texts.need(need, self.state):
                self.memtui.tell(texts.Notice(sentence, texts.Level.WARNING))
            return
        handler = self.OWN.get(command_id) or handlers()[command_id]
        if (waited := handler(self, key)) is not None:
            await waited

    async def on_command_chosen(self, message: CommandChosen) -> None:
        """Run the clicked command where it works."""
        if self.check_action("command", (message.command_id,)):
            await self.action_command(message.command_id, message.key)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A list that got the keyboard is the called one."""
        column = event.widget.id or ""
        if column in self.COLUMNS and column != self.called:
            self.call(column)

    def on_resize(self, event: Resize) -> None:
        """Another width has another layout; what was hidden for a moment lost the keyboard."""
        self.redraw()
        self.call_after_refresh(self.focus_place)
