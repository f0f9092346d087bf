"""How soon the home chooser shows its first rows, with 200 profiles of one agent: from the key to the row on screen.

Run from the repository: `python tests/bench/chooser.py [COUNT]`. Target: the first rows within 300 ms. Also printed:
when all stood there, when all were looked through for threats, and the longest time in which no key was answered.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from homes import make_homes

FIRST_ROWS_TARGET_MS = 300
WAIT_S = 30.0


async def measure(root: Path, count: int) -> dict[str, float]:
    """Milliseconds from the key press."""
    from memtui import open_store
    from memtui.tui.app import MemtuiApp
    from memtui.tui.screens.homes import HomesScreen

    app = MemtuiApp(lambda: open_store(root))
    async with app.run_test(size=(120, 40)) as pilot:
        while not all(group.load and group.load.is_scanned for group in app.state.groups or ()) or not app.state.groups:
            await pilot.pause(0.01)
        began, beats, times = time.perf_counter(), [time.perf_counter()], {}
        pressing = asyncio.create_task(pilot.press("o"))
        while "scanned" not in times and beats[-1] - began < WAIT_S:
            await asyncio.sleep(0.002)
            beats.append(time.perf_counter())
            screen = app.screen
            if not isinstance(screen, HomesScreen):
                continue
            state, now_ms = screen.homes, (beats[-1] - began) * 1000
            if state.homes and "agent" in "".join(strip.text for strip in screen._compositor.render_strips()):
                times.setdefault("first", now_ms)
            if len(state.homes) > count:
                times.setdefault("all", now_ms)
            if not state.is_reading and state.homes:
                times["scanned"] = now_ms
        await pressing
        times["stall"] = max(after - before for before, after in zip(beats, beats[1:], strict=False)) * 1000
        return times


def main() -> int:
    """Print the times; exit 1 when the first rows come late."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        make_homes(root / "profiles", count)
        (root / "memories").mkdir()
        (root / "memories" / "MEMORY.md").write_text("Project uses uv", encoding="utf-8")
        os.environ.update(HOME=folder, XDG_STATE_HOME=f"{folder}/state", XDG_CONFIG_HOME=f"{folder}/config")
        times = asyncio.run(measure(root, count))
    told = ", ".join(f"{name} {times[name]:.0f} ms" for name in ("first", "all", "scanned", "stall"))
    print(f"{count} homes: {told}")
    return int(times["first"] > FIRST_ROWS_TARGET_MS)


if __name__ == "__main__":
    sys.exit(main())
