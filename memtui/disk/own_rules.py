"""A person's own scanner rules: the TOML files in `rules` below the configuration folder, where no agent writes.

Nothing is read before the first scan. What is wrong with a file is told, and never keeps the built-in rules from
their work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.core.visible import visible_text
from memtui.disk.faults import shown
from memtui.disk.files import FileIdentity, identity_of, read_state
from memtui.disk.folders import config_folder

if TYPE_CHECKING:
    from memtui.core.threats.custom import OwnRules
    from memtui.core.threats.rules import RuleError
    from memtui.core.threats.scanner import Scanner

MAX_FILES: Final = 100
MAX_FILE_BYTES: Final = 256 * 1024

@dataclass(frozen=True, slots=True)
class RuleFault:
    """Something wrong with a person's own rules."""

    file: str
    """The file's name, safe to draw."""
    words: str
    """The whole sentence."""
    rule_id: str = ""
    """The rule whose fault it is; "" for the file's."""


Sight = Mapping[str, FileIdentity | None]


@dataclass(slots=True)
class _Loading:
    """One folder of rules: as it was seen, and what it came to once somebody scanned."""

    folder: Path
    seen: Sight = field(default_factory=dict)
    own: OwnRules | None = None
    faults: tuple[RuleFault, ...] = ()

    def scanner(self) -> Scanner:
        """The built-in scanner with the rules of the folder."""
        from memtui.core.threats.scanner import builtin_scanner

        if not self.seen:
            return builtin_scanner()
        from memtui.core.threats.custom import load

        texts, unread = _read(self.folder, self.seen)
        self.own = load(texts)
        self.faults = (*unread, *(self._fault(error) for error in self.own.errors))
        return self.own.scanner

    def _fault(self, error: RuleError) -> RuleFault:
        rule = f"rule {error.rule_id}: " if error.rule_id else ""
        words = f"{shown(self.folder / error.source)}: {rule}{error.message}."
        return RuleFault(error.source, words, error.rule_id)


_current = _Loading(Path())


def rules_folder() -> Path:
    """Where a person's own rules lie."""
    return config_folder() / "rules"


def use_own_rules(folder: Path | None = None) -> None:
    """Let scans of this process use the rules in a folder (default: the user's own) as its files are now.

    Looks at names only. Asked again, it does nothing unless a file came, went or changed.
    """
    global _current
    from memtui.core.threats.chosen import use_scanner_of

    folder = folder or rules_folder()
    seen = _look(folder)
    if (folder, seen) != (_current.folder, _current.seen):
        _current = _Loading(folder, seen)
        use_scanner_of(_current.scanner)


def own_rule_problems() -> tuple[str, ...]:
    """What is wrong with the rules in use, one sentence each. Loads them if no scan has yet."""
    return tuple(fault.words for fault in own_rule_faults())


def own_rule_faults() -> tuple[RuleFault, ...]:
    """What is wrong with the rules in use, and where. Loads them if no scan has yet."""
    from memtui.core.threats.chosen import chosen_scanner

    if _current.seen:
        chosen_scanner()
    return _current.faults


def _look(folder: Path) -> Sight:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    except OSError:
        return {}
    return {name: identity_of(folder / name) for name in names}


def _read(folder: Path, seen: Sight) -> tuple[dict[str, str], list[RuleFault]]:
    texts: dict[str, str] = {}
    faults: list[RuleFault] = []
    for name in list(seen)[:MAX_FILES]:
        state = read_state(folder / name, MAX_FILE_BYTES)
        try:
            if state.problem:
                faults.append(RuleFault(shown(name), f"{state.problem} Its rules are not used."))
            else:
                texts[visible_text(name)] = state.raw_bytes.decode("utf-8")
        except UnicodeDecodeError as error:
            words = f"{shown(folder / name)} is not UTF-8 (byte {error.start}); its rules are not used."
            faults.append(RuleFault(shown(name), words))
    if len(seen) > MAX_FILES:
        words = f"{shown(folder)} holds more than {MAX_FILES} files; the others are not used."
        faults.append(RuleFault(f"{shown(folder.name)}/", words))
    return texts, faults
