"""How long the event loop of the app stands still on a store of 10,000 entries and 600 kB: open, scroll, filter, save.

    python tests/bench/stall.py

A heartbeat on the loop notes how late it is; the worst lateness of each job is printed, once by the clock and once
counting no more than the processor time that the whole program used meanwhile: on a busy machine the clock also
counts the others. Fails when the second is above 100 ms.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memtui import open_store
from memtui.core.codec import render
from memtui.tui.app import MemtuiApp

ENTRIES = 10_000
BEAT_S = 0.002
MAX_STALL_MS = 100
WAIT_S = 120.0
WORDS = ("deploy", "cron", "staging", "uses", "needs", "at", "box", "vpn", "docs", "release", "über", "naïve", "日本")


@dataclass
class Heartbeat:
    """Beats on the loop and notes the worst lateness of each job."""

    by_clock_ms: dict[str, float] = field(default_factory=dict)
    own_ms: dict[str, float] = field(default_factory=dict)
    job: str = "open"

    async def beat(self) -> None:
        last, last_used = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(BEAT_S)
            now, used = time.perf_counter(), time.process_time()
            late_ms = (now - last - BEAT_S) * 1000
            self._note(self.by_clock_ms, late_ms)
            self._note(self.own_ms, min(late_ms, (used - last_used) * 1000))
            last, last_used = now, used

    def _note(self, worst_ms: dict[str, float], late_ms: float) -> None:
        worst_ms[self.job] = max(worst_ms.get(self.job, 0.0), late_ms)


def make_home(folder: Path) -> Path:
    """A home with 10,000 made-up entries of about 60 characters."""
    chosen = random.Random(7)
    texts = [f"{index}: " + " ".join(chosen.choices(WORDS, k=9)) for index in range(ENTRIES)]
    home = folder / "home"
    (home / "memories").mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_bytes(render(texts))
    (home / "memories" / "USER.md").write_bytes(b"Prefers short answers")
    return home


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for a condition without holding the loop."""
    deadline = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"never came: {what}")
        await asyncio.sleep(0.01)


@asynccontextmanager
async def running(app: MemtuiApp) -> AsyncIterator[Heartbeat]:
    """The app in a made-up terminal, and the heartbeat beside it."""
    heart = Heartbeat()
    beating = asyncio.create_task(heart.beat())
    async with app.run_test(size=(120, 40)):
        yield heart
    beating.cancel()


async def press(app: MemtuiApp, *keys: str, pause_s: float = 0.01) -> None:
    """Press keys as fast as a held key repeats."""
    from textual.events import Key

    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else None))
        await asyncio.sleep(pause_s)


async def measure(home: Path) -> Heartbeat:
    """Every job once."""
    app = MemtuiApp(lambda: open_store(home, memory_char_limit=10_000_000))
    async with running(app) as heart:
        await until(lambda: bool(app.state.groups and app.state.groups[0].load), "the file")
        heart.job = "scan"
        await until(lambda: app.state.groups[0].load.is_scanned, "the scan")  # type: ignore[union-attr]
        heart.job = "scroll"
        await press(app, *["pagedown"] * 60, "G", "g", *["down"] * 60)
        heart.job = "filter"
        await press(app, "slash", *"release 9", pause_s=0.05)
        await until(lambda: 0 < len(app.state.groups[0].shown) < ENTRIES, "the filter")
        await press(app, "escape", pause_s=0.3)
        heart.job = "save"
        await press(app, "a", *"a new entry", "ctrl+s")
        await until(lambda: len(app.state.groups[0].rows) == ENTRIES + 1, "the saved entry")
        await until(lambda: app.state.groups[0].load.is_scanned, "the scan")  # type: ignore[union-attr]
        heart.job = "change outside"
        memory = home / "memories" / "MEMORY.md"
        fresh = memory.with_name(".fresh")
        fresh.write_bytes(memory.read_bytes().replace(b"deploy", b"Deploy", 1) + "\n§\noutside".encode())
        os.replace(fresh, memory)
        await until(lambda: len(app.state.groups[0].rows) == ENTRIES + 2, "the change outside")
        await until(lambda: app.state.groups[0].load.is_scanned, "the scan")  # type: ignore[union-attr]
    return heart


def main() -> int:
    """Print the worst stall of each job."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        heart = asyncio.run(measure(make_home(Path(folder))))
    for job, own_ms in heart.own_ms.items():
        print(f"{job:16} worst stall {heart.by_clock_ms[job]:6.1f} ms by the clock, {own_ms:6.1f} ms of its own")
    print(f"allowed {MAX_STALL_MS} ms")
    return max(heart.own_ms.values()) > MAX_STALL_MS


if __name__ == "__main__":
    raise SystemExit(main())
