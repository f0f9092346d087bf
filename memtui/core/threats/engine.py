"""Which rules a view of a text meets, and where: RE2 sets say which words are there, two-pointer checks where.

The sets hold single words and patterns without long gaps, so that their automata stay small; how near words stand is
worked out afterwards, in time linear in the number of words found. Nothing is compiled before the first scan.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import re2

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.firsts import COMMON, STEM_CHARS, Start
from memtui.core.threats.patterns import ascii_pattern, fold_pattern, gate, group_pattern, needs_more_than_ascii
from memtui.core.threats.rules import Catalogue, Rule
from memtui.core.threats.views import Span, View

SET_MEMORY_BYTES: Final = 32 << 20
PATTERN_MEMORY_BYTES: Final = 8 << 20
MAX_KNOWN_WORDS: Final = 20_000
MAX_HITS: Final = 16
"""Places that are kept of one rule in one view."""

_ANYWHERE: Final = re2._Anchor.UNANCHORED
_WORD: Final = re.compile("[a-z0-9]+")
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
    """One word group or pattern: its gate says whether a text is worth a search, the search where it stands."""

    __slots__ = ("_ascii_only", "_match", "_pattern", "head", "words")

    def __init__(self, pattern: str, *, ascii_only: bool, is_signal: bool = False) -> None:
        self._ascii_only = ascii_only
        self._pattern = pattern
        self._match: Any = None
        self.words, shorter = (frozenset[Start](), pattern) if is_signal else gate(pattern)
        self.head = self._encoded(shorter)

    def _encoded(self, pattern: str) -> bytes:
        return ascii_pattern(pattern) if self._ascii_only else pattern.encode("utf-8")

    def _compiled(self) -> Any:
        """RE2's own match function: the wrapper's costs more than the match."""
        if self._match is None:
            chosen = options(PATTERN_MEMORY_BYTES, ascii_only=self._ascii_only)
            self._match = re2.compile(self._encoded(self._pattern), chosen)._regexp.Match
        return self._match

    def occurs(self, data: bytes) -> bool:
        """True when the pattern is somewhere in the UTF-8 text."""
        found: bool = (self._match or self._compiled())(_ANYWHERE, data, 0, len(data))[0][0] >= 0
        return found

    def places(self, data: bytes) -> list[Span]:
        """Every place in the UTF-8 text, in bytes, not overlapping."""
        found: list[Span] = []
        position, size = 0, len(data)
        match = self._match or self._compiled()
        while position <= size:
            start, end = match(_ANYWHERE, data, position, size)[0]
            if start < 0:
                break
            if end > start:
                found.append((start, end))
            position = max(end, start + 1)
        return found


class Probe:
    """One RE2 pattern that is either somewhere in a text or not."""

    __slots__ = ("_match",)

    def __init__(self, pattern: str) -> None:
        chosen = options(PATTERN_MEMORY_BYTES, ascii_only=False)
        self._match = re2.compile(pattern, chosen)._regexp.Match

    def finds(self, text: str) -> bool:
        """True when the pattern is in the text."""
        data = text.encode("utf-8", "replace")
        found: bool = self._match(_ANYWHERE, data, 0, len(data))[0][0] >= 0
        return found


class Gates:
    """The gates of all parts: first words in a dictionary, the rest in one RE2 set.

    With the words in the set too, each word of a part multiplies the states of all others: new text takes a hundred
    times as long, and one million characters of rule words a minute.
    """

    def __init__(self, parts: Sequence[Part], *, ascii_only: bool) -> None:
        self._parts = parts
        self._words: dict[str, list[int]] = {}
        self._stems: dict[str, list[tuple[str, int]]] = {}
        self._known: dict[str, frozenset[int]] = {}
        self._set = re2.Set.SearchSet(options(SET_MEMORY_BYTES, ascii_only=ascii_only))
        self._in_set: list[int] = []
        for index, part in enumerate(parts):
            for word, is_open in part.words:
                if is_open:
                    self._stems.setdefault(word[:STEM_CHARS], []).append((word, index))
                else:
                    self._words.setdefault(word, []).append(index)
            if part.head:
                self._set.Add(part.head)
                self._in_set.append(index)
        # Always found, at the text's start: its absence tells "out of memory" from "nothing there".
        self._set.Add(rb"\A")
        self._set.Compile()

    def open(self, text: str, data: bytes) -> set[int]:
        """The indexes of the parts that may occur in the text, which comes as UTF-8 too."""
        found: set[int] = set()
        known = self._known
        for word in set(_WORD.findall(text)):
            parts = known.get(word)
            if parts is None:
                parts = self._parts_of(word)
            if parts:
                found |= parts
        matched = self._set.Match(data)
        if not matched:
            found.update(index for index in self._in_set if self._parts[index].places(data))
        elif len(matched) > 1:
            found.update(self._in_set[number] for number in matched if number < len(self._in_set))
        return found

    def knows_more(self, text: str, plain: str) -> bool:
        """True when the text has a word that the plain one lacks and that opens a part."""
        return any(self._parts_of(word) for word in set(_WORD.findall(text)).difference(_WORD.findall(plain)))

    def _parts_of(self, word: str) -> frozenset[int]:
        """The parts that the word opens; remembered, since most words come again."""
        stems = self._stems.get(word[:STEM_CHARS], ())
        parts = frozenset(self._words.get(word, ())).union(index for stem, index in stems if word.startswith(stem))
        if len(self._known) < MAX_KNOWN_WORDS:
            self._known[word] = parts
        return parts


class Reader:
    """The compiled side of a catalogue for one kind of view (folded or not, ASCII or not)."""

    def __init__(
        self, catalogue: Catalogue, signals: Mapping[str, str], *, folded: bool, ascii_only: bool
    ) -> None:
        self._signals = tuple(signals)
        self._parts = [Part(pattern, ascii_only=ascii_only, is_signal=True) for pattern in signals.values()]
        self._groups: dict[str, int] = {}
        self._by_key: dict[int, list[tuple[Rule, tuple[frozenset[int], ...]]]] = {}
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

    def _add(self, rule: Rule, slots: tuple[frozenset[int], ...]) -> None:
        if all(slots):
            for part in min(slots, key=self._openness):
                self._by_key.setdefault(part, []).append((rule, slots))

    def read(self, view: View, known: Container[str] = ()) -> tuple[list[Hit], frozenset[str]]:
        """The hits in the view, in its own offsets, and the names of the signals that are there.

        Rules whose ids are `known` are left out.
        """
        data = view.text.encode("utf-8", "replace")
        present = self._gates.open(view.text if view.is_folded else view.text.lower(), data)
        if not present:
            return [], frozenset()
        hits: list[Hit] = []
        page: Page | None = None
        for rule, slots in self._candidates(present):
            if rule.id in known or (rule.patterns and not any(self._parts[part].occurs(data) for part in slots[0])):
                continue
            page = page or Page(view.text, data, self._parts)
            hits += self._confirm(page, rule, slots, present)
        return hits, frozenset(name for index, name in enumerate(self._signals) if index in present)

    def knows_more(self, view: View, plain: str) -> bool:
        """True when the view has a word that the plain text lacks and that a rule may look for."""
        return self._gates.knows_more(view.text, plain)

    def _candidates(self, present: set[int]) -> Iterator[tuple[Rule, list[frozenset[int]]]]:
        """The rules of which every slot may be filled, with the parts that may fill them."""
        seen: set[str] = set()
        for part in present:
            for rule, slots in self._by_key.get(part, ()):
                for slot in slots:
                    if slot.isdisjoint(present):
                        break
                else:
                    if rule.id not in seen:
                        seen.add(rule.id)
                        yield rule, [slot & present for slot in slots]

    def _confirm(
        self, page: Page, rule: Rule, slots: list[frozenset[int]], present: set[int]
    ) -> Iterator[Hit]:
        count = 0
        spared: list[Span] | None = None
        for start, end in page.together(rule, slots):
            if spared is None:
                unless = self._unless.get(rule.id, frozenset()) & present
                spared = [place for part in unless for place in page.places(part)]
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

    def together(self, rule: Rule, slots: Sequence[frozenset[int]]) -> Iterator[Span]:
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

    def in_sentence(self, places: Sequence[Span], start: int, end: int) -> bool:
        """True when one of the places stands in the sentence of the span."""
        low, high = sentence_of(self._sentence_ends, (start, end), len(self.text))
        return any(low <= place[0] <= high or place[0] < end and start < place[1] for place in places)


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
