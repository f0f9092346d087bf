"""Keeps secrets out of reports: what is mailed, logged and collected must not spread the key it warns of.

Where a finding is so full that it names no further place, nothing of its text is quoted whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memtui.core.threats.chosen import chosen_scanner
from memtui.core.threats.finding import Finding

SECRET_FAMILY: Final = "hardcoded_secret"
"""memtui's family of them, and the id of Hermes' rule for them."""
SHOWN_CHARS: Final = 4
"""Enough to tell whose key it is (`ghp_`, `AKIA`), too little to use it."""


def without_secrets(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of one text, with what they quote cut short wherever a secret was found in it."""
    secrets = _secrets(findings)
    is_full = _may_be_more(secrets)
    spans = [span for one in secrets for span in one.spans]
    return [_masked(one) if is_full or _touches(one, spans) or _quotes_secret(one) else one for one in findings]


def masked_text(text: str, findings: Sequence[Finding]) -> str:
    """The text with each secret that was found in it cut short; all of it when there may be more of them."""
    secrets = _secrets(findings)
    if _may_be_more(secrets):
        return cut_short(text)
    for start, end in sorted((span for one in secrets for span in one.spans), reverse=True):
        text = text[:start] + cut_short(text[start:end]) + text[end:]
    return text


def cut_short(quoted: str) -> str:
    """The beginning of a secret with its length; "" stays ""."""
    return f"{quoted[:SHOWN_CHARS]}… ({len(quoted)} characters)" if quoted else ""


def _secrets(findings: Sequence[Finding]) -> list[Finding]:
    return [one for one in findings if one.family == SECRET_FAMILY]


def _may_be_more(secrets: Sequence[Finding]) -> bool:
    """True when a rule found as many secrets as a finding has places for."""
    from memtui.core.threats.collector import MAX_SPANS

    return any(len(one.spans) >= MAX_SPANS for one in secrets)


def _touches(finding: Finding, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < last and first < end for start, end in finding.spans for first, last in spans)


def _quotes_secret(finding: Finding) -> bool:
    """True for a secret in what crosses from one entry to the next: it may lie in the other one."""
    quoted = finding.matched
    return "§" in quoted and any(one.family == SECRET_FAMILY for one in chosen_scanner().scan(quoted))


def _masked(finding: Finding) -> Finding:
    return replace(finding, matched=cut_short(finding.matched), decoded=cut_short(finding.decoded))
