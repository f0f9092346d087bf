"""A real terminal for the app: pexpect types, pyte draws what a person would see."""

from __future__ import annotations

import os
import re
import sys
import termios
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from memtui.disk.demo import make_demo

if sys.platform == "win32":
    pytest.skip("the app is for Linux and macOS", allow_module_level=True)

import pexpect
import pyte

ROOT = Path(__file__).resolve().parents[2]
COLUMNS, LINES = 120, 36
WAIT_S = 20.0

# pyte prints the end of sequences it does not know: the keyboard protocol of Kitty.
UNKNOWN_TO_PYTE = re.compile(r"\x1b\[[<>=][0-9;]*u")


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments: list[str], env: dict[str, str], columns: int, lines: int) -> None:
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.Stream(self.screen)
        self.output = ""
        self.child = pexpect.spawn(
            sys.executable, arguments, env=env, dimensions=(lines, columns), encoding="utf-8", timeout=WAIT_S
        )
        self.modes_before = termios.tcgetattr(self.child.child_fd)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, *keys: str) -> None:
        """Send keys as the terminal would."""
        for key in keys:
            self.child.send(key)

    def wait_for(self, what: str | Callable[[], bool]) -> None:
        """Draw until a text stands on the screen, or until a condition holds."""
        self._draw_until(lambda: what in self.text if isinstance(what, str) else what(), f"{what!r} never came")

    def wait_until_gone(self, text: str) -> None:
        """Draw until a text no longer stands on the screen."""
        self._draw_until(lambda: text not in self.text, f"{text!r} stayed")

    def wait_for_end(self) -> int:
        """Draw until the program ended; its exit code."""
        self._draw_until(lambda: not self.child.isalive(), "the program did not end")
        self._draw()
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus)

    def _draw_until(self, holds: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"{complaint}; the screen:\n{self.text}")
            self._draw()

    def _draw(self) -> None:
        try:
            part = self.child.read_nonblocking(65536, timeout=0.1)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.output += part
        self.stream.feed(UNKNOWN_TO_PYTE.sub("", part))


Open = Callable[..., Terminal]


@pytest.fixture
def sample_home(tmp_path: Path) -> Path:
    """The demo's home, without its visitor."""
    return make_demo(tmp_path / "demo", time.time())


@pytest.fixture
def terminal_env(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who works over SSH."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if name in os.environ}
    return {
        **kept,
        "HOME": str(tmp_path),
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT),
        "MEMTUI_DATA_DIR": str(tmp_path / "data"),
        "LANG": "C.UTF-8",
    }


@pytest.fixture
def open_script(terminal_env: dict[str, str]) -> Iterator[Open]:
    """Runs Python with arguments in a terminal of 120 columns and 36 lines, or of another size."""
    opened: list[Terminal] = []

    def open_one(*arguments: str | Path, columns: int = COLUMNS, lines: int = LINES, **env: str) -> Terminal:
        opened.append(Terminal([*map(str, arguments)], {**terminal_env, **env}, columns, lines))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.child.close(force=True)


@pytest.fixture
def open_terminal(open_script: Open) -> Open:
    """Opens `memtui ARGUMENTS` in a terminal."""
    return partial(open_script, "-m", "memtui")
