"""A few labelled moments of the agent's side as pictures; behaviour is asserted elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_driver import Driver

from memtui import open_store
from memtui.disk.demo import make_demo
from memtui.tui.app import MemtuiApp
from memtui.view import homes_rows
from memtui.view.state import HomeView

NOW_S = 1_795_597_920.0
"""Every clock of the pictures: a morning in November 2026."""

Step = tuple[str, str]
"""A key, and what must stand on the screen after it."""
MOMENTS: dict[str, tuple[tuple[int, int], tuple[Step, ...]]] = {
    "a real session": ((120, 36), (("G", "not yet held"),)),
    "staged wide": ((120, 36), (("w", "✗ threat"), ("j", "its words name now"))),
    "staged at 80 by 24": ((80, 24), (("w", "✗ threat"),)),
    "staged at 60 by 20": ((60, 20), (("w", "Disregard"), ("j", "its words name now"))),
    "staged, approve all asks": ((100, 30), (("w", "✗ threat"), ("A", "Approve 2 staged writes?"))),
    "snapshot sources": ((100, 30), (("s", "it runs, or nobody"),)),
    "homes wide": ((120, 36), (("o", "◌ 2"),)),
    "homes at 60 by 20": ((60, 20), (("o", "◌ 2"),)),
    "two homes compared": ((120, 36), (("o", "◌ 2"), ("j", "profile quiet"), ("c", "8 left only"))),
}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The clock stands still, in one time zone, and every home lies under one name."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: NOW_S)
    home = HomeView("~/demo", "default", "hermes", "hermes 0.19 rules")
    monkeypatch.setattr("memtui.tui.jobs.home_view", lambda store: home)
    for module in ("home_jobs", "screens.comparing"):
        monkeypatch.setattr(f"memtui.tui.{module}.short_path", lambda path: _short(path, tmp_path))
    visible = homes_rows.visible_text
    monkeypatch.setattr(homes_rows, "visible_text", lambda text: visible(_short(text, tmp_path)))
    yield
    monkeypatch.undo()
    time.tzset()


def _short(path: object, tmp_path: Path) -> str:
    return str(path).replace(str(tmp_path / "demo" / "agent-home"), "~/demo")


@pytest.mark.parametrize("moment", MOMENTS)
def test_moment(snap_compare: Any, tmp_path: Path, moment: str) -> None:
    size, steps = MOMENTS[moment]
    home = make_demo(tmp_path / "demo", NOW_S)
    for file in home.rglob("*.md"):
        os.utime(file, (NOW_S - 3_600, NOW_S - 3_600))
    app = MemtuiApp(lambda: open_store(home))

    async def to_the_moment(pilot: Pilot[None]) -> None:
        driver = Driver(app, pilot)
        await driver.until(lambda: bool(app.state.groups and app.state.watch), "watch")
        await driver.until(lambda: all(group.load and group.load.is_scanned for group in app.state.groups), "scans")
        await driver.until(lambda: bool(app.jobs.chats), "the session that runs")
        for key, shows in steps:
            await driver.press(key)
            await driver.until_shown(shows)
        await pilot.pause(0.4)

    assert snap_compare(app, terminal_size=size, run_before=to_the_moment)
