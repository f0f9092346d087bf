"""Commands in surroundings that nobody tidied: removed working folders, odd numbers, useless variables."""

from __future__ import annotations

import json
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
def test_a_home_without_memory_is_fine_and_said(memtui: Any, tmp_path: Path, command: str) -> None:
    place = tmp_path / "fresh"
    place.mkdir()

    answer = memtui(command, "--home", place)

    assert answer.code == 0
    assert answer.err == f"note: {place / 'memories'} is not there yet; the first write makes it.\n"


LOOKING = (
    ["list"], ["show", "1"], ["check"], ["drift"], ["snapshot"], ["backups"], ["history"],
    ["purge", "Alpha fact", "--dry-run"], ["sessions"], ["pending"], ["archive"], ["tidy"],
    ["resolve", "--auto"], ["remove", "memory", "Alpha"],
    ["replace", "memory", "Alpha", "Beta"], ["suppress", "Alpha", "--reason", "made up"],
)  # fmt: skip


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
@pytest.mark.parametrize("is_json", [False, True])
def test_a_slip_in_a_path_never_looks_clean(memtui: Any, tmp_path: Path, command: list[str], is_json: bool) -> None:
    answer = memtui(*command, *(["--json"] if is_json else []), "--home", tmp_path / "mistyped")

    assert answer.code == 2
    assert f"There is no home at {tmp_path / 'mistyped'}" in (answer.out if is_json else answer.err)
    assert '"clean": true' not in answer.out


def test_a_slip_in_hermes_home_is_told(memtui: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "mistyped"))

    for command in ("check", "homes"):
        answer = memtui(command)

        assert answer.code == 2
        assert f"There is no home at {tmp_path / 'mistyped'}" in answer.err


def test_a_named_home_that_is_not_there_is_no_home_of_the_list(memtui: Any, tmp_path: Path, home: Path) -> None:
    answer = memtui("homes", tmp_path / "mistyped", home)

    assert answer.code == 2
    assert f"There is no home at {tmp_path / 'mistyped'}" in answer.err
    assert "mistyped" not in answer.out
    assert str(home) in answer.out


def test_the_first_write_makes_the_home(memtui: Any, tmp_path: Path) -> None:
    assert memtui("add", "memory", "Alpha fact", "--home", tmp_path / "fresh").code == 0

    assert (tmp_path / "fresh" / "memories" / "MEMORY.md").read_text() == "Alpha fact"


def test_of_a_home_that_went_history_and_purge_still_tell(memtui: Any, tmp_path: Path, home: Path) -> None:
    memtui("add", "memory", "A fact that went", "--home", home)
    memtui("remove", "memory", "A fact that went", "--home", home)
    home.rename(tmp_path / "elsewhere")

    assert memtui("history", "--home", home).code == 0
    assert "history" in memtui("purge", "A fact that went", "--dry-run", "--home", home).out


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


@pytest.mark.parametrize("hidden", ["\u115f", "\u3164", "\ufe0f", "\u200b", "\U000e0041"], ids=ascii)
def test_json_escapes_what_nobody_would_see(memtui: Any, home: Path, hidden: str) -> None:
    (home / "memories" / "MEMORY.md").write_text(f"Alpha{hidden}fact", encoding="utf-8")

    answer = memtui("list", "memory", "--json", "--home", home)

    assert hidden not in answer.out
    assert json.dumps(f"Alpha{hidden}fact") in answer.out
