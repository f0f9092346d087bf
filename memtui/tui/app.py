"""The app: wires keys to jobs, jobs to events, events through `reduce` to the screen. It decides nothing itself."""

from __future__ import annotations

import asyncio
import os
import sys
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.events import Event as TerminalEvent
from textual.events import Key, Paste
from textual.worker import Worker

from memtui.core.errors import MemoryRefused
from memtui.core.visible import visible_text
from memtui.tui.jobs import StoreJobs
from memtui.tui.leaving import leave
from memtui.tui.lookout import Lookout
from memtui.tui.screens.review import ReviewScreen
from memtui.tui.signals import end_on_signals
from memtui.tui.telling import TellingApp
from memtui.tui.theme import DARK, LIGHT, first_theme, keep_chosen
from memtui.view import texts
from memtui.view.events import ChangeRefused, Event, ProblemSeen
from memtui.view.fields import typeable
from memtui.view.keys import command
from memtui.view.reducing import reduce
from memtui.view.state import ViewState

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.store import MemoryStore

SWITCH_S = 0.0005
"""How long one thread keeps the interpreter: at the default of 5 ms every disk call of the store's thread, and every
beat of the event loop beside a scan, waits that long for the other."""


def _palette() -> type[Any]:
    from memtui.tui.commands import MemtuiCommands

    return MemtuiCommands


class MemtuiApp(TellingApp, inherit_bindings=False):
    """memtui on one home. `opening` opens the store; it is called on the store's own thread."""

    TITLE = "memtui"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    COMMANDS = {_palette}
    BINDINGS = [
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]

    def __init__(
        self,
        opening: Callable[[], MemoryStore],
        open_home: Callable[[Home], MemoryStore] | None = None,
        *,
        chooses: bool = False,
        resolves: str | None = None,
        is_demo: bool = False,
    ) -> None:
        """`open_home` opens another home than the first; `chooses`: nobody named one, so several are offered.

        `resolves`: begin in the resolver, on the group of this key or, when it is empty, on the worst one.
        `is_demo`: no homes but those of the first one's agent are offered; the history of what is done goes with it.
        """
        # Said here, or Textual turns the terminal's own colours to greys: black on black with most terminals.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        sys.setswitchinterval(SWITCH_S)
        self.jobs = StoreJobs(opening, self.post_event)
        self.lookout = Lookout(self)
        self.open_home = open_home
        self.chooses = chooses
        self.resolves = resolves
        self.is_demo = is_demo
        self.state = ViewState()
        self.review = ReviewScreen()
        self.crash: Exception | None = None
        """What ended the app although nobody foresaw it; who runs the app has to tell."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = first_theme(self.available_themes, no_color=self.no_color)

    def get_default_screen(self) -> ReviewScreen:
        """The review screen is the bottom of the stack."""
        return self.review

    def on_mount(self) -> None:
        """Open the home; the first frame does not wait for it."""
        self._loop = asyncio.get_running_loop()
        self.theme_changed_signal.subscribe(self, partial(keep_chosen, self))
        end_on_signals(self._loop, lambda number: self.exit(return_code=128 + number))
        self.start(self.lookout.open())

    def on_unmount(self) -> None:
        """End the store's thread, whatever it waits for."""
        self.jobs.close()

    # ------------------------------------------------------------------------------------- state and jobs

    def apply(self, event: Event, *, quiet: bool = False) -> None:
        """Take over an event: new state, new picture, and a notification unless it is to be quiet."""
        self.state = reduce(self.state, event)
        if self.is_running:
            self.review.show(self.state)
            for screen in self.screen_stack[1:]:
                # Asked for by name: importing the base of all other screens would hold up the first frame.
                if changed := getattr(screen, "state_changed", None):
                    changed()
        for notice in () if quiet else texts.notices(event, self.state):
            self.tell(notice)

    def start(self, job: Coroutine[Any, Any, object], group: str = "jobs", *, exclusive: bool = False) -> Worker[None]:
        """Run a coroutine beside the event loop's work; what it does not expect is said on screen."""

        async def guarded() -> None:
            try:
                await job
            except MemoryRefused as refusal:
                self.apply(ProblemSeen(visible_text(str(refusal))))
            except Exception as error:  # noqa: BLE001 - the last border: shown to the person, never a traceback
                self.apply(ProblemSeen(texts.unexpected(error)))

        # An exclusive job that another one replaces before its first step is never awaited: it is closed instead.
        weakref.finalize(guarded, job.close)
        return self.run_worker(guarded, group=group, exclusive=exclusive, exit_on_error=False)

    async def change(self, job: Callable[[], tuple[Event, ...]], quiet: tuple[str, ...] = ()) -> tuple[Event, ...]:
        """Let a job write and take over what came of it; refusals with these codes are answered by the caller.

        What was told of an earlier change goes away, or the messages of a few changes would cover half the screen.
        """
        self.clear_notifications()
        events = await self.jobs.write(job)
        for event in events:
            if not (isinstance(event, ChangeRefused) and event.code in quiet):
                self.apply(event)
        self.start(self.lookout.scan_all(), "scan", exclusive=True)
        self.lookout.match_filter()
        return events

    async def action_quit(self) -> None:
        """Leave, from a dialog too; what would be lost in the place below it asks first."""
        places = (place for screen in reversed(self.screen_stack) if (place := getattr(screen, "leave_then", None)))
        await next(places, self.review.drop_text_then)(partial(leave, self))

    def _fatal_error(self) -> None:
        """Leave without Textual's report: it shows the variables of every frame, and so entries, unescaped."""
        self.crash = self._exception
        self._close_messages_no_wait()

    async def on_key(self, event: Key) -> None:
        """Leave on ctrl+q; give a text field what was typed while it was being opened: it still went to the list."""
        # No binding: dialogs and the palette cut the app's off, and with priority the key would overtake letters
        # on their way into a text field, so that the draft that is asked about were not all that was typed.
        if event.key in command("app.leave").keys:
            event.prevent_default()
            await self.action_quit()
            return
        field, editor = self.focused, getattr(self.screen, "editor", None)
        is_new_line = editor is not None and field is editor.field and event.key == "enter"
        if field is not None and (is_new_line or field.check_consume_key(event.key, event.character)):
            event.prevent_default()
            # At once, and not as a message: ctrl+s may be next, and saves what the field holds.
            await field.on_event(Key(event.key, event.character))

    async def on_event(self, event: TerminalEvent) -> None:
        """Clean a paste before any text field gets it: fields draw what they hold, escapes included."""
        if isinstance(event, Paste) and not event.is_forwarded:
            cleaned, dropped = typeable(event.text)
            event = Paste(cleaned)
            if dropped:
                self.tell(texts.Notice(texts.dropped_from_paste(dropped), texts.Level.WARNING))
        await super().on_event(event)

    @property
    def clipboard(self) -> str:
        """What was copied in here, as a text field may hold it; a copied entry may hold anything."""
        return typeable(super().clipboard)[0]

    def action_help_quit(self) -> None:
        """ctrl+c says how to leave."""
        self.tell(texts.Notice(texts.HOW_TO_QUIT))

    def post_event(self, event: Event) -> None:
        """Take over an event from another thread; one that comes after the end has nobody to tell."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.apply, event)
