"""What the scanner says of a text: one value for each thing it found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memtui.core.digest import text_sha256


class Severity(StrEnum):
    """How bad a finding is: `block` refuses a write and makes a placeholder, `warn` is reported, `info` is told."""

    INFO = "info"
    WARN = "warn"
    BLOCK = "block"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warn, 2 for block."""
        return _RANKS[self]


_RANKS: Final = {Severity.INFO: 0, Severity.WARN: 1, Severity.BLOCK: 2}


SECRET_FAMILY: Final = "hardcoded_secret"
"""memtui's family of secrets, and the id of Hermes' rule for them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the scanner found in one entry."""

    id: str
    """The rule's id, stable across versions."""
    family: str
    """The class of threat the rule belongs to."""
    severity: Severity
    spans: tuple[tuple[int, int], ...]
    """Where in the raw entry, in code points."""
    view: str
    """Through which view of the text it was seen: raw, folded, joined, despaced, leet, decoded."""
    matched: str
    """The matched text, display-safe."""
    decoded: str
    """What hidden or encoded text says, display-safe; empty when nothing was decoded."""
    why: str
    """One sentence: why this is a threat."""
    advice: str
    """What a person can do."""
    rule_version: str
    damper: str = ""
    """What lowered the severity by one level; empty when nothing did."""
    suppressed: bool = False
    """True when a person marked this finding in this very text as known and fine."""


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, most severe first, then by place and id."""
    return sorted(findings, key=lambda found: (-found.severity.rank, found.spans, found.id))


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The highest severity among the findings that are not suppressed, or None when there are none."""
    severities = [found.severity for found in findings if not found.suppressed]
    return max(severities, key=lambda severity: severity.rank, default=None)


def is_blocking(findings: Iterable[Finding]) -> bool:
    """True when a finding that is not suppressed refuses the text."""
    return worst(findings) is Severity.BLOCK


def suppression_key(text: str, rule_id: str) -> str:
    """The key under which "known and fine" is stored: SHA-256 of the raw entry, a colon, the rule id.

    One changed byte of the entry gives another key, so the finding is shown again.
    """
    return f"{text_sha256(text)}:{rule_id}"
