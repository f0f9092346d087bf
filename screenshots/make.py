"""Draws the pictures of the README from the sample home, at one fixed moment.

python screenshots/make.py            draw them anew
python screenshots/make.py --check    exit 1 when one no longer shows what the app shows
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

NOW_S = 1_795_597_920.0
"""Every clock of the pictures: a morning in November 2026."""
WAIT_S = 30.0


@dataclass(frozen=True)
class Picture:
    """One picture: the window's size and the keys that lead to what it shows."""

    name: str
    keys: tuple[str, ...] = ()
    is_visited: bool = False
    """True when another program has changed the file since the snapshot was frozen."""
    shows: str = ""
    """What must stand on the screen before the picture is taken."""
    columns: int = 120
    lines: int = 36


PICTURES = (
    Picture("review", ("down",) * 5, is_visited=True, lines=30),
    Picture("review-80x24", ("down",) * 3, columns=80, lines=24),
    Picture("edit", ("a", *"Deploy needs the VPN, the runbook is docs/deploy.md")),
    Picture("remove", (*("down",) * 5, "d")),
    Picture("resolve", ("2", "b"), shows="1 not live"),
    Picture("resolve-80x24", ("2", "b"), shows="live", columns=80, lines=24),
    Picture("audit", ("t",), shows="It says:", lines=30),
    Picture("history", ("H", "down"), is_visited=True, shows="Bringing it back · +0"),
)


def draw(picture: Picture, folder: Path) -> str:
    """The picture as SVG, of a sample home that is made below `folder`."""
    from memtui.disk.demo import make_demo, visit
    from memtui.disk.demo_texts import BOX_MOVED
    from memtui.opening import open_store
    from memtui.tui.app import MemtuiApp

    home = make_demo(folder, NOW_S)
    app = MemtuiApp(lambda: open_store(home))

    async def drawn() -> str:
        async with app.run_test(size=(picture.columns, picture.lines)) as pilot:
            await settled(pilot.pause, lambda: is_at_rest(app))
            if picture.is_visited:
                visit(home)
                await settled(pilot.pause, lambda: is_shown(app, BOX_MOVED) and is_at_rest(app))
            await pilot.press(*picture.keys)
            await settled(pilot.pause, lambda: is_at_rest(app) and picture.shows in words_of(app.export_screenshot()))
            for widget in app.screen.query("TextArea, Input"):
                widget.cursor_blink = False
            await pilot.pause()
            return app.export_screenshot(title="memtui")

    return without_web_fonts(asyncio.run(drawn()))


async def settled(pause: Callable[[], object], holds: Callable[[], bool]) -> None:
    """Let the app go on until a condition holds."""
    deadline = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit("the app did not come to rest")
        await pause()
    await pause()


def is_at_rest(app: object) -> bool:
    """True when every group is read and scanned and the folder is watched."""
    state = app.state
    loads = [group.load for group in state.groups]
    return bool(loads) and bool(state.watch) and all(load is not None and load.is_scanned for load in loads)


def is_shown(app: object, text: str) -> bool:
    """True when an entry of the first group has this text."""
    return text in app.state.groups[0].load.file.document.texts


def without_web_fonts(svg: str) -> str:
    """The picture without fonts from elsewhere: it needs no network and takes the reader's own face."""
    return re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)


def words_of(svg: str) -> str:
    """What a picture says: the part that stays the same when a new Textual draws a line elsewhere."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return " ".join(html.unescape(" ".join(texts)).split())


def main() -> int:
    """Draw or check every picture; the exit code."""
    stale = []
    for picture in PICTURES:
        with tempfile.TemporaryDirectory() as user_home, tempfile.TemporaryDirectory() as own_data:
            os.environ.update(HOME=user_home, MEMTUI_DATA_DIR=own_data)
            svg = draw(picture, Path(user_home))
        path = HERE / f"{picture.name}.svg"
        if "--check" not in sys.argv[1:]:
            path.write_text(svg, encoding="utf-8")
        elif not path.is_file() or words_of(path.read_text(encoding="utf-8")) != words_of(svg):
            stale.append(path.name)
    if stale:
        print(f"not current: {', '.join(stale)}; run python screenshots/make.py")
    return 1 if stale else 0


if __name__ == "__main__":
    os.environ.update(TZ="UTC", LANG="C.UTF-8", COLORTERM="truecolor")
    for name in ("NO_COLOR", "TEXTUAL_THEME", "HERMES_HOME"):
        os.environ.pop(name, None)
    time.tzset()
    time.time = lambda: NOW_S
    sys.exit(main())
