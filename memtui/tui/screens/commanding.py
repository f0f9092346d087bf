"""A screen above the review screen whose keys come from the one table of commands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from memtui.tui.asking import ask_then
from memtui.tui.messages import CommandChosen
from memtui.tui.widgets.chrome import FooterBar
from memtui.view import questions, texts
from memtui.view.chrome import disabled_commands, missing_need, offered_commands
from memtui.view.events import CommandBegun
from memtui.view.keys import Context, command, commands_in

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.app import MemtuiApp
    from memtui.tui.widgets.editor import EditorPanel
    from memtui.view.state import ViewState


def bindings_of(place: Context, *, priority: bool = False) -> list[BindingType]:
    """The key bindings of a place, from the table of commands.

    With priority a key is dealt with before the next one, typed at once after it, is looked at.
    """
    return [
        Binding(key, f"command('{entry.id}', '{key}')", entry.label, show=False, priority=priority)
        for entry in commands_in(place)
        for key in entry.keys
    ]


class CommandScreen(Screen[None], inherit_bindings=False):
    """Turns keys and clicks into the commands of its place."""

    PLACE: ClassVar[Context]
    OWN: ClassVar[Mapping[str, Handler]] = {}
    """What commands that work in several places do in this one."""

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

    @abstractmethod
    def focus_place(self) -> None:
        """Put the keyboard where it belongs."""

    async def mount_editor(self, editor: EditorPanel) -> None:
        """Open an editor in the lower box."""
        self.add_class("-editing")
        self.editor = editor
        await self.query_one("#lower").mount(editor)
        self.focus_place()
        self.show_footer()

    def close_editor(self) -> None:
        """Close the editor and go back to the list."""
        if editor := self.editor:
            self.editor = None
            self.remove_class("-editing")
            editor.remove()
            self.focus_place()
            self.show_footer()

    async def drop_text_then(self, go_on: Callable[[], object]) -> None:
        """Go on when the editor holds no unsaved text, or once a person said that it may go."""
        editor = self.editor
        if editor is None or not editor.draft.is_changed:
            go_on()
            return

        async def answered(answer: str) -> None:
            if answer == "drop":
                go_on()

        await ask_then(self.memtui, questions.draft_question(editor.draft.text), answered)

    def show_footer(self) -> None:
        """Draw the keys of the place where the keyboard is."""
        context, refused = self.context, self.refused_commands()
        offered = tuple(entry for entry in offered_commands(self.state, context) if entry.id not in refused)
        self.query_one(FooterBar).show(offered, disabled_commands(self.state, context))

    def refused_commands(self) -> frozenset[str]:
        """Ids of the commands that would only say why not, on what is selected; the footer leaves them out."""
        return frozenset()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A command's key works where the command does: no list key acts while a text is typed."""
        if action != "command":
            return super().check_action(action, parameters)
        return bool({self.context, Context.ANYWHERE} & command(str(parameters[0])).contexts)

    async def action_command(self, command_id: str, key: str = "") -> None:
        """Run a command, or say what it needs. The refusal of the one before goes; esc alone puts it away and stops."""
        from memtui.tui.actions import handlers

        if self.state.is_refusal and command_id != "step.back":
            self.memtui.apply(CommandBegun())
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
