"""What a person chose for memtui itself: `config.toml` in the configuration folder, where no agent writes.

A useless value falls back alone and is named; nothing here raises.
"""

from __future__ import annotations

import os
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
    chosen = _rules(table, "", HERMES_RULES, path, problems)
    for name, own in _homes(table):
        # A NUL leads nowhere, and Python raises for it.
        if "\0" not in name and os.path.realpath(os.path.expanduser(name)) == os.path.realpath(root):
            chosen = _rules(own, f"homes.{name}.", chosen, path, problems)
    return chosen, tuple(problems)


def _homes(table: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    homes = table.get("homes", {})
    return [(name, own) for name, own in homes.items() if isinstance(own, dict)] if isinstance(homes, dict) else []


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
