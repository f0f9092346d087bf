"""A few labelled moments as pictures; behaviour is asserted elsewhere."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_driver import Driver

from memtui import open_store
from memtui.disk.demo import make_demo
from memtui.tui.app import MemtuiApp
from memtui.view.state import HomeView

NOW_S = 1_795_597_920.0
"""Every clock of the pictures: a morning in November 2026."""
MOMENTS: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "review wide": ((120, 36), ("down", "down")),
    "review at 80 by 24": ((80, 24), ("G", "up")),
    "review at 60 by 20": ((60, 20), ("tab",)),
    "remove asks": ((100, 30), ("d",)),
    "editor": ((120, 36), ("down", "e", "exclamation_mark")),
    "filter without a match": ((80, 24), ("slash", "z", "z", "z")),
    "too small": ((20, 6), ()),
}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemtuiApp]:
    """The demo's home, with what differs from run to run held still: its path, the clock and the time zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: NOW_S)
    still = HomeView("~/demo", "default", "hermes", "hermes 0.19 rules")
    monkeypatch.setattr("memtui.tui.jobs.home_view", lambda store: still)
    home = make_demo(tmp_path / "demo", NOW_S)
    yield MemtuiApp(lambda: open_store(home))
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("moment", MOMENTS)
def test_moment(snap_compare: Any, app: MemtuiApp, moment: str) -> None:
    size, keys = MOMENTS[moment]

    async def to_the_moment(pilot: Pilot[None]) -> None:
        driver = Driver(app, pilot)
        await driver.until(lambda: all(group.load and group.load.is_scanned for group in app.state.groups), "scans")
        await driver.until(lambda: bool(app.state.groups and app.state.watch), "watch")
        await driver.press(*keys)
        await pilot.pause(0.4)

    moving: Callable[[Pilot[None]], Awaitable[None]] = to_the_moment
    assert snap_compare(app, terminal_size=size, run_before=moving)
