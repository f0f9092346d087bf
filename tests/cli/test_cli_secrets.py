"""Lines that end up in mails and logs do not spread the keys they warn of; who looks at one entry sees it whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.disk.folders import suppressions_path

Memtui = Callable[..., Any]

KEY = "sk-ant-api03-n0tAr3alK3yn0tAr3alK3yn0tAr3alK3yn0tAr3alK3y"
OTHER = KEY.replace("api03", "api04")


@pytest.fixture
def keyed(home: Path) -> Path:
    """Two notes with a key each, and a profile."""
    (home / "memories" / "MEMORY.md").write_text(f"The key is {KEY} for now\n§\nThe key is {OTHER} since May")
    return home


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("check",),
        ("check", "--json"),
        ("show", "The key"),
        ("remove", "memory", "for now"),
        ("remove", "memory", "The key is"),
        ("remove", "memory", "The kex is for now"),
        ("remove", "memory", f"No entry has {KEY}x"),
        ("replace", "memory", f"No entry has {KEY}x", "Other words"),
        ("show", f"No entry has {KEY}x"),
        ("add", "memory", f"Also {KEY[:-4]}XXXX"),
        ("replace", "user", "Ada", "x" * 1_400),
        ("compare", "."),
        ("suppress", "for now", "provider_key", "--reason", "made up"),
        ("suppress", "for now", "provider_key", "--reason", "made up", "--json"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_no_key_is_told(memtui: Memtui, keyed: Path, arguments: tuple[str, ...]) -> None:
    answer = memtui(*arguments, "--home", keyed)

    told = answer.out + answer.err
    assert told
    assert KEY[20:] not in told
    assert OTHER[20:] not in told


def test_no_key_is_told_where_the_budget_lists_the_entries(memtui: Memtui, keyed: Path) -> None:
    answer = memtui("add", "memory", "x " * 1_100, "--home", keyed)

    assert answer.code == 1
    assert "sk-a… (" in answer.err
    assert KEY[20:] not in answer.err


def test_the_record_of_what_is_fine_holds_no_key(memtui: Memtui, keyed: Path) -> None:
    memtui("suppress", "for now", "provider_key", "--reason", "made up", "--home", keyed)

    listed = memtui("suppressions")

    assert "The key is sk-a… (57 characters) for now" in listed.out
    assert KEY[20:] not in suppressions_path().read_text()


def test_history_tells_no_key(memtui: Memtui, keyed: Path) -> None:
    memtui("remove", "memory", "for now", "--home", keyed)

    listed = memtui("history", "memory", "--home", keyed)

    assert "sk-a… (" in listed.out
    assert KEY[20:] not in listed.out


def test_one_entry_is_shown_whole(memtui: Memtui, keyed: Path) -> None:
    assert KEY in memtui("show", "for now", "--home", keyed).out
    assert memtui("show", "for now", "--json", "--home", keyed).json["text"] == f"The key is {KEY} for now"


def test_a_program_gets_the_texts_as_they_are(memtui: Memtui, keyed: Path) -> None:
    entries = memtui("list", "memory", "--json", "--home", keyed).json["targets"][0]["entries"]

    assert [KEY in entry["text"] or OTHER in entry["text"] for entry in entries] == [True, True]


def test_check_for_programs_cuts_what_it_quotes(memtui: Memtui, keyed: Path) -> None:
    entry = memtui("check", "memory", "--json", "--home", keyed).json["targets"][0]["entries"][0]

    assert entry["text"] == "The key is sk-a… (57 characters) for now"
    assert entry["chars"] == len(f"The key is {KEY} for now")
    assert "n0tAr3al" not in json.dumps(entry["findings"])
