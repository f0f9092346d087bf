"""A few labelled moments of resolver and history as pictures; behaviour is asserted elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_driver import Driver

from memtui import open_store
from memtui.disk.demo import make_demo
from memtui.tui.app import MemtuiApp
from memtui.view import resolver_rows
from memtui.view.state import HomeView

NOW_S = 1_795_597_920.0
"""Every clock of the pictures: a morning in November 2026."""


@dataclass(frozen=True)
class Moment:
    """The keys that lead to a picture, and what must stand on the screen after each of them."""

    size: tuple[int, int]
    steps: tuple[tuple[str, str], ...]
    profile: str = ""
    memory: bytes = b""
    """What stands in MEMORY.md instead of the demo's."""


OPEN = (("2", "b resolves it"), ("b", "not live"))
FOREIGN = "Café closes at 18:00, ask für the key".encode("cp1252") + "\n§\nDeploy needs the VPN".encode()
MOMENTS: dict[str, Moment] = {
    "resolver wide": Moment((120, 36), OPEN),
    "resolver at 80 by 24": Moment((80, 24), (OPEN[0], ("b", "live  "))),
    "resolver at 60 by 20": Moment((60, 20), (OPEN[0], ("b", "live  "))),
    "resolver, a backup": Moment((120, 36), (*OPEN, ("shift+tab", "bytes · sha256"), ("G", "3 from backup"))),
    "resolver asks what to leave out": Moment(
        (120, 36), (*OPEN, ("G", "10 of 10"), ("space", "9 of 10"), ("enter", "without these"))
    ),
    "resolver, clean up": Moment((100, 30), (*OPEN, ("D", "These are kept"))),
    "resolver, encodings": Moment((100, 30), (("b", "[E9]"), ("c", "every byte kept")), memory=FOREIGN),
    "split asks": Moment((100, 30), (("S", "into 3 entries?"),), profile="work"),
    "tidy asks": Moment((100, 30), (("x", "CRLF"),), profile="work"),
    "history wide": Moment((120, 36), (("H", "These are the bytes"),)),
    "history at 80 by 24": Moment((80, 24), (("H", "These are the bytes"), ("tab", "Entries of"))),
}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The clock stands still, in one time zone, and the home has one name and lies in one place."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: NOW_S)
    home = HomeView("~/demo", "default", "hermes", "hermes 0.19 rules")
    monkeypatch.setattr("memtui.tui.jobs.home_view", lambda store: home)
    clip = resolver_rows.clip
    monkeypatch.setattr(resolver_rows, "clip", lambda text, cells: clip(text.replace(str(tmp_path), "~"), cells))
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("moment", MOMENTS)
def test_moment(snap_compare: Any, tmp_path: Path, moment: str) -> None:
    wanted = MOMENTS[moment]
    home = make_demo(tmp_path / "demo", NOW_S)
    if wanted.memory:
        (home / "memories" / "MEMORY.md").write_bytes(wanted.memory)
    app = MemtuiApp(lambda: open_store(home / "profiles" / wanted.profile if wanted.profile else home))

    async def to_the_moment(pilot: Pilot[None]) -> None:
        driver = Driver(app, pilot)
        await driver.until(lambda: bool(app.state.groups and app.state.watch), "watch")
        await driver.until(
            lambda: all(group.load and group.load.is_scanned for group in app.state.groups), "scans"
        )
        for key, shows in wanted.steps:
            await driver.press(key)
            await driver.until_shown(shows)
        await pilot.pause(0.2)

    assert snap_compare(app, terminal_size=wanted.size, run_before=to_the_moment)
