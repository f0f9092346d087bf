"""A message of several lines on the status line, and one character."""

from __future__ import annotations

from memtui.core.budget import budget_of
from memtui.core.codec import parse
from memtui.core.model import MemoryFile
from memtui.view.draft import Draft, count_line
from memtui.view.lines import one_paragraph


def test_a_message_of_several_lines_is_one_paragraph() -> None:
    told = one_paragraph("Nothing was written. The nearest:\n  #0a1b2c3d  Deploy needs\x1b the VPN\n  … and 2 more")
    assert told.startswith("Nothing was written. The nearest: #0a1b2c3d  Deploy needs")
    assert "⏎" not in told
    assert "\x1b" not in told


def test_one_character_is_no_characters() -> None:
    file = MemoryFile("memory", "MEMORY.md", True, parse(b""), budget_of((), 100))
    counts = ["".join(span.text for span in count_line(Draft("memory", None, text), file)) for text in ("x", "xy")]
    assert counts[0].startswith("1 character  ")
    assert counts[1].startswith("2 characters  ")
