"""What nobody foresaw, in a real terminal: one sentence on a terminal that is as it was before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.disk.demo_texts import MEMORY

BROKEN = """
import sys
from memtui.tui.widgets.pane import Pane

def fail(self, y):
    entries = {secret!r}
    raise ZeroDivisionError(entries)

Pane.render_line = fail
from memtui.cli import main
main(sys.argv[1:])
"""


def test_a_fault_in_drawing_ends_in_one_sentence(open_script: Any, sample_home: Path, tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text(BROKEN.format(secret=MEMORY[0]))

    terminal = open_script(script, sample_home)

    assert terminal.wait_for_end() == 2
    said = terminal.output.rpartition("\x1b[?1049l")[2]
    assert "memtui stopped on an unexpected error (ZeroDivisionError)" in said
    assert "Traceback" not in terminal.output
    assert MEMORY[0] not in said
    (log,) = (tmp_path / "data").rglob("crash-*.log")
    assert "ZeroDivisionError" in log.read_text()
    assert MEMORY[0] not in log.read_text()


def test_a_fault_in_the_demo_leaves_its_log_and_nothing_else(open_script: Any, tmp_path: Path) -> None:
    script, temporary = tmp_path / "broken.py", tmp_path / "temporary"
    script.write_text(BROKEN.format(secret=MEMORY[0]))
    temporary.mkdir()

    terminal = open_script(script, "demo", TMPDIR=str(temporary))

    assert terminal.wait_for_end() == 2
    assert list(temporary.iterdir()) == []
    assert len(list((tmp_path / "data").rglob("crash-*.log"))) == 1
