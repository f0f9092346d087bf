"""The part of an agent's config.yaml that concerns its memory, and what a person chose for its home.

Reads scalars and nothing else: no alias is expanded and nothing is nested, so that no file can make it slow.
A useless value falls back alone and is named; nothing here raises.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from memtui.core.given import told
from memtui.core.model import DEFAULT_LIMITS, MAX_TEXT_CHARS
from memtui.disk.choices import HERMES_RULES, chosen_hermes_rules
from memtui.disk.faults import shown
from memtui.disk.files import read_state
from memtui.disk.homes import Home
from memtui.disk.yaml_events import Unscalar, is_mapping_or_nothing, placed_values, scalar_value

CONFIG_FILE: Final = "config.yaml"
MAX_CONFIG_BYTES: Final = 1024 * 1024
_VALUE_CELLS: Final = 40

_YES: Final = frozenset({"on", "true", "yes", "1", "approve", "enabled"})
"""The texts that Hermes 0.19 takes for a switched-on approval gate."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a home's configuration says about memory, the defaults where it says nothing useful."""

    limits: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    """Characters per target."""
    memory_enabled: bool = True
    user_profile_enabled: bool = True
    write_approval: bool = False
    """True when the agent stages its writes for a person to approve."""
    hermes_rules: str = HERMES_RULES
    """Which of Hermes' rules say what the agent sees; a person's choice, not the agent's (`choices`)."""
    problems: tuple[str, ...] = ()
    """What in the configuration is useless or doubtful, as sentences that name key and value."""


def read_settings(home: Home) -> Settings:
    """The settings of a home. Never raises; what cannot be used is told in `problems`."""
    rules, doubts = chosen_hermes_rules(home.root)
    settings = _agents_settings(home)
    return replace(settings, hermes_rules=rules, problems=(*settings.problems, *doubts))


def _agents_settings(home: Home) -> Settings:
    path = home.root / CONFIG_FILE
    state = read_state(path, MAX_CONFIG_BYTES)
    if not state.exists:
        return Settings()
    if state.problem:
        return Settings(problems=(f"{state.problem} The defaults hold.",))
    problems: list[str] = []
    values = _memory_section(state.raw_bytes, path, problems)
    limits = {
        target: _limit(values, f"{target}_char_limit", default, problems)
        for target, default in DEFAULT_LIMITS.items()
    }
    return Settings(
        limits,
        memory_enabled=_switch(values, "memory_enabled", problems),
        user_profile_enabled=_switch(values, "user_profile_enabled", problems),
        write_approval=_approval(values, problems),
        problems=tuple(problems),
    )


def _memory_section(raw_bytes: bytes, path: Path, problems: list[str]) -> dict[str, object]:
    """The values under the top-level key `memory`; what is wrong with the file goes to `problems`."""
    import yaml

    values: dict[str, object] = {}
    try:
        for keys, event in placed_values(raw_bytes):
            if not keys and not is_mapping_or_nothing(event):
                problems.append(f"{shown(path)} is not a mapping of keys to values; the defaults hold.")
                return {}
            if keys == ("memory",):
                values.clear()  # the last of several sections counts
                if not is_mapping_or_nothing(event):
                    problems.append(f"`memory` in {shown(path)} is not a mapping; the defaults hold.")
            elif keys[:1] == ("memory",) and len(keys) == 2:
                values[keys[1] or ""] = scalar_value(event)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark is not None else ""
        problems.append(f"{shown(path)} is not valid YAML{line}: the defaults hold, for the agent as well.")
        return {}
    return values


def _limit(values: Mapping[str, object], key: str, default: int, problems: list[str]) -> int:
    """A character limit, or the default when the value is no positive number of a sensible size.

    Hermes 0.19 passes the value to `int` where no agent is running, so texts and fractions count there too;
    its live agent compares them as they are.
    """
    if key not in values:
        return default
    value = values[key]
    number = _whole_number(value)
    if number is None or not 0 < number <= MAX_TEXT_CHARS:
        problems.append(f"memory.{key} is {_named(value)}, which is no limit; {default} holds instead.")
        return default
    if type(value) is not int:
        problems.append(
            f"memory.{key} is {_named(value)}, taken as {number}; the agent may not take it. "
            f"Write it as {number}."
        )
    return number


def _whole_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    return None


def _switch(values: Mapping[str, object], key: str, problems: list[str]) -> bool:
    """On unless the value is one that Python, as Hermes does, takes for false."""
    value = values.get(key, True)
    if not isinstance(value, bool):
        problems.append(
            f"memory.{key} is {_named(value)}, which the agent takes for {'on' if value else 'off'}. "
            "Write true or false."
        )
    return bool(value)


def _approval(values: Mapping[str, object], problems: list[str]) -> bool:
    value = values.get("write_approval", False)
    if isinstance(value, bool):
        return value
    is_on = isinstance(value, str) and value.strip().lower() in _YES
    problems.append(
        f"memory.write_approval is {_named(value)}, which the agent takes for {'on' if is_on else 'off'}. "
        "Write true or false."
    )
    return is_on


def _named(value: object) -> str:
    """The value in words, safe to draw."""
    if value is None:
        return "empty"
    if isinstance(value, Unscalar):
        return value.words
    kind = "the text " if isinstance(value, str) else ""
    return f"{kind}{told(value, _VALUE_CELLS)}"
