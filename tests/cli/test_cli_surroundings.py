"""Commands in surroundings that nobody tidied: removed working folders, odd numbers, useless variables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.cli.output import say
from tests.cli.conftest import ROOT


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the folder that is worked in")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["list"], 2),
        (["list", "--home", "relative"], 2),
        (["homes"], 2),
        (["audit", "relative"], 2),
        (["audit", "--sarif", "{home}"], 0),
        (["add", "memory", "Delta fact", "--home", "{home}"], 0),
    ],
)
def test_no_command_stumbles_over_a_removed_working_folder(
    tmp_path: Path, home: Path, words: list[str], code: int
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "memtui", *(word.format(home=home) for word in words)]
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'

    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *command],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )

    assert done.returncode == code, done.stderr
    assert "unexpected" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", ["²", "٣", "9" * 30, "9" * 5000])
def test_restore_of_an_odd_number_is_refused_in_words(memtui: Any, home: Path, number: str) -> None:
    answer = memtui("restore", "memory", number, "--home", home)

    assert answer.code == 2
    assert "There is no" in answer.err


@pytest.mark.parametrize("command", ["list", "check", "drift", "backups", "history"])
@pytest.mark.parametrize("makes_root", [False, True])
def test_a_home_without_memory_is_said_so_that_a_slip_in_a_path_never_looks_clean(
    memtui: Any, tmp_path: Path, command: str, makes_root: bool
) -> None:
    place = tmp_path / "mistyped"
    if makes_root:
        place.mkdir()

    answer = memtui(command, "--home", place)

    assert answer.code == 0
    assert answer.err == f"note: {place / 'memories'} is not there yet; the first write makes it.\n"


def test_a_data_folder_that_cannot_be_is_said_and_the_entry_is_written(
    memtui: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_DATA_DIR", "~nobody-of-that-name/data")

    answer = memtui("add", "memory", "Delta fact", "--home", home)

    assert answer.code == 0
    assert "History cannot be used" in answer.err
    assert list((home / "memories").glob("MEMORY.md.bak.*"))


def test_a_staged_write_with_a_hostile_name_is_answered_without_its_escapes(memtui: Any, home: Path) -> None:
    folder = home / "pending" / "memory"
    folder.mkdir(parents=True)
    (folder / "\x1b[31m\nforged.json").write_text("{}")

    answer = memtui("pending", "reject", "\x1b[31m\nforged", "--yes", "--home", home)

    assert answer.code == 0
    assert not list(folder.iterdir())
    assert "\x1b" not in answer.out + answer.err
    assert len(answer.out.splitlines()) == 1


def test_no_printed_line_lets_an_escape_through(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b]0;title\x07\nb\u202e")

    assert capsys.readouterr().out == "a␛]0;title␇\nb⟦U+202E⟧\n"
