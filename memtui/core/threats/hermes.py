"""What Hermes Agent's load-time scan says of one memory entry, its holes and false alarms included.

It answers "does this agent see the note?", never "is the note dangerous?": that is memtui's own catalogue.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memtui.core.threats.hermes_fold import fold, raw_offsets
from memtui.core.threats.hermes_match import HERMES_VERSIONS, HermesRules, hermes_rules

__all__ = [
    "BLOCKED_PREFIX", "HERMES_VERSIONS", "MAX_SCAN_CHARS", "TOO_LONG", "HermesHit", "HermesRules",
    "hermes_hits", "hermes_rule_ids", "hermes_rules",
]

BLOCKED_PREFIX: Final = "[BLOCKED:"
"""An entry that starts so is passed through unscanned."""
MAX_SCAN_CHARS: Final = 65_536
"""0.19 looks at so many characters of an entry; later versions hide a longer one without looking."""
TOO_LONG: Final = "too_large_to_scan"
"""memtui's id for an entry that later versions hide for its length alone (Hermes gives it no id)."""

_INVISIBLE: Final = frozenset(
    map(chr, (*range(0x200B, 0x200E), 0x2060, *range(0x2062, 0x2065), 0xFEFF, *range(0x202A, 0x202F),
              *range(0x2066, 0x206A)))
)


@dataclass(frozen=True, slots=True)
class HermesHit:
    """One reason why Hermes hides an entry, with its place in code points of the raw text."""

    rule_id: str
    start: int
    end: int


def _is_scanned(text: str) -> bool:
    return bool(text) and not text.startswith(BLOCKED_PREFIX)


def _invisible_id(character: str) -> str:
    return f"invisible_unicode_U+{ord(character):04X}"


def hermes_rule_ids(text: str, rules: str = "0.19") -> tuple[str, ...]:
    """The ids that Hermes lists for one entry (stripped text), in its order; () when the agent sees it.

    Several invisible characters, which Hermes orders by hash, come in order of their code points. `rules` is
    one of `HERMES_VERSIONS`. Time is linear in the first `MAX_SCAN_CHARS` characters, whatever they are.

    Raises:
        ValueError: `rules` is unknown.
    """
    known = hermes_rules(rules)
    if not _is_scanned(text):
        return ()
    if rules != "0.19" and len(text) > MAX_SCAN_CHARS:
        return (TOO_LONG,)
    seen = text[:MAX_SCAN_CHARS]
    invisible = () if seen.isascii() else sorted(_INVISIBLE.intersection(seen))
    return (*map(_invisible_id, invisible), *(rule.id for rule in known.matching(fold(seen))))


def hermes_hits(text: str, rules: str = "0.19") -> tuple[HermesHit, ...]:
    """Every place in the raw text for which Hermes hides the entry, ordered by rule, then by place.

    Arguments and errors are those of `hermes_rule_ids`.
    """
    ids = hermes_rule_ids(text, rules)
    if not ids or ids == (TOO_LONG,):
        return tuple(HermesHit(rule_id, 0, len(text)) for rule_id in ids)
    seen = text[:MAX_SCAN_CHARS]
    return (*_invisible_hits(seen), *_rule_hits(seen, hermes_rules(rules)))


def _invisible_hits(text: str) -> list[HermesHit]:
    places = sorted((character, at) for at, character in enumerate(text) if character in _INVISIBLE)
    return [HermesHit(_invisible_id(character), at, at + 1) for character, at in places]


def _rule_hits(text: str, rules: HermesRules) -> list[HermesHit]:
    folded = fold(text)
    offsets = range(len(text) + 1) if text.isascii() else raw_offsets(text)
    return [
        HermesHit(rule.id, offsets[start], _raw_end(offsets, end))
        for rule in rules.matching(folded)
        for start, end in rule.spans(folded)
    ]


def _raw_end(offsets: Sequence[int], end: int) -> int:
    """The raw end of the group that holds the last folded character before `end`."""
    return offsets[bisect_right(offsets, offsets[end - 1])]
