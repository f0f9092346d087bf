"""Homes to open and the app in a made-up terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from audit_driver import PLAIN, POISON, SEEN, SSH
from tui_driver import MEMORY, USER, Driver, Home, OpenApp, Opening

from memtui import open_store
from memtui.disk.pending import PendingQueue
from memtui.tui.app import MemtuiApp


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Three entries of memory, one of the user."""
    home = Home(tmp_path / "agent")
    home.write_outside(*MEMORY)
    home.write_outside(*USER, path=home.user)
    return home


@pytest.fixture
def poisoned(home: Home) -> Home:
    """A plain entry, one the agent hides wrongly, one it hides rightly, one it reads; a backup and a staged write."""
    home.write_outside(PLAIN, SSH, POISON, SEEN)
    (home.memory.parent / "MEMORY.md.bak.1764500000").write_text(f"Old note\n§\n{POISON}", encoding="utf-8")
    PendingQueue(home.root).stage("user", "add", [{"action": "add", "content": POISON}])
    return home


@pytest.fixture
def open_app(home: Home) -> OpenApp:
    """Opens the app on the home (or with another opening) and waits until it was scanned."""

    @asynccontextmanager
    async def opened(
        opening: Opening | None = None, *, size: Sequence[int] = (120, 40), is_ready: bool = True, **options: object
    ) -> AsyncIterator[Driver]:
        app = MemtuiApp(opening or (lambda: open_store(home.root, **options)))  # type: ignore[arg-type]
        width, height = size
        async with app.run_test(size=(width, height), notifications=True) as pilot:
            driver = Driver(app, pilot)
            if is_ready:
                await driver.until(lambda: _is_ready(app), "every group scanned, folder watched")
            yield driver

    return opened


def _is_ready(app: MemtuiApp) -> bool:
    loads = [group.load for group in app.state.groups]
    return bool(loads and app.state.watch) and all(load is not None and load.is_scanned for load in loads)
