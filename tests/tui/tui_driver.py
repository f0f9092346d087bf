"""A made-up home and the hands on the app's keyboard."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from textual.events import Key, Paste
from textual.pilot import Pilot

from memtui.core.codec import render
from memtui.store import MemoryStore
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.pane import Pane

WAIT_S = 10.0
SIZES = ((60, 20), (80, 24), (120, 40))
MEMORY = ("Project uses uv", "Deploy needs the VPN", "Cron runs at 03:00")
USER = ("Prefers short answers",)


@dataclass
class Home:
    """A Hermes home in a temporary folder."""

    root: Path

    @property
    def memory(self) -> Path:
        return self.root / "memories" / "MEMORY.md"

    @property
    def user(self) -> Path:
        return self.root / "memories" / "USER.md"

    def write_outside(self, *texts: str, path: Path | None = None) -> None:
        """What another program does: write a file beside it and rename it over it."""
        target = path or self.memory
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.parent / ".written-by-another"
        fresh.write_bytes(render(texts))
        os.replace(fresh, target)

    @property
    def text(self) -> str:
        return self.memory.read_text(encoding="utf-8")


@dataclass
class Driver:
    """The app and the hands on its keyboard."""

    app: MemtuiApp
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    def burst(self, *keys: str) -> None:
        """Press keys without waiting for anything, as a paste into tmux does."""
        for key in keys:
            character = key if len(key) == 1 else None
            self.app.post_message(Key("space" if key == " " else key, character))

    async def type(self, text: str) -> None:
        """Type a text as a terminal pastes it."""
        self.app.post_message(Paste(text))
        await self.pilot.pause()

    async def until(self, holds: Callable[[], bool], what: str = "") -> None:
        """Wait until a condition holds; fail with the screen when it does not in time."""
        deadline = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"never came: {what or holds}\n{self.screen_text}")
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    async def until_shown(self, text: str) -> None:
        await self.until(lambda: text in self.screen_text, repr(text))

    async def until_told(self, text: str) -> None:
        """As `until_shown`, wherever a line of the screen ends within the text."""
        await self.until(lambda: text in self.told, repr(text))

    async def until_gone(self, text: str) -> None:
        await self.until(lambda: text not in self.screen_text, f"{text!r} gone")

    async def settled(self) -> None:
        """Wait until a dialog stands or nothing that a key started runs any more."""

        def is_settled() -> bool:
            under_way = [one for one in self.app.workers if one.group != "watch" and not one.is_finished]
            return isinstance(self.app.screen, Dialog) or not under_way

        await self.until(is_settled, "settled")

    @property
    def screen_text(self) -> str:
        """What stands on the screen, line by line."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    @property
    def told(self) -> str:
        """What stands on the screen as one line: where sentences are cut depends on the length of a path."""
        return " ".join(self.screen_text.split())

    @property
    def notices(self) -> list[str]:
        """What the app tells: its messages, and the failures above the footer."""
        places = (getattr(self.app.screen, place, None) for place in ("resolver", "staged"))
        failures = [self.app.state.problem, *(place.problem for place in places if place is not None)]
        return [*(one.message for one in self.app._notifications), *filter(None, failures)]

    @property
    def picked_text(self) -> str:
        row = self.app.state.picked
        assert row is not None
        half = row.live or row.snapshot
        assert half is not None
        return half.text

    @property
    def live(self) -> Pane:
        return self.app.review.query_one("#live", Pane)


@contextmanager
def held_lock(path: Path) -> Iterator[None]:
    """Hold the lock as the agent does."""
    lock = path.with_name(path.name + ".lock")
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


Opening = Callable[[], MemoryStore]
OpenApp = Callable[..., AbstractAsyncContextManager[Driver]]


async def answer(driver: Driver, title: str, *keys: str) -> None:
    """Wait for the dialog that shows these words, and press keys in it."""
    await driver.until(lambda: isinstance(driver.app.screen, ChoiceScreen) and title in driver.screen_text, title)
    await driver.press(*keys)
