"""Paths that a user may not look into: words, never an exception of the system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

NOBODY = 65534
OPEN = """
import sys
import memtui
store = memtui.open_store(sys.argv[1])
print(store.inspect("memory", scan=False).problem)
try:
    store.add("memory", "x")
except memtui.MemoryRefused as refusal:
    print(refusal.code)
"""


@pytest.mark.as_root("setpriv")
@pytest.mark.parametrize("below", ["home", "home/memories", "home/memories/MEMORY.md"])
def test_a_home_below_a_closed_folder_is_said_in_words(
    open_folder: Path, run_python: Callable[..., str], below: str
) -> None:
    closed = open_folder / "closed"
    (closed / "home" / "memories").mkdir(parents=True)
    (closed / "home" / "memories" / "MEMORY.md").write_text("Alpha fact")
    closed.chmod(0o700)

    problem, code = run_python(OPEN, closed / below, uid=NOBODY).splitlines()

    assert "permission denied" in problem
    assert code == "write_failed"


def test_a_circle_of_links_is_said_in_words(tmp_path: Path, run_python: Callable[..., str]) -> None:
    memories = tmp_path / "memories"
    memories.mkdir()
    (memories / "MEMORY.md").symlink_to("MEMORY.md")

    problem, code = run_python(OPEN, memories).splitlines()

    assert "circle" in problem
    assert code in ("write_failed", "unreadable")
