"""Keeps secrets out of reports: what is mailed, logged and collected must not spread the key it warns of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memtui.core.threats.finding import Finding

SECRET_FAMILY: Final = "hardcoded_secret"
"""memtui's family of them, and the id of Hermes' rule for them."""
SHOWN_CHARS: Final = 4
"""Enough to tell whose key it is (`ghp_`, `AKIA`), too little to use it."""


def without_secrets(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of one text, with what they quote cut short wherever a secret was found in it."""
    secret = [span for one in findings if one.family == SECRET_FAMILY for span in one.spans]
    return [_masked(one) if _touches(one, secret) else one for one in findings]


def masked_text(text: str, findings: Sequence[Finding]) -> str:
    """The text with each secret that was found in it cut short."""
    spans = sorted((span for one in findings if one.family == SECRET_FAMILY for span in one.spans), reverse=True)
    for start, end in spans:
        text = text[:start] + cut_short(text[start:end]) + text[end:]
    return text


def _touches(finding: Finding, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < last and first < end for start, end in finding.spans for first, last in spans)


def _masked(finding: Finding) -> Finding:
    return replace(finding, matched=cut_short(finding.matched), decoded=cut_short(finding.decoded))


def cut_short(quoted: str) -> str:
    """The beginning of a secret with its length; "" stays ""."""
    return f"{quoted[:SHOWN_CHARS]}… ({len(quoted)} characters)" if quoted else ""
