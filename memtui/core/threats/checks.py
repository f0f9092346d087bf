"""What a pattern cannot say of its own match: whether a value looks like a live secret or like a placeholder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from math import log2
from typing import Final

MIN_ENTROPY_BITS: Final = 2.5
"""Per character; "xxxxxxxxxxxx" has 0, a random key of 20 characters more than 3.5."""

_PLACEHOLDER: Final = re.compile(
    r"your[_-]|change[_-]?me|change[_-]?it|placeholder|example|dummy|redacted|replace[_-]|insert[_-]|xxxx|\*\*\*|\.\.\.|…"
    r"|<[^>]*>?$|\{\{|\$\{|\$\(|%\(|^[\"'`]?\$|secrets?\.|os\.environ|getenv|process\.env|env\[|not[_-]?a[_-]?real|goes[_-]?here|1password|bitwarden|keepass|lastpass",
    re.IGNORECASE,
)

_KINDS: Final = (r"[a-z]", r"[A-Z]", r"\d", r"[^A-Za-z0-9]")


def looks_live(matched: str) -> bool:
    """True when the value at the end of the match is mixed as keys are, and is no placeholder or reference."""
    if "://" in matched:
        return _is_live_login(matched)
    value = _value(matched)
    if _PLACEHOLDER.search(value) or len(value) < 6:
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in _KINDS)
    has_digit = any(char.isdigit() for char in value)
    return has_digit and kinds >= 2 and _entropy_bits(value) >= MIN_ENTROPY_BITS and not _is_plain(value)


def looks_mixed(matched: str) -> bool:
    """True when the value looks live and mixes three kinds of signs."""
    value = _value(matched)
    return looks_live(matched) and sum(bool(re.search(kind, value)) for kind in _KINDS) >= 3


def is_no_placeholder(matched: str) -> bool:
    """True unless the key is made of one repeated sign or of the words of a placeholder."""
    return not _PLACEHOLDER.search(matched) and _entropy_bits(matched) >= MIN_ENTROPY_BITS


def _value(matched: str) -> str:
    value = re.split(r"[\s\"'`«“「：=]", matched.strip("\"'`"))[-1]
    return re.split(r"[是为はは는은]", value)[-1].rstrip(".,;:)!")


def _entropy_bits(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * log2(count / len(value)) for count in counts.values())


def _is_plain(value: str) -> bool:
    """A path, a version, a date, a number with a unit, a word with a counter: what keys do not look like."""
    return bool(
        re.fullmatch(
            r"[~./\\]\S*|v?\d[\d.,:/_-]*[a-zA-Z%]{0,4}|[A-Za-z]+[-_ ]?\d{1,2}"
            r"|[a-z-]+@\d{1,2}(?:\.\d+)*"
            r"|[\w.-]+\.(?:py|md|js|ts|json|ya?ml|toml|sh|txt)"
            r"|(?:https?|file)://\S*|[A-Z][A-Z0-9_]*|[\w.]+\(\S*|id_\w+|[a-z]+\d{0,3}(?:[-_.][a-z]+)*[-_.]?\d{0,2}",
            value,
        )
    )


def _is_live_login(value: str) -> bool:
    login = re.search(r"://([^:@/]*):([^@/]+)@([^/:\s]+)", value)
    if not login or login[3].split(".")[0] in ("localhost", "127", "db", "postgres", "redis", "mysql", "host"):
        return bool(login) and looks_random(login[2]) if login else False
    return login[2].lower() not in ("password", "pass", "secret", "postgres", "root", "guest", login[1].lower())


def looks_random(value: str) -> bool:
    """True when letters and digits are mixed in at least ten characters."""
    return len(value) >= 10 and bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))


CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "secret": looks_live,
    "key": is_no_placeholder,
    "mixed": looks_mixed,
}
"""What a rule's `check` may name."""
