"""Gathers the places of each rule while a text is scanned and makes one finding of each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from memtui.core.model import ENTRY_DELIMITER
from memtui.core.threats.dampers import Dampers
from memtui.core.threats.finding import Finding, Severity, sort_findings
from memtui.core.threats.folding import ignorable
from memtui.core.threats.page import Hit, Page
from memtui.core.threats.rules import Rule
from memtui.core.threats.views import Span, View
from memtui.core.visible import visible_text

MAX_SHOWN_CHARS: Final = 200
MAX_SPANS: Final = 16
MAX_TWICE_DECODED_CHARS: Final = 131_072
"""Read of what was decoded twice, in one text: with a sign of every code, 8,000 characters took half a second."""
ENOUGH_BLOCKING: Final = 6
"""Rules that block in one text before the rest of a long text is left unread, and told so; one block is a verdict
already. With twelve, one million characters of the rules' own examples took two to four seconds."""
WORDS_TO_A_SLOT: Final = 3
"""Words for each that a rule asks for, when they stand on several lines."""
WORDS_TO_A_LINE: Final = 4
"""That one line of a cut-up order has; a longer one is an item of a list."""
WORD_LIST_CHARS: Final = 400
WORDS_TO_AN_ITEM: Final = 2
"""That the items of a list of words have on average, at least: then they are no words to learn."""
_WORD_ITEMS: Final = re.compile(r"[^\W\d_]+(?:[\s,;'’-]+[^\W\d_]+)*")
_WORD_LIST: Final = re.compile(
    r"(?i)(?:\bwords\b|vocabular|\bspelling\b|w[öo]rter|vokabel|\bmots\b|palabras|palavras|\bparole\b|слов|单词|生词|词汇"
    r"|単語|語彙|단어|어휘|كلمات|مفردات|शब्द)[^\n]{0,60}[:：][ \t]{0,8}\n(?:[^\n]{1,24}\n){0,40}$"
)
"""The head of a list of words, and its first items."""
_STYLED: Final = ("<font>", "<circle>", "<square>", "<super>")


@dataclass(slots=True)
class Found:
    """One rule's places so far; what is shown is of the worst of them."""

    rule: Rule
    severity: Severity
    view: str
    matched: str
    decoded: str
    damper: str
    spans: set[Span] = field(default_factory=set)


