"""Drift resolved and history used in a real terminal, by real keys, on the sample home."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memtui.core.codec import parse
from memtui.core.drift import find_drift
from memtui.disk.demo_texts import LOST, MEMORY, USER, WORK_MEMORY

ENTER, TAB, ESCAPE, CTRL_S, SHIFT_TAB = "\r", "\t", "\x1b", "\x13", "\x1b[Z"
LIMIT = 1375


def user_file(home: Path) -> Path:
    return home / "memories" / "USER.md"


@pytest.mark.parametrize(("columns", "lines"), [(120, 36), (80, 24)])
def test_the_demos_drift_becomes_a_clean_file(
    open_terminal: Any, sample_home: Path, columns: int, lines: int
) -> None:
    drifted = user_file(sample_home).read_bytes()
    backups = set(user_file(sample_home).parent.glob("USER.md.bak.*"))
    terminal = open_terminal(sample_home, columns=columns, lines=lines)
    terminal.wait_for(MEMORY[0][:20])

    terminal.press("2")
    terminal.wait_for("b resolves it")
    terminal.press("b")
    terminal.wait_for("Candidates · 10")
    terminal.wait_for(" over")
    terminal.press("G", "k", " ")
    terminal.wait_for(" left")
    # A text that only an old backup holds.
    terminal.press(SHIFT_TAB)
    terminal.wait_for("Sources · 3")
    terminal.press("G")
    terminal.wait_for("1 entry is not live")
    terminal.press(TAB, "G")
    terminal.wait_for(LOST[:30])
    terminal.press(" ", ENTER)
    terminal.wait_for("Write the file without these?")
    terminal.wait_for("Log of last week")
    terminal.press(TAB, ENTER)
    terminal.wait_for("Backups of USER.md")
    terminal.wait_for("These are kept:")
    terminal.press(TAB, ENTER)
    terminal.wait_for(lambda: len(set(user_file(sample_home).parent.glob("USER.md.bak.*"))) == 1)
    terminal.wait_for("▸2 USER")
    terminal.press("q")

    assert terminal.wait_for_end() == 0
    document = parse(user_file(sample_home).read_bytes())
    assert find_drift(document, LIMIT) == ()
    assert document.texts[:2] == USER
    assert document.texts[-1] == LOST
    kept = set(user_file(sample_home).parent.glob("USER.md.bak.*")) & backups
    assert [path.read_bytes() for path in kept] == [drifted]


def test_a_merged_entry_is_split_and_the_split_taken_back(open_terminal: Any, sample_home: Path) -> None:
    home = sample_home / "profiles" / "work"
    path = home / "memories" / "MEMORY.md"
    terminal = open_terminal(home)
    terminal.wait_for("S splits")

    terminal.press("S")
    terminal.wait_for("into 3 entries?")
    terminal.press(TAB, ENTER)
    terminal.wait_for(lambda: len(parse(path.read_bytes()).texts) == 4)
    terminal.press("u")
    terminal.wait_for(lambda: path.read_bytes() == WORK_MEMORY.encode())
    terminal.press("q")

    assert terminal.wait_for_end() == 0


def test_a_removed_entry_comes_back_from_the_history(open_terminal: Any, sample_home: Path) -> None:
    path = sample_home / "memories" / "MEMORY.md"
    terminal = open_terminal(sample_home)
    terminal.wait_for(MEMORY[0][:20])
    terminal.press("d")
    terminal.wait_for("Remove this entry")
    terminal.press(TAB, ENTER)
    terminal.wait_for(lambda: MEMORY[0] not in path.read_text(encoding="utf-8"))

    terminal.press("H")
    terminal.wait_for("2 versions")
    terminal.press("G", TAB)
    terminal.wait_for("not live")
    terminal.press("g", ENTER)
    terminal.wait_for("Bring this entry back?")
    terminal.press(TAB, ENTER)
    terminal.wait_for(lambda: path.read_text(encoding="utf-8").endswith(MEMORY[0]))
    terminal.wait_for("3 versions")
    terminal.press(ESCAPE)
    terminal.wait_for("Live · on disk")
    terminal.press("q")

    assert terminal.wait_for_end() == 0


def test_no_color_sends_none_and_shows_the_cursor(open_terminal: Any, sample_home: Path) -> None:
    terminal = open_terminal(sample_home, NO_COLOR="1")
    terminal.wait_for(MEMORY[0][:20])

    terminal.press("b")
    terminal.wait_for("is clean")
    terminal.press("j")
    terminal.wait_for("Candidate 2 of")

    rows = [list(line.values()) for line in terminal.screen.buffer.values()]
    (row,) = (cells for cells in rows if "▸[x]" in "".join(cell.data for cell in cells))
    assert any(cell.reverse for cell in row)
    assert not re.search(r"\x1b\[[0-9;]*(?:38|48)[;:]2", terminal.output)


@pytest.mark.parametrize("target", [(), ("user",)])
def test_resolve_opens_the_resolver_on_the_drifted_file(
    open_terminal: Any, sample_home: Path, target: tuple[str, ...]
) -> None:
    terminal = open_terminal("resolve", *target, "--home", sample_home)

    terminal.wait_for("Candidates · 10")
    terminal.wait_for("USER.md as it will be")
    terminal.press("\x1b")
    terminal.wait_for("▸2 USER")
    terminal.press("q")

    assert terminal.wait_for_end() == 0



def test_a_text_is_reworded_in_the_resolver(open_terminal: Any, sample_home: Path) -> None:
    path = sample_home / "memories" / "MEMORY.md"
    terminal = open_terminal(sample_home)
    terminal.wait_for(MEMORY[0][:20])

    terminal.press("b")
    terminal.wait_for("is clean")
    terminal.press("e")
    terminal.wait_for("Edit entry")
    terminal.press(" and ruff", CTRL_S)
    terminal.wait_for("space Pick")
    terminal.press(ENTER)
    terminal.wait_for(lambda: " and ruff" in path.read_text(encoding="utf-8"))
    terminal.wait_for("Live · on disk")
    terminal.press("q")

    assert terminal.wait_for_end() == 0
