"""Which words of a harmless note to change so that the agent sees it again.

Every suggestion was tried, whole, against the agent's rules and memtui's own scan before it is handed out. There is
none for an entry in which memtui itself finds something, but for leaving out invisible characters: nobody is helped
past the agent's guard with a threat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from memtui.core.cells import clusters
from memtui.core.rewording_words import SWAPS
from memtui.core.threats import scan
from memtui.core.threats.finding import Finding, Severity
from memtui.core.threats.hermes import HermesHit, hermes_hits, hermes_rule_ids

MAX_CHARS: Final = 20_000
"""A longer entry is no note of a few words to change."""
MAX_STEPS: Final = 12
"""Hits that are reworded in one entry; more of them are no slip of wording."""
MAX_CUTS: Final = 8
"""Places in one hit where a sign between two words is tried."""

_INVISIBLE: Final = "invisible_unicode_"
_BLANK: Final = re.compile(r"[^\S\n]+")
_SIGNS: Final = (", ", " – ", "-", "/")
"""What may stand between two words instead of a blank."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """One way to write a note so that the agent sees it."""

    text: str
    """The whole new text."""
    before: str
    """The stretch that was changed; the first one when there are several."""
    after: str


@dataclass(frozen=True, slots=True)
class AgentAdvice:
    """Why the agent hides one entry, and what could be done about it."""

    rule_ids: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    """What its rules mind, in code points of the text."""
    rewordings: tuple[Rewording, ...] = ()


def advise(text: str, rules: str, findings: Sequence[Finding] | None = None) -> AgentAdvice:
    """What the agent's rules mind in a text, and up to three ways to reword it.

    `rules` as in `hermes_hits`, `findings` as in `rewordings`.
    """
    rule_ids = hermes_rule_ids(text, rules)
    if len(text) > MAX_CHARS:
        return AgentAdvice(rule_ids)
    spans = tuple(sorted({(hit.start, hit.end) for hit in hermes_hits(text, rules)}))
    return AgentAdvice(rule_ids, spans, rewordings(text, rules, findings))


def rewordings(
    text: str, rules: str = "0.19", findings: Sequence[Finding] | None = None, count: int = 3
) -> tuple[Rewording, ...]:
    """Up to `count` ways to write a hidden note so that the agent sees it, the best first; () when there is none.

    `findings` are what memtui says of the text where it stands (None: by itself). Nothing is suggested when one of
    them is above `info` and nobody marked it as known and fine; of a text that memtui only warns of, invisible
    characters are left out when that is all that the agent minds.
    """
    if len(text) > MAX_CHARS or not hermes_rule_ids(text, rules):
        return ()
    known = scan(text) if findings is None else findings
    counted = {one.severity for one in known if not one.suppressed}
    hits = hermes_hits(text, rules)
    is_unseen = all(hit.rule_id.startswith(_INVISIBLE) for hit in hits)
    if Severity.BLOCK in counted or (Severity.WARN in counted and not is_unseen):
        return ()
    for ways in (_other_words, _other_signs) if len(hits) <= MAX_STEPS else ():
        if found := _tried(ways(text, hits[0]), rules, count):
            return found
    return ()


def _tried(changes: Iterable[Rewording], rules: str, count: int) -> tuple[Rewording, ...]:
    """The changes that help, finished where other stretches are minded, too."""
    found: dict[str, Rewording] = {}
    for change in changes:
        finished = _finished(change.text, rules)
        if finished is not None and _is_fine(finished, rules):
            found.setdefault(finished, replace(change, text=finished))
            if len(found) == count:
                break
    return tuple(found.values())


def _is_fine(text: str, rules: str) -> bool:
    is_clean = all(one.severity is Severity.INFO for one in scan(text))
    return is_clean and text == text.strip() != "" and not hermes_rule_ids(text, rules)


def _finished(text: str, rules: str) -> str | None:
    """The text with the other hits reworded, too, each in the first way that helps; None when one has none."""
    for _ in range(MAX_STEPS):
        hits = hermes_hits(text, rules)
        if not hits:
            return text
        changes = chain(_other_words(text, hits[0]), _other_signs(text, hits[0]))
        changed = next((one for one in changes if len(hermes_hits(one.text, rules)) < len(hits)), None)
        if changed is None:
            return None
        text = changed.text
    return None


def _other_words(text: str, hit: HermesHit) -> Iterator[Rewording]:
    """The hit in other words."""
    if hit.rule_id.startswith(_INVISIBLE):
        yield from _without_invisible(text, hit)
    for pattern, after in SWAPS.get(hit.rule_id, ()):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if match.start() < hit.end and hit.start < match.end():
                yield _changed(text, match.start(), match.end(), match.expand(after))
                break


def _other_signs(text: str, hit: HermesHit) -> Iterator[Rewording]:
    """The hit in its own words, with a sign between two of them: the agent's rules read over blanks alone."""
    blanks = list(_BLANK.finditer(text, hit.start, hit.end))[:MAX_CUTS]
    for sign in _SIGNS:
        for blank in blanks:
            start, end = _word_start(text, blank.start()), _word_end(text, blank.end())
            joined = text[start : blank.start()] + sign + text[blank.end() : end]
            yield _changed(text, start, end, joined)


def _changed(text: str, start: int, end: int, after: str) -> Rewording:
    before = text[start:end]
    if before[:1].isupper() and after[:1].islower():
        after = after[0].upper() + after[1:]
    return Rewording(text[:start] + after + text[end:], before, after)


def _without_invisible(text: str, hit: HermesHit) -> Iterator[Rewording]:
    """Keep the first sign of what the character joins, then leave the character out, then put a blank there."""
    at = 0
    for cluster in clusters(text):
        end = at + len(cluster.text)
        if at <= hit.start < end:
            if at < hit.start and cluster.width_cells and not text[at].isalnum():
                yield _changed(text, at, end, text[at : hit.start])
            break
        at = end
    yield _changed(text, hit.start, hit.end, "")
    yield _changed(text, hit.start, hit.end, " ")


def _word_start(text: str, at: int) -> int:
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and not text[at].isspace():
        at += 1
    return at