class Collector:
    """The findings of one text in the making."""

    def __init__(self, raw: str, lowered: Mapping[str, Severity], ignored_views: Container[str] = ()) -> None:
        """`lowered` are the severities a person chose; what is found in ignored views is chance."""
        self._raw = raw
        self._lowered = lowered
        self._ignored_views = ignored_views
        self.deep_chars_left = MAX_TWICE_DECODED_CHARS
        self._found: dict[str, Found] = {}
        self._plain: dict[str, frozenset[Span]] = {}
        self.settled: set[str] = set()
        """Ids of the rules that need not be looked for any more: found often enough, at their full severity."""

    def add_plain(self, page: Page) -> None:
        """Hits in a view that only tidies the text: dampers apply, unless the place is disguised."""
        dampers, view = Dampers(page), page.view
        for hit in page.hits:
            span = view.to_raw(hit.start, hit.end)
            matched = self._raw[span[0] : span[1]]
            # What so many would be by chance is no note any more, and the places behind them were left unread.
            if "\n" in matched and not hit.is_last and _is_by_chance(page, hit, matched):
                continue
            if not matched.isascii() and hit.rule.severity is not Severity.INFO and is_disguised(matched):
                self.add(hit.rule, Severity.BLOCK, span, view.name, view.text[hit.start : hit.end])
            else:
                severity, damper = dampers.damped(hit)
                if severity is Severity.BLOCK and "\n" in matched and self._is_of_word_list(hit, matched, span[0]):
                    severity, damper = Severity.WARN, ", ".join(filter(None, (damper, "word list")))
                self.add(hit.rule, severity, span, view.name, damper=damper)

    def _is_of_word_list(self, hit: Hit, matched: str, start: int) -> bool:
        """True when words to learn are listed there, hardly more than one a line: they may make an order by chance."""
        lines = matched.split("\n")
        if not hit.rule.all_of or len(matched.split()) >= WORDS_TO_AN_ITEM * len(lines):
            return False
        before = self._raw[max(0, start - WORD_LIST_CHARS) : start]
        return bool(_WORD_ITEMS.fullmatch(matched) and _WORD_LIST.search(before))

    def is_settled(self) -> bool:
        """True when so many rules block that nothing further could change what is done with the text."""
        if len(self._found) < ENOUGH_BLOCKING:
            return False
        blocking = (one for one in self._found.values() if one.severity is Severity.BLOCK)
        return sum(one.rule.id not in self._lowered for one in blocking) >= ENOUGH_BLOCKING

    def close_plain(self) -> None:
        """Remembers what was found without undoing anything, so that a disguise view does not count it again."""
        self._plain = {rule_id: frozenset(found.spans) for rule_id, found in self._found.items()}

    def add_disguised(self, view: View, hits: list[Hit]) -> None:
        """Hits in a view that undoes a disguise: they block, whatever stands round them."""
        if view.name in self._ignored_views:
            return
        for hit in hits:
            if hit.rule.severity is Severity.INFO:
                continue
            low, high = view.to_raw(hit.start, hit.end)
            said = view.text[hit.start : hit.end]
            # What reads the same without undoing anything is no disguise; the plain reading has judged it.
            is_plain = view.is_disguise and said.lower() == self._raw[low:high].lower()
            if not is_plain and not any(start < high and low < end for start, end in self._plain.get(hit.rule.id, ())):
                self.add(hit.rule, Severity.BLOCK, (low, high), view.name, said)

    def add(self, rule: Rule, severity: Severity, span: Span, view: str, decoded: str = "", damper: str = "") -> None:
        """One place of one rule."""
        found = self._found.get(rule.id)
        if found is None:
            found = self._found[rule.id] = Found(rule, severity, view, "", decoded, damper)
            found.matched = self._raw[span[0] : span[1]]
        elif severity.rank > found.severity.rank or (decoded and not found.decoded and severity is found.severity):
            # Of two places the hidden one is worse: nothing lowers it.
            found.severity, found.view, found.matched = severity, view, self._raw[span[0] : span[1]]
            found.decoded, found.damper = decoded, damper
        if len(found.spans) < MAX_SPANS:
            found.spans.add(span)
        elif found.severity is Severity.BLOCK or found.severity.rank >= rule.severity.rank:
            self.settled.add(rule.id)

    def findings(self) -> list[Finding]:
        """One finding a rule, the most severe first."""
        telling = sum(found.severity is not Severity.INFO for found in self._found.values())
        found = list(self._found.values())
        for one in found:
            self._judge(one, is_alone=telling < 2)
        return sort_findings(map(_finding, found))

    def _judge(self, found: Found, *, is_alone: bool) -> None:
        """Gives what was found its last severity."""
        rule = found.rule
        if is_alone and rule.needs_another and found.severity is Severity.BLOCK and not found.decoded:
            found.severity, found.damper = Severity.WARN, "no second finding"
        lowered = self._lowered.get(rule.id)
        # What was hidden blocks whatever somebody lowered: a milder rule must not open a door for its disguises.
        if lowered is not None and lowered.rank < found.severity.rank and not found.decoded:
            found.severity, found.damper = lowered, "your rules"


def _finding(found: Found) -> Finding:
    rule = found.rule
    return Finding(
        id=rule.id,
        family=rule.family,
        severity=found.severity,
        spans=tuple(sorted(found.spans)),
        view=found.view,
        matched=visible_text(found.matched[:MAX_SHOWN_CHARS]),
        decoded=visible_text(found.decoded[:MAX_SHOWN_CHARS]) if found.decoded else "",
        why=rule.why,
        advice=rule.advice,
        rule_version=rule.version,
        damper=found.damper,
    )


def _is_by_chance(page: Page, hit: Hit, matched: str) -> bool:
    """True when the words stand on several lines that say nothing together."""
    # From one entry to the next an order reads on: a file at the end of a note and a command at the beginning of the
    # next are two notes.
    is_of_two = ENTRY_DELIMITER in matched and (hit.rule.id, hit.start, hit.end) in page.turned
    return is_of_two or is_strewn(hit, matched, page.view)


def is_strewn(hit: Hit, matched: str, view: View) -> bool:
    """True when the words stand on three lines or more, and not close: in a list each line is about its own thing."""
    if matched.count("\n") < 2:
        return False
    if not hit.rule.all_of:
        # A pattern with line ends of its own is met without joining lines.
        return view.name == "joined" and any(len(line.split()) > WORDS_TO_A_LINE for line in matched.split("\n"))
    joined = view.text[hit.start : hit.end]
    # As bytes, since a Chinese character says as much as three letters.
    is_long = 2 * len(joined.encode("utf-8", "replace")) > hit.rule.within_chars
    return is_long or len(joined.split()) > WORDS_TO_A_SLOT * len(hit.rule.all_of)


def is_disguised(matched: str) -> bool:
    """True when letters of the text are styled ones, or characters without shape stand between them."""
    if ignorable().search(matched):
        return True
    return any(ord(char) > 0x2000 and unicodedata.decomposition(char).startswith(_STYLED) for char in matched)
