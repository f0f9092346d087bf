"""Which rules a view of a text meets, and where.

Gates say which words and patterns may be there; how near they stand is worked out with bisection, in time linear in the
number of places found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.firsts import COMMON
from memtui.core.threats.gates import Gates, Part
from memtui.core.threats.patterns import fold_pattern, group_pattern, needs_more_than_ascii
from memtui.core.threats.rules import Catalogue, Rule
from memtui.core.threats.views import Span, View

Slots = tuple[frozenset[int], ...]
MAX_HITS: Final = 16
"""Places that are kept of one rule in one view."""

REACH_CHARS: Final = 24
"""How far from a hit words may stand that take it back: further off they speak of something else."""

_BEFORE: Final = " \t\r\n\"'`(*,;:="
# Where a sentence or a line ends; a dot inside a name or a number ends nothing.
_SENTENCE_END: Final = re.compile(r"[.!?;][\"')\]*_]*(?:\s|$)|[。！？；।؟۔\n]")
_LINE_FREE_END: Final = re.compile(r"[.!?][\"')\]*_]*(?:\s|$)|[。！？।؟۔]")


@dataclass(frozen=True, slots=True)
class Hit:
    """One place in one view where one rule is met."""

    rule: Rule
    start: int
    end: int


class Reader:
    """The compiled side of a catalogue for one kind of view (folded or not, ASCII or not)."""

    def __init__(self, catalogue: Catalogue, signals: Mapping[str, str], *, folded: bool, ascii_only: bool) -> None:
        self._signals = tuple(enumerate(signals))
        self._parts = [Part(pattern, ascii_only=ascii_only, is_signal=True) for pattern in signals.values()]
        self._signal_mask = (1 << len(signals)) - 1
        self._groups: dict[str, int] = {}
        self._by_key: dict[int, list[tuple[Rule, Slots, tuple[int, ...]]]] = {}
        self._key_mask = 0
        self._ascii_only = ascii_only
        for rule in catalogue.rules:
            if rule.patterns and rule.is_folded == folded:
                self._add(rule, (frozenset(self._pattern_parts(rule)),))
            elif rule.all_of and folded:
                self._add(rule, tuple(self._slot(catalogue, names) for names in rule.all_of))
        self._unless = {
            rule.id: self._slot(catalogue, rule.unless)
            for rule in catalogue.rules
            if rule.unless and (folded or not rule.is_folded)
        }
        self._gates = Gates(self._parts, ascii_only=ascii_only)

    def _pattern_parts(self, rule: Rule) -> Iterator[int]:
        for pattern in rule.patterns:
            if self._ascii_only and needs_more_than_ascii(pattern):
                continue
            self._parts.append(self._part(fold_pattern(pattern) if rule.is_folded else pattern))
            yield len(self._parts) - 1

    def _openness(self, slot: frozenset[int]) -> int:
        """How easily a text opens the slot: rules are looked up by their hardest one."""
        parts = [self._parts[part] for part in slot]
        return sum(sum(1 + 9 * (word in COMMON) for word, _ in part.words) + len(part.head) // 10 for part in parts)

    def _part(self, pattern: str) -> Part:
        return Part(pattern, ascii_only=self._ascii_only)

    def _slot(self, catalogue: Catalogue, names: Sequence[str]) -> frozenset[int]:
        return frozenset(index for name in names for index in self._group(catalogue, name))

    def _group(self, catalogue: Catalogue, name: str) -> Iterator[int]:
        if name not in self._groups:
            pattern = group_pattern(catalogue.words[name], ascii_only=self._ascii_only)
            self._groups[name] = -1
            if pattern:
                self._parts.append(self._part(pattern))
                self._groups[name] = len(self._parts) - 1
        if self._groups[name] >= 0:
            yield self._groups[name]

    def _add(self, rule: Rule, slots: Slots) -> None:
        if all(slots):
            hardest = sorted(slots, key=self._openness)
            key = hardest[0]
            if not rule.is_ordered:
                slots = tuple(hardest)
            masks = tuple(_mask(slot) for slot in slots if slot is not key)
            self._key_mask |= _mask(key)
            for part in key:
                self._by_key.setdefault(part, []).append((rule, slots, masks))

    def read(self, view: View, known: Container[str] = ()) -> tuple[list[Hit], frozenset[str]]:
        """The hits in the view, in its own offsets, and the names of the signals that are there.

        Rules whose ids are `known` are left out.
        """
        data = view.text.encode("utf-8", "replace")
        opened = self._gates.open(view.text if view.is_folded else view.text.lower(), data)
        hits: list[Hit] = []
        page: Page | None = None
        for rule, slots in self._candidates(opened, data):
            if rule.id not in known:
                page = page or Page(view.text, data, self._parts)
                hits += self._confirm(page, rule, slots, opened)
        if not opened & self._signal_mask:
            return hits, frozenset()
        return hits, frozenset(name for index, name in self._signals if opened >> index & 1)

    def knows_more(self, view: View, plain: str) -> bool:
        """True when the view has a word that the plain text lacks and that a rule may look for."""
        return self._gates.knows_more(view.text, plain)

    def _candidates(self, opened: int, data: bytes) -> Iterator[tuple[Rule, list[list[int]]]]:
        """The rules of which every slot may be filled, with the parts that may fill them."""
        seen: set[str] = set()
        keys = opened & self._key_mask
        while keys:
            key = keys & -keys
            keys ^= key
            part = key.bit_length() - 1
            for rule, slots, masks in self._by_key[part]:
                if rule.id in seen or (not masks and not self._parts[part].occurs(data)):
                    continue
                for mask in masks:
                    if not opened & mask:
                        break
                else:
                    seen.add(rule.id)
                    yield rule, [[index for index in slot if opened >> index & 1] for slot in slots]

    def _confirm(self, page: Page, rule: Rule, slots: list[list[int]], opened: int) -> Iterator[Hit]:
        count = 0
        spared: list[Span] | None = None
        for start, end in page.together(rule, slots):
            if spared is None:
                unless = self._unless.get(rule.id, frozenset())
                spared = [place for part in unless if opened >> part & 1 for place in page.places(part)]
            if spared and page.is_beside(spared, start, end):
                continue
            if rule.check and not CHECKS[rule.check](page.text[start:end]):
                continue
            yield Hit(rule, start, end)
            count += 1
            if count >= MAX_HITS:
                return


def _mask(slot: frozenset[int]) -> int:
    """The slot's parts as bits."""
    return sum(1 << part for part in slot)


