"""docs/json.md describes what `--json` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DESCRIBED = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
FREE_FORM = {"data"}
"""A refusal's details differ by code; only that they are there is promised."""


def keys_of(value: Any) -> Iterator[str]:
    """Every key in a JSON value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in FREE_FORM:
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


@pytest.fixture
def rich_home(memtui: Any, tmp_path: Path) -> Path:
    """The sample home, in which every kind of value occurs."""
    return Path(memtui("demo", "--make", tmp_path / "demo", "--json").json["home"])


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", "bastion"],
        ["check"],
        ["check", "memory", "--home", "profiles/work"],
        ["snapshot"],
        ["homes"],
        ["add", "memory", "Lunch is at noon"],
        ["replace", "memory", "bastion", "SSH jump host is bastion"],
        ["remove", "memory", "checklist"],
        ["undo"],
        ["pending"],
        ["pending", "show", "d0e1a003"],
        ["pending", "approve", "d0e1a001"],
        ["pending", "reject", "d0e1a002"],
        ["move", "memory", "checklist"],
        ["copy", "memory", "checklist", "--to", "profiles/quiet"],
        ["compare", "profiles/work"],
        ["sessions"],
        ["snapshot", "--session", "latest"],
        ["archive"],
        ["add", "memory", "x" * 3000],
        ["remove", "user", "nothing like it"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_every_key_is_described(
    memtui: Any, rich_home: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(rich_home)
    home = [] if "--home" in words else ["--home", str(rich_home)]

    answer = memtui(*words, "--json", *home)

    keys = {key for line in answer.out.splitlines() for key in keys_of(json.loads(line))}
    assert keys
    assert [key for key in sorted(keys) if f"`{key}`" not in DESCRIBED and f'"{key}"' not in DESCRIBED] == []
