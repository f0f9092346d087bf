"""Where the words and patterns of a rule stand in one view of a text, and whether near enough to each other.

Nearness is worked out with bisection, in time linear in the number of places found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from memtui.core.threats.rules import Rule
from memtui.core.threats.searches import Part
from memtui.core.threats.views import Span, View

REACH_CHARS: Final = 24
"""How far from a hit words may stand that take it back: further off they speak of something else."""

_BEFORE: Final = " \t\r\n\"'`(])}>|*,;:=“”„«»‹›‘’‚「『《【（，、：；。"
# Where a sentence or a line ends; a dot inside a name or a number ends nothing, and three in a row only wait.
_SENTENCE_END: Final = re.compile(r"(?:(?<!\.)\.|[!?;])[\"')\]*_]*(?:\s|$)|[。！？；।؟۔\n]")
_ENDS: Final = ".!?;"
_COLONS: Final = (":", "：")
_SENTENCE_LEAD: Final = re.compile(r"[.!?;]+\s+(?=\S)")
_LINE_FREE_END: Final = re.compile(r"(?:(?<!\.)\.|[!?])[\"')\]*_]*(?:\s|$)|[。！？।؟۔]")


class Hit(NamedTuple):
    """One place on one page where one rule is met."""

    rule: Rule
    start: int
    end: int
    is_last: bool = False
    """True when further places were left unread: then nothing round this one makes it milder."""


class Page:
    """One side of a text while rules look at it: where each part stands, looked for once."""

    def __init__(self, view: View, data: bytes, parts: Sequence[Part], opened: int, damper: int) -> None:
        """`opened` has a bit for each part that may stand there; `damper` is the part that all dampers are."""
        self.view = view
        self.text = view.text
        self.opened = opened
        self.may_be_damped = bool(opened >> damper & 1)
        """False when nothing in the text could make a finding milder, quotation marks apart."""
        self.hits: list[Hit] = []
        self.turned: set[tuple[str, int, int]] = set()
        """Rule id, start and end of hits whose words stand in another order than named."""
        self._data = data
        self._parts = parts
        self._places: dict[int, list[Span]] = {}
        self._ends: dict[re.Pattern[str], list[int]] = {}

    def places(self, number: int) -> list[Span]:
        """Where a part stands, in code points."""
        places = self._places.get(number)
        if places is None:
            places = self._parts[number].places(self._data)
            if places:
                places = [_trimmed(self.text, low, high) for low, high in self._in_chars(places)]
            self._places[number] = places
        return places

    def _in_chars(self, places: list[Span]) -> list[Span]:
        if len(self._data) == len(self.text):
            return places
        chars: list[Span] = []
        at_byte = at_char = 0
        for start, end in places:
            low = at_char + len(self._data[at_byte:start].decode("utf-8", "ignore"))
            high = low + len(self._data[start:end].decode("utf-8", "ignore"))
            chars.append((low, high))
            at_byte, at_char = end, high
        return chars

    def together(self, rule: Rule, slots: Sequence[Sequence[int]], order: Sequence[int]) -> Iterable[Span]:
        """The spans in which a place of every slot stands, near enough and in one sentence; `order` says where the
        rule's own first, second … slot is among the slots, which come the hardest to fill first."""
        filled: list[list[Span]] = []
        for slot in slots:
            places = self.places(slot[0])
            if len(slot) > 1:
                places = sorted(place for group in slot for place in self.places(group))
            if not places:
                return ()
            filled.append(places)
        if len(filled) == 1:
            return filled[0]
        filled = [filled[index] for index in order]
        # Any text read backwards has words of an order somewhere, in some order.
        if rule.is_ordered or self.view.name == "backwards":
            return self._in_order(rule, filled)
        return self._with_turned(rule, filled, self._in_any_order(rule, filled))

    def _with_turned(self, rule: Rule, filled: Sequence[Sequence[Span]], spans: Iterable[Span]) -> Iterator[Span]:
        for span in spans:
            if not _reads_on(span, filled, rule):
                self.turned.add((rule.id, *span))
            yield span

    def _in_any_order(self, rule: Rule, places: list[list[Span]]) -> Iterator[Span]:
        counts = [len(found) for found in places]
        fewest = counts.index(min(counts))
        anchors, places = places[fewest], places[:fewest] + places[fewest + 1 :]
        ends = self._ends_of(_LINE_FREE_END if rule.crosses_lines else _SENTENCE_END)
        for place in anchors:
            low, high = sentence_of(ends, place, len(self.text))
            near = [other[bisect_left(other, (low, 0)) : bisect_left(other, (high, 0))] for other in places]
            # Which word fills which slot depends on the slot that chooses first: a choice that fails is turned round.
            span = (_nearest(place, near, rule) or _nearest(place, near[::-1], rule)) if all(near) else None
            if span:
                yield span

    def _in_order(self, rule: Rule, places: Sequence[Sequence[Span]]) -> Iterator[Span]:
        ends = self._ends_of(_LINE_FREE_END if rule.crosses_lines else _SENTENCE_END)
        for place in places[0]:
            span = _ordered(place, places[1:], rule)
            if span and bisect_left(ends, span[0]) == bisect_left(ends, span[1] - 1):
                yield span

    def _ends_of(self, pattern: re.Pattern[str]) -> list[int]:
        if pattern not in self._ends:
            self._ends[pattern] = [found.start() for found in pattern.finditer(self.text)]
        return self._ends[pattern]

    def sentence(self, start: int, end: int) -> Span:
        """From the end of the sentence before the span to the end of the span's own."""
        return sentence_of(self._ends_of(_SENTENCE_END), (start, end), len(self.text))

    def is_beside(self, places: Sequence[Span], start: int, end: int) -> bool:
        """True when one of the places is in the span, or near it in the same sentence; a heading is not: "Style guide:"
        before an order says nothing of it."""
        low, high = self.sentence(start, end)
        low, high = max(low, start - REACH_CHARS), min(high, end + REACH_CHARS)
        near = (place for place in places if place[0] <= high and low < place[1])
        return any(place[1] > start or self.text[place[1] : place[1] + 1] not in _COLONS for place in near)


