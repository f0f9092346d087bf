"""Keeps secrets out of reports: what is mailed, logged and collected must not spread the key it warns of.

Where a finding is so full that it names no further place, nothing of its text is quoted whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from memtui.core.threats.finding import SECRET_FAMILY, Finding
from memtui.core.visible import preview

if TYPE_CHECKING:
    from memtui.core.threats.scanner import Scanner

SHOWN_CHARS: Final = 4
"""Enough to tell whose key it is (`ghp_`, `AKIA`), too little to use it; of a short password a quarter at most."""

MAX_SECRET_CHARS: Final = 1_000
"""So much behind what is shown tells whether it ends within a secret; a signed token has some 800 characters."""

_PLAIN: Final = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+)*[:=,.;]?|[^\w\s]{1,3}")
"""A word such as `api_key:`, or a sign."""
_INNER_CAPITAL: Final = re.compile(r"[a-z][A-Z]")
_NAME_AHEAD: Final = re.compile(r"""["'`«“]?(?:[^\W\d]{1,24}["'`]?[:=]+)?["'`«“]?(?=\S{6})""")
"""What may stand before a secret without a blank between: a quotation mark, `bob:`, `"api_key":"`."""

_KEY_FILE: Final = re.compile(r"-----BEGIN [^-]+-----|PuTTY-User-Key-File-\d")
_KEY_END: Final = re.compile(r"-----END [^-]+-----")


def without_secrets(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of one text, with what they quote cut short wherever a secret was found in it."""
    secrets = _secrets(findings)
    is_full = _may_be_more(secrets)
    spans = [span for one in secrets for span in one.spans]
    return [
        _masked(one, is_full=is_full) if is_full or _touches(one, spans) or _quotes_secret(one) else one
        for one in findings
    ]


def masked_text(text: str, findings: Sequence[Finding]) -> str:
    """The text with each secret that was found in it cut short; all of it when there may be more of them."""
    secrets = _secrets(findings)
    if _may_be_more(secrets):
        return cut_short(text)
    for start, end in reversed(list(_places(text, secrets))):
        text = text[:start] + cut_secret(text[start:end]) + text[end:]
    return text


def masked(text: str) -> str:
    """The text with each secret cut short that memtui's own rules for secrets find in it."""
    return masked_text(text, _secret_scanner().scan(text))


def masked_preview(text: str, width_cells: int) -> str:
    """One display-safe line of so many cells from the beginning of a text, without the secrets in it."""
    head = text[: width_cells + MAX_SECRET_CHARS]
    return preview(masked(head) + text[len(head) :], width_cells)


def cut_short(quoted: str) -> str:
    """The beginning of a text with its length; "" stays ""."""
    return _shortened(quoted, SHOWN_CHARS) if quoted else ""


def cut_secret(quoted: str) -> str:
    """What a rule for secrets matched, the words round the secret left as they are; "" stays ""."""
    if head := _KEY_FILE.match(quoted):
        body = quoted[head.end() :]
        return head[0] + (_shortened(body, 0) if body else "")
    words = quoted.split()
    if not words:
        return quoted
    secrets = {word for word in words if not _is_plain(word)} or {max(words, key=len)}
    return "".join(_cut_word(part) if part in secrets else part for part in re.split(r"(\s+)", quoted))


def _is_plain(word: str) -> bool:
    return bool(_PLAIN.fullmatch(word)) and not _INNER_CAPITAL.search(word)


def _cut_word(word: str) -> str:
    head = _NAME_AHEAD.match(word)
    secret = word[head.end() :] if head else word
    return word[: len(word) - len(secret)] + _shortened(secret, min(SHOWN_CHARS, len(secret) // 4))


def _shortened(text: str, shown_chars: int) -> str:
    return f"{text[:shown_chars]}… ({len(text)} characters)"


def _places(text: str, secrets: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    """Where the secrets stand, in order, those that overlap as one; a private key with all of its body."""
    last = (0, 0)
    for start, end in sorted(_with_body(text, span) for one in secrets for span in one.spans):
        if start < last[1]:
            last = (last[0], max(last[1], end))
            continue
        if last[1]:
            yield last
        last = (start, end)
    if last[1]:
        yield last


def _with_body(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    if not _KEY_FILE.match(text, start):
        return span
    closing = _KEY_END.search(text, end)
    return start, closing.end() if closing else len(text)


@cache
def _secret_scanner() -> Scanner:
    """Knows secrets alone: compiling all rules would double the time of a command that only quotes.

    Rules that search for nothing stay: the scanner calls them by their ids.
    """
    from memtui.core.threats.rules import builtin
    from memtui.core.threats.scanner import Scanner

    everything = builtin()
    wanted = (r for r in everything.rules if r.family == SECRET_FAMILY or not (r.patterns or r.all_of))
    return Scanner(replace(everything, rules=tuple(wanted)))


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
    return "§" in quoted and any(one.family == SECRET_FAMILY for one in _secret_scanner().scan(quoted))


def _masked(finding: Finding, *, is_full: bool) -> Finding:
    is_secret = finding.family == SECRET_FAMILY and not is_full and "§" not in finding.matched
    cut = cut_secret if is_secret else cut_short
    return replace(finding, matched=cut(finding.matched), decoded=cut(finding.decoded))
