"""What a person chose for memtui itself: `config.toml` in the configuration folder, where no agent writes.

A useless value falls back alone and is named; nothing here raises.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from memtui.core.given import read_toml, told
from memtui.core.visible import clip
from memtui.disk.faults import shown
from memtui.disk.files import read_state
from memtui.disk.folders import config_folder

HERMES_RULES: Final = "0.19"
"""The release of Hermes Agent whose load-time scan says what the agent sees, unless somebody chose another."""
KNOWN_RULES: Final = (HERMES_RULES, "later")
CHOICES: Final = ("hermes_rules", "homes")
CHOICES_OF_A_HOME: Final = ("hermes_rules",)
MAX_BYTES: Final = 256 * 1024


def choices_path() -> Path:
    """The file with a person's choices."""
    return config_folder() / "config.toml"


def chosen_hermes_rules(root: Path) -> tuple[str, tuple[str, ...]]:
    """Which of Hermes' rules hold for the home at `root`, and what of the choices is useless, as sentences.

    `hermes_rules = "later"` at the top holds for every home, in a table `[homes."/path/of/a/home"]` for that one.
    """
    path = choices_path()
    state = read_state(path, MAX_BYTES)
    if state.problem:
        return HERMES_RULES, (f"{state.problem} The defaults hold.",)
    if not state.raw_bytes:
        return HERMES_RULES, ()
    try:
        table = read_toml(state.raw_bytes.decode("utf-8"))
    except ValueError as error:
        return HERMES_RULES, (f"{shown(path)} is not valid TOML ({clip(str(error), 120)}): the defaults hold.",)
    problems: list[str] = []
    _tell_unknown(table, "", CHOICES, path, problems)
    chosen = _rules(table, "", HERMES_RULES, path, problems)
    for name, own in _homes(table, path, problems):
        _tell_unknown(own, f"homes.{name}.", CHOICES_OF_A_HOME, path, problems)
        # A NUL leads nowhere, and Python raises for it.
        if "\0" not in name and os.path.realpath(os.path.expanduser(name)) == os.path.realpath(root):
            chosen = _rules(own, f"homes.{name}.", chosen, path, problems)
    return chosen, tuple(problems)


def _homes(table: dict[str, Any], path: Path, problems: list[str]) -> list[tuple[str, dict[str, Any]]]:
    homes = table.get("homes", {})
    places = homes if isinstance(homes, dict) else {}
    not_tables = [f"homes.{name}" for name, own in places.items() if not isinstance(own, dict)]
    for name in not_tables if isinstance(homes, dict) else ["homes"]:
        problems.append(f"{clip(name, 80)} in {shown(path)} is no table of choices; nothing of it is used.")
    return [(name, own) for name, own in places.items() if isinstance(own, dict)]


def _tell_unknown(table: dict[str, Any], place: str, known: Sequence[str], path: Path, problems: list[str]) -> None:
    for key in table:
        if key not in known:
            there = f"there is {' and '.join(known)}"
            problems.append(f"{clip(f'{place}{key}', 80)} in {shown(path)} is not known and not used; {there}.")


def _rules(table: dict[str, Any], place: str, otherwise: str, path: Path, problems: list[str]) -> str:
    value = table.get("hermes_rules", otherwise)
    if value in KNOWN_RULES:
        return str(value)
    known = " or ".join(f'"{one}"' for one in KNOWN_RULES)
    problems.append(
        f"{clip(place, 80)}hermes_rules in {shown(path)} is {told(value, 40)}; {known} can be chosen. "
        f"{otherwise} holds instead."
    )
    return otherwise