def _trimmed(text: str, low: int, high: int) -> Span:
    """The place without the end of the sentence before it, the sign before its first word, and the end of its own."""
    if text[low] in _ENDS and (lead := _SENTENCE_LEAD.match(text, low, high)):
        low = lead.end()
    low += low < high and text[low] in _BEFORE
    while high > low + 1 and text[high - 1].isspace():
        high -= 1
    if high > low + 1 and text[high - 1] in _ENDS and (high == len(text) or text[high].isspace()):
        high -= 1
    return low, high


def sentence_of(ends: Sequence[int], place: Span, length: int) -> Span:
    """From the end of the sentence before the place to the end of its own."""
    first, last = bisect_left(ends, place[0]), bisect_left(ends, place[1] - 1)
    return ends[first - 1] if first else 0, ends[last] if last < len(ends) else length


def _reads_on(span: Span, filled: Sequence[Sequence[Span]], rule: Rule) -> bool:
    """True when a place of every slot stands in the span in the rule's own order."""
    starts = (place for place in filled[0] if span[0] <= place[0] < span[1])
    found = (_ordered(place, filled[1:], rule) for place in starts)
    return any(one is not None and one[1] <= span[1] for one in found)


def _ordered(place: Span, later: Sequence[Sequence[Span]], rule: Rule) -> Span | None:
    """The span from `place` through the next place of each later slot, if it is short enough."""
    start, end = place
    for places in later:
        index = bisect_left(places, (end, end))
        if index == len(places) or places[index][1] - start > rule.within_chars:
            return None
        end = places[index][1]
    return start, end


def _nearest(place: Span, others: Sequence[Sequence[Span]], rule: Rule) -> Span | None:
    """The span round `place` that takes in the nearest place of every other slot, if it is short enough."""
    low, high = place
    taken = [place]
    for places in others:
        at = bisect_right(places, (high, high))
        # Word groups share words: the nearest few are looked at, since one word cannot fill two slots.
        free = places[max(0, at - 4) : at + 2]
        if not rule.may_overlap:
            free = [span for span in free if all(span[1] <= a or span[0] >= b for a, b in taken)]
        if not free:
            return None
        best = min(free, key=lambda span: max(low - span[1], span[0] - high, 0))
        taken.append(best)
        low, high = min(low, best[0]), max(high, best[1])
        if high - low > rule.within_chars:
            return None
    return low, high
