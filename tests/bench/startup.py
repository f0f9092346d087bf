"""How long until the first entry is painted, beside a bare Textual app with header, list and footer; one run, on a pty.

    python tests/bench/startup.py [ROUNDS]

Prints milliseconds from process start to the first row, best and median of ROUNDS (default 11) of each, taken in
turns, and the ratio of the best ones. Fails above the ratio of 1.6.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = b"Project uses uv"
MAX_RATIO = 1.6
WAIT_S = 20.0

BARE = """
from textual.app import App
from textual.widgets import Footer, Header, OptionList
class Bare(App):
    BINDINGS = [("q", "quit", "Quit"), ("a", "add", "Add"), ("e", "edit", "Edit")]
    def compose(self):
        yield Header()
        yield OptionList("Project uses uv", "Deploy needs the VPN", "Cron runs at 03:00")
        yield Footer()
Bare().run()
"""


def first_row_ms(arguments: list[str], env: dict[str, str]) -> float:
    """Start a program on a pty and wait for the row's bytes."""
    began = time.monotonic()
    pid, master = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, *arguments], env)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    try:
        return _wait_for_row(master, began)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)


def _wait_for_row(master: int, began: float) -> float:
    output = b""
    while time.monotonic() - began < WAIT_S:
        ready, _, _ = select.select([master], [], [], WAIT_S)
        if ready:
            output += os.read(master, 65536)
        if ROW in output:
            return (time.monotonic() - began) * 1000
    raise SystemExit(f"the row was never painted; the end of what came: {output[-300:]!r}")


def main() -> int:
    """Measure both in turns and compare."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        (home / "memories").mkdir(parents=True)
        (home / "memories" / "MEMORY.md").write_text("Project uses uv\n§\nDeploy needs the VPN", encoding="utf-8")
        (home / "memories" / "USER.md").write_text("Prefers short answers", encoding="utf-8")
        env = {**os.environ, "TERM": "xterm-256color", "HOME": folder, "PYTHONPATH": str(ROOT)}
        env |= {"XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config", "MEMTUI_DATA_DIR": folder}
        bare, ours = [], []
        for _ in range(rounds + 1):
            bare.append(first_row_ms(["-c", BARE], env))
            ours.append(first_row_ms(["-m", "memtui", str(home)], env))
    ratio = min(ours[1:]) / min(bare[1:])
    for name, times in (("bare Textual app", bare[1:]), ("memtui", ours[1:])):
        print(f"{name:18} best {min(times):6.0f} ms   median {statistics.median(times):6.0f} ms")
    print(f"ratio of the best {ratio:.2f}, of the medians "
          f"{statistics.median(ours[1:]) / statistics.median(bare[1:]):.2f} (allowed {MAX_RATIO})")
    return ratio > MAX_RATIO


if __name__ == "__main__":
    raise SystemExit(main())
