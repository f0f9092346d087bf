"""The agent's configuration: good values are taken, useless ones fall back alone and are named, no file is a
trap.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memtui.disk.homes import Home
from memtui.disk.settings import Settings, read_settings

DEFAULTS = {"memory": 2200, "user": 1375}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose configuration a test writes."""
    return Home(tmp_path, tmp_path / "memories")


def read(home: Home, config: str | bytes) -> Settings:
    raw_bytes = config.encode() if isinstance(config, str) else config
    (home.root / "config.yaml").write_bytes(raw_bytes)
    return read_settings(home)


def test_without_a_configuration_the_defaults_hold(home: Home) -> None:
    settings = read_settings(home)

    assert dict(settings.limits) == DEFAULTS
    assert (settings.memory_enabled, settings.user_profile_enabled, settings.write_approval) == (
        True,
        True,
        False,
    )
    assert settings.problems == ()


@pytest.mark.parametrize(
    "config", ["", "# nothing\n", "---\n", "memory:\n", "memory: {}\n", "model: x\n", "~\n"]
)
def test_an_empty_configuration_is_no_problem(home: Home, config: str) -> None:
    settings = read(home, config)

    assert (dict(settings.limits), settings.problems) == (DEFAULTS, ())


def test_good_values_are_taken(home: Home) -> None:
    settings = read(
        home,
        "model: x\nmemory:\n  memory_char_limit: 5000\n  user_char_limit: 900\n  memory_enabled: false\n"
        "  user_profile_enabled: off\n  write_approval: yes\nother: [1, {memory: {memory_char_limit: 1}}]\n",
    )

    assert dict(settings.limits) == {"memory": 5000, "user": 900}
    assert (settings.memory_enabled, settings.user_profile_enabled, settings.write_approval) == (
        False,
        False,
        True,
    )
    assert settings.problems == ()


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("null", "empty"),
        ("", "empty"),
        ("-1", "-1"),
        ("0", "0"),
        ("true", "True"),
        (".nan", "nan"),
        (".inf", "inf"),
        ("many", "'many'"),
        ("'-5'", "'-5'"),
        ("[2200]", "a list"),
        ("{a: 1}", "a mapping"),
        ("*other", "an alias"),
        ("99999999999", "99999999999"),
        ("9" * 5000, "'9999"),
        ("2025-13-77", "'2025-13-77'"),
        ("!!int x", "'x'"),
        ("!!int ''", "''"),
        ("!!bool x", "'x'"),
        ("!!timestamp x", "'x'"),
        ("0x" + "f" * 5000, "a value too large to be shown"),
        (":".join(["59"] * 300) + ".5", "'59:59"),
    ],
)
def test_a_useless_limit_falls_back_alone_and_is_named(home: Home, value: str, named: str) -> None:
    settings = read(home, f"a: &other 7\nmemory:\n  memory_char_limit: {value}\n  user_char_limit: 2000\n")

    assert dict(settings.limits) == {"memory": 2200, "user": 2000}
    [problem] = settings.problems
    assert "memory.memory_char_limit" in problem
    assert named in problem
    assert "2200" in problem
    assert len(problem) < 200


@pytest.mark.parametrize(
    ("value", "limit"), [("'2500'", 2500), ("2500.0", 2500), ("2500.9", 2500), ("' 42 '", 42)]
)
def test_a_number_written_oddly_counts_and_is_told(home: Home, value: str, limit: int) -> None:
    settings = read(home, f"memory:\n  memory_char_limit: {value}\n")

    assert settings.limits["memory"] == limit
    assert f"Write it as {limit}." in settings.problems[0]


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("'false'", True), ("'off'", True), ("''", False), ("null", False), ("0", False), ("1", True)],
)
def test_a_switch_that_is_no_boolean_is_what_the_agent_takes_it_for(
    home: Home, value: str, is_on: bool
) -> None:
    settings = read(home, f"memory:\n  memory_enabled: {value}\n")

    assert settings.memory_enabled is is_on
    assert f"takes for {'on' if is_on else 'off'}" in settings.problems[0]


@pytest.mark.parametrize(
    ("value", "is_on"), [("'on'", True), ("'Approve'", True), ("'no'", False), ("1", False)]
)
def test_the_approval_gate_is_read_as_the_agent_reads_it(home: Home, value: str, is_on: bool) -> None:
    assert read(home, f"memory:\n  write_approval: {value}\n").write_approval is is_on


@pytest.mark.parametrize(
    "config",
    [
        "- a\n- b\n",
        "just text\n",
        "memory: [1, 2]\n",
        "memory: 2200\n",
        "a: b: c\n",
        "memory: {memory_char_limit: 3000\n",
        "\tmemory: 1\n",
        b"\x00\x01\x02",
        b"memory:\n  memory_char_limit: 3000\n\xff\xfe\xfa",
        "[" * 100_000,
        "{" * 100_000,
        "a: " + "[" * 5_000 + "]" * 5_000,
        "&a [*a",
    ],
)
def test_a_broken_file_is_told_and_the_defaults_hold(home: Home, config: str | bytes) -> None:
    settings = read(home, config)

    assert dict(settings.limits) == DEFAULTS
    assert len(settings.problems) == 1
    assert "config.yaml" in settings.problems[0]
    assert "the defaults hold" in settings.problems[0]


def test_a_broken_line_is_named(home: Home) -> None:
    assert "(line 3)" in read(home, "a: 1\nb: 2\nc: d: e\n").problems[0]


def test_the_last_of_two_sections_counts(home: Home) -> None:
    settings = read(home, "memory:\n  memory_char_limit: 3000\nmemory:\n  user_char_limit: 99\n")

    assert dict(settings.limits) == {"memory": 2200, "user": 99}


def test_a_bomb_of_aliases_is_not_expanded(home: Home) -> None:
    lines = ["a0: &a0 {k: v}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 40)]
    began = time.monotonic()

    settings = read(home, "\n".join([*lines, "memory: {memory_char_limit: 77}"]))

    assert settings.limits["memory"] == 77
    assert time.monotonic() - began < 1


def test_a_giant_file_is_not_read(home: Home) -> None:
    settings = read(home, b"x" * 2_000_000)

    assert dict(settings.limits) == DEFAULTS
    assert "too large" in settings.problems[0]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("gone")])
def test_what_is_no_file_is_told(home: Home, make) -> None:
    make(home.root / "config.yaml")

    settings = read_settings(home)

    assert dict(settings.limits) == DEFAULTS
    assert "config.yaml" in settings.problems[0]


def test_a_value_shows_no_escape_sequence(home: Home) -> None:
    problem = read(home, 'memory:\n  memory_char_limit: "\\e]0;x\\a\u202e"\n').problems[0]

    assert "\x1b" not in problem
    assert "\u202e" not in problem