class Page:
    """One text while rules look at it: the places of each part and the ends of sentences, each found once."""

    def __init__(self, text: str, data: bytes, parts: Sequence[Part]) -> None:
        self.text = text
        self._data = data
        self._parts = parts
        self._known: dict[int, list[Span]] = {}

    def places(self, part: int) -> list[Span]:
        """Where the part stands, in code points."""
        if part not in self._known:
            places = self._in_chars(self._parts[part].places(self._data))
            self._known[part] = places and [(low + (self.text[low] in _BEFORE), high) for low, high in places]
        return self._known[part]

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

    def together(self, rule: Rule, slots: Sequence[Sequence[int]]) -> Iterator[Span]:
        """The spans in which a place of every slot stands, near enough and in one sentence."""
        if len(slots) == 1:
            for part in slots[0]:
                yield from self.places(part)
            return
        places: list[list[Span]] = []
        for slot in slots:
            found = [place for part in slot for place in self.places(part)]
            if not found:
                return
            places.append(sorted(found) if len(slot) > 1 else found)
        if rule.is_ordered:
            yield from self._in_order(rule, places)
            return
        anchor = min(range(len(places)), key=lambda index: len(places[index]))
        others = places[:anchor] + places[anchor + 1 :]
        ends = self._ends(rule)
        for place in places[anchor]:
            low, high = sentence_of(ends, place, len(self.text))
            near = [other[bisect_left(other, (low, 0)) : bisect_left(other, (high, 0))] for other in others]
            span = _nearest(place, near, rule) if all(near) else None
            if span:
                yield span

    def _in_order(self, rule: Rule, places: Sequence[Sequence[Span]]) -> Iterator[Span]:
        ends = self._ends(rule)
        for place in places[0]:
            span = _ordered(place, places[1:], rule)
            if span and bisect_left(ends, span[0]) == bisect_left(ends, span[1] - 1):
                yield span

    def _ends(self, rule: Rule) -> list[int]:
        return self._line_free_ends if rule.crosses_lines else self._sentence_ends

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [found.start() for found in _SENTENCE_END.finditer(self.text)]

    @cached_property
    def _line_free_ends(self) -> list[int]:
        return [found.start() for found in _LINE_FREE_END.finditer(self.text)]

    def is_beside(self, places: Sequence[Span], start: int, end: int) -> bool:
        """True when one of the places is in the span, or near it in the same sentence."""
        low, high = sentence_of(self._sentence_ends, (start, end), len(self.text))
        low, high = max(low, start - REACH_CHARS), min(high, end + REACH_CHARS)
        return any(place[0] <= high and low < place[1] for place in places)


def sentence_of(ends: Sequence[int], place: Span, length: int) -> Span:
    """From the end of the sentence before the place to the end of its own."""
    first, last = bisect_left(ends, place[0]), bisect_left(ends, place[1] - 1)
    return ends[first - 1] if first else 0, ends[last] if last < len(ends) else length


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
    taken = [] if rule.may_overlap else [place]
    for places in others:
        at = bisect_right(places, (high, high))
        # Word groups share words: the nearest few are looked at, since one word cannot fill two slots.
        free = [span for span in places[max(0, at - 4) : at + 2] if all(span[1] <= a or span[0] >= b for a, b in taken)]
        if not free:
            return None
        best = min(free, key=lambda span: max(low - span[1], span[0] - high, 0))
        taken.append(best)
        low, high = min(low, best[0]), max(high, best[1])
        if high - low > rule.within_chars:
            return None
    return low, high
