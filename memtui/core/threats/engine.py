"""Which rules a view of a text meets, and where: RE2 sets say which words are there, two-pointer checks where.

The sets hold single words and patterns without long gaps, so that their automata stay small; how near words stand is
worked out afterwards, in time linear in the number of words found. Nothing is compiled before the first scan.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import re2

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.patterns import ascii_pattern, fold_pattern, group_pattern, head
from memtui.core.threats.rules import Catalogue, Rule
from memtui.core.threats.views import Span, View

SET_MEMORY_BYTES: Final = 32 << 20
SET_COUNT: Final = 4
PATTERN_MEMORY_BYTES: Final = 8 << 20
MAX_HITS: Final = 16
"""Places that are kept of one rule in one view."""

_ANYWHERE: Final = re2._Anchor.UNANCHORED
_BEFORE: Final = " \t\r\n\"'`(*,;:="
# Where a sentence or a line ends; a dot inside a name or a number ends nothing.
_SENTENCE_END: Final = r"[.!?;][\"')\]*_]*(?:\s|$)|[。！？；।؟۔\n]"
_LINE_FREE_END: Final = r"[.!?][\"')\]*_]*(?:\s|$)|[。！？।؟۔]"


@dataclass(frozen=True, slots=True)
class Hit:
    """One place in one view where one rule is met."""

    rule: Rule
    start: int
    end: int


def options(max_mem: int, *, ascii_only: bool) -> Any:
    """RE2 options without captures, quiet about patterns it refuses."""
    chosen = re2.Options()
    if ascii_only:
        chosen.encoding = re2.Options.Encoding.LATIN1
    chosen.max_mem = max_mem
    chosen.never_capture = True
    chosen.log_errors = False
    return chosen


class Part:
    """One word group or pattern: a member of a set, and alone for its places."""

    __slots__ = ("_ascii_only", "_pattern", "_single", "head")

    def __init__(self, pattern: str, *, ascii_only: bool, is_signal: bool = False) -> None:
        self._ascii_only = ascii_only
        self._pattern = pattern
        self._single: Any = None
        self.head = self._encoded(pattern if is_signal else head(pattern))

    def _encoded(self, pattern: str) -> bytes:
        return ascii_pattern(pattern) if self._ascii_only else pattern.encode("utf-8")

    def places(self, data: bytes) -> list[Span]:
        """Every place in the UTF-8 text, in bytes, not overlapping."""
        if self._single is None:
            chosen = options(PATTERN_MEMORY_BYTES, ascii_only=self._ascii_only)
            self._single = re2.compile(self._encoded(self._pattern), chosen)._regexp
        found: list[Span] = []
        position, size = 0, len(data)
        match = self._single.Match
        while position <= size:
            start, end = match(_ANYWHERE, data, position, size)[0]
            if start < 0:
                break
            if end > start:
                found.append((start, end))
            position = max(end, start + 1)
        return found


class PartSet:
    """All parts of one kind of view, as a few RE2 sets.

    In one set, each word of any part multiplies the states of all others: new text takes three times as long and a
    random mix of rule words ten times. Parts of like size share a set.
    """

    def __init__(self, parts: Sequence[Part], *, ascii_only: bool) -> None:
        self._parts = parts
        self._sets: list[tuple[Any, list[int]]] = []
        room = sum(len(part.head) for part in parts) / SET_COUNT
        taken = 0.0
        for index in sorted(range(len(parts)), key=lambda index: len(parts[index].head)):
            if taken >= room * len(self._sets):
                self._sets.append((re2.Set.SearchSet(options(SET_MEMORY_BYTES, ascii_only=ascii_only)), []))
            self._sets[-1][0].Add(parts[index].head)
            self._sets[-1][1].append(index)
            taken += len(parts[index].head)
        for compiled, _ in self._sets:
            # Always found, at the text's start: its absence tells "out of memory" from "nothing there".
            compiled.Add(r"\A" if not ascii_only else rb"\A")
            compiled.Compile()

    def present(self, data: bytes) -> list[int]:
        """The indexes of the parts that occur."""
        found: list[int] = []
        for compiled, indexes in self._sets:
            matched = compiled.Match(data)
            if not matched:
                found += [index for index in indexes if self._parts[index].places(data)]
            elif len(matched) > 1:
                found += [indexes[number] for number in matched if number < len(indexes)]
        return found


class Reader:
    """The compiled side of a catalogue for one kind of view (folded or not, ASCII or not)."""

    def __init__(
        self, catalogue: Catalogue, signals: Mapping[str, str], *, folded: bool, ascii_only: bool
    ) -> None:
        self._signals = tuple(signals)
        self._parts = [Part(pattern, ascii_only=ascii_only, is_signal=True) for pattern in signals.values()]
        self._groups: dict[str, int] = {}
        self._by_key: dict[int, list[tuple[Rule, tuple[int, ...], tuple[frozenset[int], ...]]]] = {}
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
        self._set = PartSet(self._parts, ascii_only=ascii_only)

    def _pattern_parts(self, rule: Rule) -> Iterator[int]:
        for pattern in rule.patterns:
            self._parts.append(self._part(fold_pattern(pattern) if rule.is_folded else pattern))
            yield len(self._parts) - 1

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

    def _add(self, rule: Rule, slots: tuple[frozenset[int], ...]) -> None:
        if all(slots):
            masks = tuple(sum(1 << part for part in slot) for slot in slots)
            for part in min(slots, key=len):
                self._by_key.setdefault(part, []).append((rule, masks, slots))

    def read(self, view: View, known: Container[str] = ()) -> tuple[list[Hit], frozenset[str]]:
        """The hits in the view, in its own offsets, and the names of the signals that are there.

        Rules whose ids are `known` are left out.
        """
        data = view.text.encode("utf-8", "replace")
        present = self._set.present(data)
        if not present:
            return [], frozenset()
        mask = 0
        for part in present:
            mask |= 1 << part
        hits: list[Hit] = []
        page: Page | None = None
        for rule, slots in self._candidates(present, mask):
            if rule.id in known:
                continue
            page = page or Page(view.text, data, self._parts)
            hits += self._confirm(page, rule, slots, frozenset(present))
        return hits, frozenset(self._signals[part] for part in present if part < len(self._signals))

    def _candidates(self, present: list[int], mask: int) -> Iterator[tuple[Rule, list[frozenset[int]]]]:
        """The rules of which every slot is filled, with the parts that fill them."""
        seen: set[str] = set()
        for part in present:
            for rule, masks, slots in self._by_key.get(part, ()):
                for slot in masks:
                    if not mask & slot:
                        break
                else:
                    if rule.id not in seen:
                        seen.add(rule.id)
                        yield rule, [slot.intersection(present) for slot in slots]

    def _confirm(
        self, page: Page, rule: Rule, slots: list[frozenset[int]], found: frozenset[int]
    ) -> Iterator[Hit]:
        unless = self._unless.get(rule.id, frozenset()) & found
        spared = [place for part in unless for place in page.places(part)]
        count = 0
        for start, end in page.together(rule, slots):
            if spared and page.in_sentence(spared, start, end):
                continue
            if rule.check and not CHECKS[rule.check](page.text[start:end]):
                continue
            yield Hit(rule, start, end)
            count += 1
            if count >= MAX_HITS:
                return


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
            self._known[part] = [(low + (self.text[low] in _BEFORE), high) for low, high in places]
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

    def together(self, rule: Rule, slots: Sequence[frozenset[int]]) -> Iterator[Span]:
        """The spans in which a place of every slot stands, near enough and in one sentence."""
        places = [sorted(place for part in slot for place in self.places(part)) for slot in slots]
        if len(places) == 1:
            yield from places[0]
            return
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
        return [start for start, _ in self._in_chars(_sentence_end(_SENTENCE_END).places(self._data))]

    @cached_property
    def _line_free_ends(self) -> list[int]:
        return [start for start, _ in self._in_chars(_sentence_end(_LINE_FREE_END).places(self._data))]

    def in_sentence(self, places: Sequence[Span], start: int, end: int) -> bool:
        """True when one of the places stands in the sentence of the span."""
        low, high = sentence_of(self._sentence_ends, (start, end), len(self.text))
        return any(low <= place[0] <= high or place[0] < end and start < place[1] for place in places)


def sentence_of(ends: Sequence[int], place: Span, length: int) -> Span:
    """From the end of the sentence before the place to the end of its own."""
    first, last = bisect_left(ends, place[0]), bisect_left(ends, place[1] - 1)
    return ends[first - 1] if first else 0, ends[last] if last < len(ends) else length


_ENDS: dict[str, Part] = {}


def _sentence_end(pattern: str) -> Part:
    return _ENDS.setdefault(pattern, Part(pattern, ascii_only=False))


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
