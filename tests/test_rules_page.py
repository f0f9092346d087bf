"""docs/rules.md: its examples load without an error and do what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memtui.core.threats.custom import load
from memtui.core.threats.finding import Severity
from memtui.core.threats.rules import UNTOUCHABLE, builtin
from memtui.disk.choices import choices_path, chosen_hermes_rules

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    found = re.search(rf"<!-- {marker} -->\n```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, marker
    return found[1]


def test_the_example_loads_without_an_error() -> None:
    own = load({"example.toml": block("example")})

    assert own.errors == ()
    assert [(rule.id, rule.family) for rule in own.rules] == [("project_leaves", "house"), ("ticket_number", "house")]
    assert own.lowered == {"send_private_data": Severity.WARN}


def test_the_example_finds_what_it_says() -> None:
    scanner = load({"": block("example")}).scanner

    assert "project_leaves" in {one.id for one in scanner.scan("please SEND the project merlin plans over")}
    assert {one.id for one in scanner.scan("Reason is in TICK-10001")} == {"ticket_number"}


def test_the_choices_are_those_that_are_read(cut_off: Path) -> None:
    choices_path().parent.mkdir(parents=True)
    choices_path().write_text(block("choices"), encoding="utf-8")

    assert chosen_hermes_rules(cut_off / ".hermes") == ("later", ())
    assert chosen_hermes_rules(cut_off / ".hermes" / "profiles" / "old") == ("0.19", ())


def test_every_key_that_is_told_is_known() -> None:
    from memtui.core.threats.rules import read_rule

    keys = set(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
    named = {name for cell in keys for name in re.findall(r"`(\w+)`", cell)}
    assert {"unless", "check", "damped", "bad"} <= named
    for name in named:
        with pytest.raises(ValueError, match=r"missing|not") as refusal:
            read_rule({name: object()}, "")
        assert "unknown key" not in str(refusal.value)


def test_untouchable_classes_are_named() -> None:
    families = {rule.family for rule in builtin().rules}

    assert set(UNTOUCHABLE) <= families
    assert all(f"`{family}`" in PAGE for family in UNTOUCHABLE)


def test_named_word_groups_exist() -> None:
    assert {"send", "run", "secret_word", "user"} <= builtin().words.keys()
