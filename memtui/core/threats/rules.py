"""The rules as values: read from TOML text, checked, never compiled here.

Reading a rule never raises: what is wrong with it becomes a `RuleError`, which a person sees. Rules are data; no text
of a rule is ever run as code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.finding import Severity

RULE_VERSION: Final = "1"
VIEWS: Final = ("folded", "raw", "squeezed")
"""Where patterns look: the text in small letters, with the case it has, or its letters alone."""
UNTOUCHABLE: Final = ("hidden_text", "forged_marker")
"""Families whose rules a person's own rules may not lower."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: words that stand together (`all_of`), or patterns of which one is enough."""

    id: str
    family: str
    severity: Severity
    why: str
    advice: str
    version: str = RULE_VERSION
    all_of: tuple[tuple[str, ...], ...] = ()
    """Slots; each names the word groups of which one has to stand there."""
    patterns: tuple[str, ...] = ()
    """RE2 patterns."""
    is_folded: bool = True
    """Patterns are searched in the folded text (lower case); False: in the text as it is."""
    is_for_code: bool = False
    """True when the rule holds only for what was wholly encoded: in plain words it would be no threat."""
    is_squeezed: bool = False
    """True when patterns are searched in the letters of the folded text alone."""
    within_chars: int = 80
    least_chars: int = 0
    """What stands nearer together is for another rule."""
    is_ordered: bool = False
    crosses_lines: bool = False
    may_overlap: bool = False
    """True when the place of one slot may lie inside that of another."""
    unless: tuple[str, ...] = ()
    """Word groups that take the rule back when they stand in the same sentence."""
    check: str = ""
    """A named test of `checks.CHECKS` that the matched text has to pass."""
    needs_another: bool = False
    """True when it blocks only where another rule finds something too: wording alone is a single sign."""
    is_damped: bool = True
    bad: tuple[str, ...] = ()
    good: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleError:
    """What is wrong with one rule of a person's own."""

    rule_id: str
    """Empty when the fault is the whole file's."""
    message: str
    source: str = ""
    """The file it stands in, display-safe."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything a scan needs: word groups by name, rules, and severities that a person lowered."""

    words: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    lowered: Mapping[str, Severity] = field(default_factory=dict)

    def rule(self, rule_id: str) -> Rule:
        """The rule of this id; raises KeyError."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)


@cache
def builtin() -> Catalogue:
    """memtui's own catalogue, read once from the package's data."""
    folder = files("memtui.core.threats").joinpath("catalogue")
    words: dict[str, tuple[str, ...]] = {}
    rules: list[Rule] = []
    for source in sorted(folder.iterdir(), key=lambda item: item.name):
        if not source.name.endswith(".toml"):
            continue
        table = tomllib.loads(source.read_text(encoding="utf-8"))
        groups = {name: tuple(terms) for name, terms in table.get("words", {}).items()}
        if twice := groups.keys() & words.keys():
            raise ValueError(f"{source.name} has word groups that another file has: {', '.join(sorted(twice))}")
        words.update(groups)
        rules += [read_rule(raw, table.get("family", "")) for raw in table.get("rule", [])]
    return Catalogue(words, tuple(rules))


def read_rule(raw: Mapping[str, Any], family: str) -> Rule:
    """A rule from its TOML table; raises ValueError in words when a part is missing or of the wrong kind."""
    _check_table(raw)
    return Rule(
        id=raw["id"],
        family=raw.get("class", family) or "custom",
        severity=Severity(raw["severity"]),
        why=raw["why"],
        advice=raw["advice"],
        version=_version(raw),
        all_of=tuple(tuple(name.strip() for name in slot.split("|")) for slot in _texts(raw, "all")),
        patterns=_texts(raw, "patterns"),
        is_folded=raw.get("view", "folded") in ("folded", "squeezed"),
        is_for_code=raw.get("coded", False),
        is_squeezed=raw.get("view") == "squeezed",
        within_chars=raw.get("within", 80),
        least_chars=raw.get("least", 0),
        is_ordered=raw.get("ordered", False),
        crosses_lines=raw.get("lines", False),
        may_overlap=raw.get("overlap", False),
        unless=_texts(raw, "unless"),
        check=raw.get("check", ""),
        needs_another=raw.get("alone") == Severity.WARN,
        is_damped=raw.get("damped", True),
        bad=_texts(raw, "bad"),
        good=_texts(raw, "good"),
    )


_KEYS: Final = frozenset(
    {
        "id",
        "class",
        "severity",
        "why",
        "advice",
        "version",
        "all",
        "patterns",
        "view",
        "within",
        "least",
        "ordered",
        "lines",
        "overlap",
        "coded",
        "unless",
        "alone",
        "damped",
        "check",
        "characters",
        "bad",
        "good",
    }
)


def _check_table(raw: Mapping[str, Any]) -> None:
    """Refuse a table that is no rule: raises ValueError in words."""
    unknown = set(raw) - _KEYS
    if unknown:
        raise ValueError(f"unknown key: {', '.join(sorted(unknown))}")
    for key in ("id", "severity", "why", "advice"):
        if not isinstance(raw.get(key), str) or not raw[key].strip():
            raise ValueError(f"`{key}` is missing or is not text")
    _check_kinds(raw)
    if raw["severity"] not in tuple(Severity):
        raise ValueError("`severity` is not info, warn or block")
    if raw.get("check", "") not in ("", *CHECKS):
        raise ValueError(f"`check` is not one of {', '.join(CHECKS)}")
    if raw.get("alone", raw["severity"]) not in (Severity.WARN, raw["severity"]):
        raise ValueError("`alone` is not warn, or the rule's own severity")
    if raw.get("view", "folded") not in VIEWS:
        raise ValueError(f"`view` is not one of {', '.join(VIEWS)}")
    if not raw.get("all") and not raw.get("patterns") and not raw.get("characters"):
        raise ValueError("neither `all` nor `patterns` says what to look for")


_TEXTS: Final = ("class", "view", "check", "alone")
_SWITCHES: Final = ("ordered", "lines", "overlap", "coded", "damped")
_NUMBERS: Final = {"within": 1, "least": 0}
"""With the smallest that is one."""


def _check_kinds(raw: Mapping[str, Any]) -> None:
    """Refuse a value of the wrong kind: "false" in quotes is a text, and Python would take it for true."""
    for key in _TEXTS:
        if not isinstance(raw.get(key, ""), str):
            raise ValueError(f"`{key}` is not text")
    for key in _SWITCHES:
        if not isinstance(raw.get(key, False), bool):
            raise ValueError(f"`{key}` is not true or false (without quotes)")
    for key, least in _NUMBERS.items():
        # To Python true is the number 1.
        if type(raw.get(key, least)) is not int or raw.get(key, least) < least:
            raise ValueError(f"`{key}` is not a whole number, {least} or more")


def _version(raw: Mapping[str, Any]) -> str:
    """A version may be written as a number; one that Python will not write out is none."""
    version = raw.get("version", RULE_VERSION)
    if isinstance(version, str):
        return version
    if type(version) not in (int, float) or not 0 <= version < 1e15:
        raise ValueError("`version` is neither text nor a sensible number")
    return str(version)


def _texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"`{key}` is not a list of texts")
    return tuple(value)


def load_rules(toml_text: str) -> tuple[tuple[Rule, ...], tuple[RuleError, ...]]:
    """A person's own rules from TOML text: the good ones, and what is wrong with the others.

    The text holds `[[rule]]` tables as the built-in files do (`class` names the family), and `[[lower]]` tables with
    `id` and `severity` that lower a built-in rule. Each rule's examples are run: every `bad` one has to be found,
    no `good` one may be.
    """
    from memtui.core.threats.custom import load

    own = load({"": toml_text})
    return own.rules, own.errors


def extended(base: Catalogue, rules: Iterable[Rule], lowered: Mapping[str, Severity]) -> Catalogue:
    """A catalogue with more rules and lowered severities."""
    return replace(base, rules=base.rules + tuple(rules), lowered={**base.lowered, **lowered})
