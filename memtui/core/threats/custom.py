"""A person's own rules: from TOML text to rules that are known to work, and what is wrong with the others.

A rule whose examples do not do what they say is never used and never dropped in silence. Own rules may lower a
built-in one to `warn`; they cannot replace one, change its words, or touch hidden text and forged markers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import re2

from memtui.core.given import read_toml
from memtui.core.threats.finding import Severity
from memtui.core.threats.patterns import fold_pattern, group_pattern
from memtui.core.threats.rules import UNTOUCHABLE, Rule, RuleError, builtin, extended, read_rule
from memtui.core.threats.scanner import Scanner, builtin_scanner
from memtui.core.threats.searches import PATTERN_MEMORY_BYTES, options
from memtui.core.visible import clip, visible_text

MAX_RULES: Final = 200
"""Of a person's own; with more the compiled sets would leave their memory bounds."""
MAX_PATTERN_CHARS: Final = 1_000
MAX_WITHIN_CHARS: Final = 2_000
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,59}")
_TABLES: Final = frozenset({"rule", "lower", "words", "family"})


@dataclass(frozen=True, slots=True)
class OwnRules:
    """What a person's own files come to."""

    rules: tuple[Rule, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    lowered: Mapping[str, Severity] = field(default_factory=lambda: MappingProxyType({}))
    errors: tuple[RuleError, ...] = ()
    scanner: Scanner = field(default_factory=builtin_scanner, compare=False, repr=False)
    """Scans with the built-in catalogue and these rules."""


def load(sources: Mapping[str, str]) -> OwnRules:
    """The rules in TOML texts by file name. Never raises; compiles the rules and runs their examples."""
    draft = _Draft()
    for source, text in sources.items():
        draft.take(source, text)
    rules = draft.rules
    scanner = draft.scanner(rules)
    faults = [(rule_id, fault) for rule_id, rule in rules.items() if (fault := _example_fault(rule, scanner))]
    for rule_id, fault in faults:
        draft.refuse(draft.sources[rule_id], rule_id, fault)
    good = {rule_id: rule for rule_id, rule in rules.items() if rule_id not in dict(faults)}
    if faults:
        scanner = draft.scanner(good)
    return OwnRules(tuple(good.values()), draft.words, draft.lowered, tuple(draft.errors), scanner)


class _Draft:
    """Gathers what the files hold, each part checked by itself."""

    def __init__(self) -> None:
        self.base = builtin()
        self.rules: dict[str, Rule] = {}
        self.sources: dict[str, str] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self.lowered: dict[str, Severity] = {}
        self.errors: list[RuleError] = []

    def take(self, source: str, text: str) -> None:
        """Take one file's text."""
        try:
            table = read_toml(text)
        except ValueError as error:
            self.refuse(source, "", f"this is not valid TOML: {error}")
            return
        if unknown := set(table) - _TABLES:
            self.refuse(source, "", f"unknown key: {', '.join(sorted(unknown))}")
        words = table.get("words", {})
        if not isinstance(words, dict):
            self.refuse(source, "", "`words` is not a [words] table")
            words = {}
        for name, terms in words.items():
            self._attempt(source, name, partial(self._take_words, name, terms))
        for key in ("rule", "lower"):
            if not _is_list_of_tables(table.get(key, [])):
                self.refuse(source, "", f"`{key}` is not written as [[{key}]] tables; none of them is used")
        family = table.get("family", "")
        if not isinstance(family, str):
            self.refuse(source, "", "`family` is not text")
            family = ""
        for raw in _tables(table, "rule"):
            self._attempt(source, _id_of(raw), partial(self._take_rule, source, raw, family))
        for raw in _tables(table, "lower"):
            self._attempt(source, _id_of(raw), partial(self._take_lower, raw))

    def refuse(self, source: str, rule_id: str, message: str) -> None:
        """Note what is wrong, safe to be drawn."""
        self.errors.append(RuleError(clip(rule_id, 60), clip(message, 400), visible_text(source)))

    def scanner(self, rules: Mapping[str, Rule]) -> Scanner:
        """The built-in scanner when there is nothing to add, else one with these rules."""
        if not rules and not self.lowered:
            return builtin_scanner()
        base = replace(self.base, words={**self.base.words, **self.words})
        return Scanner(extended(base, rules.values(), self.lowered))

    def _attempt(self, source: str, rule_id: str, work: Callable[[], None]) -> None:
        try:
            work()
        except (ValueError, TypeError) as error:
            self.refuse(source, rule_id, str(error))

    def _take_words(self, name: str, terms: Any) -> None:
        if name in self.base.words or name in self.words:
            raise ValueError("this word group exists; choose another name")
        if not isinstance(terms, list) or not terms or not all(isinstance(term, str) and term for term in terms):
            raise ValueError("a word group is a list of texts")
        _check_pattern(group_pattern(terms, narrow=False))
        self.words[name] = tuple(terms)

    def _take_rule(self, source: str, raw: Mapping[str, Any], family: str) -> None:
        rule = _checked(read_rule(raw, family), raw)
        if rule.id in self.rules or any(rule.id == known.id for known in self.base.rules):
            raise ValueError("a rule of this id exists; choose another (`[[lower]]` makes a built-in one milder)")
        if len(self.rules) >= MAX_RULES:
            raise ValueError(f"there are more than {MAX_RULES} rules; this one is not used")
        known_words = self.base.words.keys() | self.words.keys()
        if missing := {name for slot in (*rule.all_of, rule.unless) for name in slot} - known_words:
            raise ValueError(f"there is no word group {', '.join(sorted(missing))}")
        self.rules[rule.id], self.sources[rule.id] = rule, source

    def _take_lower(self, raw: Mapping[str, Any]) -> None:
        known = next((rule for rule in self.base.rules if rule.id == raw.get("id")), None)
        if known is None:
            raise ValueError("`[[lower]]` names no built-in rule")
        if known.family in UNTOUCHABLE:
            raise ValueError(f"rules of the class {known.family} cannot be lowered")
        if raw.get("severity") != Severity.WARN.value or set(raw) - {"id", "severity"}:
            raise ValueError('`[[lower]]` holds `id` and `severity = "warn"`: no rule goes lower than that')
        if known.severity is not Severity.BLOCK:
            raise ValueError(f"this rule is no higher than {known.severity.value} as it is")
        self.lowered[known.id] = Severity.WARN


def _is_list_of_tables(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(raw, dict) for raw in found)


def _tables(table: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    found = table.get(key, [])
    return found if _is_list_of_tables(found) else ()


def _id_of(raw: Mapping[str, Any]) -> str:
    return raw["id"] if isinstance(raw.get("id"), str) else ""


def _checked(rule: Rule, raw: Mapping[str, Any]) -> Rule:
    """The rule when it is one that may be used, its sentences safe to be drawn. Raises ValueError in words."""
    for name in (rule.id, rule.family):
        if not _NAME.fullmatch(name):
            raise ValueError(f"“{clip(name, 60)}” is no name: small letters, digits and _, 60 at most")
    if "characters" in raw:
        raise ValueError("`characters` belongs to built-in rules")
    if not 0 < rule.within_chars <= MAX_WITHIN_CHARS:
        raise ValueError(f"`within` is not between 1 and {MAX_WITHIN_CHARS}")
    for pattern in rule.patterns:
        _check_pattern(fold_pattern(pattern) if rule.is_folded else pattern)
    if not rule.bad or not rule.good:
        raise ValueError("it needs at least one `bad` and one `good` example")
    return replace(rule, why=visible_text(rule.why), advice=visible_text(rule.advice))


def _check_pattern(pattern: str) -> None:
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ValueError(f"a pattern is longer than {MAX_PATTERN_CHARS:,} characters")
    try:
        compiled = re2.compile(pattern, options(PATTERN_MEMORY_BYTES, narrow=False))
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else error
        words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"RE2 refuses the pattern “{clip(pattern, 80)}”: {words}") from None
    if compiled.search("") is not None:
        raise ValueError(f"the pattern “{clip(pattern, 80)}” is met by nothing at all")


def _example_fault(rule: Rule, scanner: Scanner) -> str:
    """Which example does not do what it says; "" when all do."""
    for example in rule.bad:
        if not _is_found(rule, example, scanner):
            hint = " (patterns meet folded text: small letters only)" if rule.patterns and rule.is_folded else ""
            return f"it does not find its own bad example “{clip(example, 80)}”{hint}"
    for example in rule.good:
        if _is_found(rule, example, scanner):
            return f"it finds its good example “{clip(example, 80)}”"
    return ""


def _is_found(rule: Rule, example: str, scanner: Scanner) -> bool:
    return any(finding.id == rule.id for finding in scanner.scan(example))
