"""Which rules a text meets, and where: gates say which words and patterns may be there, the page where."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final, NamedTuple

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.dampers import DAMPER_GATE
from memtui.core.threats.decoders import SIGNALS, WHOLLY_CODED
from memtui.core.threats.disguises import DISGUISE_SIGNALS
from memtui.core.threats.gates import Heads, Literals, Words, words_of
from memtui.core.threats.page import Hit, Page
from memtui.core.threats.patterns import fold_pattern, group_pattern, is_wide_pattern
from memtui.core.threats.rules import Catalogue, Rule
from memtui.core.threats.searches import Part
from memtui.core.threats.views import Span, View

Slot = tuple[int, ...]
"""Parts of which one has to stand there."""

MAX_HITS: Final = 64
"""Places that are kept of one rule in one view; what 64 of them would make milder is no note any more."""

MIN_TELLING_CHARS: Final = 3
"""Of a word that a disguise may hide: Russian taken for Latin letters is full of "he", "to" and "ha"."""

_NO_SIGNALS: Final = frozenset[str]()


class Trial(NamedTuple):
    """A rule of word groups as it is tried when its hardest slot may be filled."""

    rule: Rule
    slots: tuple[Slot, ...]
    """The slot that fewest texts fill first."""
    order: tuple[int, ...]
    """Where in `slots` the rule's first, second … slot is."""
    masks: tuple[int, ...]
    """The parts of all slots but the first, one bit for each."""


class Sides(NamedTuple):
    """A text in small letters and, unless it is a disguise undone, with the case it has."""

    folded: View
    clean: View | None
    data: bytes
    """The folded view, encoded as patterns read it."""
    clean_data: bytes
    words: set[bytes]
    """The ASCII words of both, in lower case, and the signs."""


class Reading(NamedTuple):
    """What a text says."""

    pages: tuple[Page, ...]
    """The sides on which rules are met."""
    signals: frozenset[str]
    """The names of the signals that are there."""
    words: set[bytes]


class Reader:
    """The compiled side of a catalogue for texts of one kind: narrow or not.

    Parts go by their number: signals first, then the patterns of rules, then word groups.
    """

    def __init__(self, catalogue: Catalogue, *, narrow: bool) -> None:
        self.is_narrow = narrow
        self.parts: list[Part] = []
        self._signals = [(self._part(pattern, is_signal=True), name) for name, pattern in DISGUISE_SIGNALS.items()]
        self._signals += [
            (self._part(pattern, folded=False, is_signal=True), name) for name, pattern in SIGNALS.items()
        ]
        self._signal_mask = (1 << len(self.parts)) - 1
        self._told_by_words = _mask(n for n, part in enumerate(self.parts) if part.word_groups or part.literals)
        self._damper = self._part(DAMPER_GATE)
        self._rules: dict[int, tuple[Rule, Slot]] = {}
        self._trials: dict[int, list[Trial]] = {}
        self._groups: dict[tuple[str, bool], Slot] = {}
        self._unless: dict[str, Slot] = {}
        for rule in catalogue.rules:
            if rule.patterns and not rule.is_squeezed:
                numbers = tuple(self._rule_parts(rule))
                self._rules.update((number, (rule, numbers)) for number in numbers)
        self._rule_mask = _mask(self._rules)
        for rule in catalogue.rules:
            if rule.all_of:
                self._add_trial(catalogue, rule)
            if rule.unless:
                self._unless[rule.id] = self._slot(catalogue, rule.unless, folded=rule.is_folded)
        self._key_mask = _mask(self._trials)
        self._words = Words(self.parts)
        self._literals = Literals(self.parts)
        self._heads = Heads(self.parts, narrow=narrow)

    def _part(self, pattern: str, *, folded: bool = True, is_signal: bool = False) -> int:
        self.parts.append(Part(pattern, narrow=self.is_narrow, folded=folded, is_signal=is_signal))
        return len(self.parts) - 1

    def _rule_parts(self, rule: Rule) -> Iterator[int]:
        for pattern in rule.patterns:
            if not (self.is_narrow and is_wide_pattern(pattern)):
                yield self._part(fold_pattern(pattern) if rule.is_folded else pattern, folded=rule.is_folded)

    def _slot(self, catalogue: Catalogue, names: Iterable[str], *, folded: bool = True) -> Slot:
        """The parts of the groups of these names of which something may stand in such a text."""
        return tuple(sorted({part for name in names for part in self._group(catalogue, name, folded=folded)}))

    def _group(self, catalogue: Catalogue, name: str, *, folded: bool) -> Slot:
        if (name, folded) not in self._groups:
            # Terms are in small letters; the text with the case it has may have any.
            case = "" if folded else "(?i)"
            pattern = group_pattern(catalogue.words[name], narrow=self.is_narrow)
            self._groups[name, folded] = (self._part(case + pattern, folded=folded),) if pattern else ()
        return self._groups[name, folded]

    def _add_trial(self, catalogue: Catalogue, rule: Rule) -> None:
        slots = tuple(self._slot(catalogue, names) for names in rule.all_of)
        if all(slots):
            ranks = sorted(range(len(slots)), key=lambda index: sum(self.parts[part].ease for part in slots[index]))
            hardest = tuple(slots[index] for index in ranks)
            order = tuple(ranks.index(index) for index in range(len(slots)))
            trial = Trial(rule, hardest, order, tuple(map(_mask, hardest[1:])))
            for part in hardest[0]:
                self._trials.setdefault(part, []).append(trial)

    def read(self, folded: View, clean: View | None = None, known: Container[str] = ()) -> Reading:
        """What a text says in its folded form and, if that is given, with the case it has; rules whose ids are
        `known` are left out."""
        sides = self.sides(folded, clean)
        opened = self.opened(sides)
        page = Page(folded, sides.data, self.parts, opened, self._damper)
        if opened & self._key_mask:
            self._try_groups(page, opened, known)
        pages: tuple[Page, ...] = (page,)
        rules = opened & self._rule_mask
        if rules:
            clean_page = Page(clean, sides.clean_data, self.parts, opened, self._damper) if clean else None
            self._try_patterns(page, clean_page, rules, known)
            pages = (page, clean_page) if clean_page else pages
        signals = opened & self._signal_mask
        return Reading(pages, self._named(signals, sides) if signals else _NO_SIGNALS, sides.words)

    def _named(self, signals: int, sides: Sides) -> frozenset[str]:
        """The names of the signals; words alone may stand anywhere, and each signal for nothing costs a reading."""
        for number in _numbers(signals & self._told_by_words):
            part = self.parts[number]
            if not part.occurs(sides.data if part.is_folded else sides.clean_data):
                signals ^= 1 << number
        return frozenset(name for number, name in self._signals if signals >> number & 1)

    def sides(self, folded: View, clean: View | None) -> Sides:
        """Both forms of a text as gates and patterns read them."""
        data = self._encoded(folded.text)
        if clean is None:
            return Sides(folded, None, data, data, words_of(data))
        clean_data = self._encoded(clean.text)
        words = words_of(data)
        if not self.is_narrow:
            words |= words_of(self._encoded(clean.text.lower()))
        return Sides(folded, clean, data, clean_data, words)

    def _encoded(self, text: str) -> bytes:
        return text.encode("latin-1") if self.is_narrow else text.encode("utf-8", "replace")

    def opened(self, sides: Sides) -> int:
        """The parts that may stand there: one bit for each."""
        opened = self._words.open(sides.words) | self._heads.open(sides.data, sides.clean_data, sides.words)
        if not self.is_narrow:
            opened |= self._literals.open(sides.folded.text)
            if sides.clean and sides.clean.text != sides.folded.text:
                opened |= self._literals.open(sides.clean.text)
        return opened

    def telling_words(self, view: View, words: set[bytes]) -> set[bytes]:
        """The words of the view that are none of these and that some rule may look for."""
        more = words_of(self._encoded(view.text)) - words
        return self._words.asked_for({word for word in more if len(word) >= MIN_TELLING_CHARS})

    def _try_groups(self, page: Page, opened: int, known: Container[str]) -> None:
        seen: set[str] = set()
        is_code = page.view.name in WHOLLY_CODED
        keys = opened & self._key_mask
        while keys:
            part = keys.bit_length() - 1
            keys ^= 1 << part
            for rule, slots, order, masks in self._trials[part]:
                for mask in masks:
                    if not opened & mask:
                        break
                else:
                    if rule.is_for_code and not is_code:
                        continue
                    if rule.id not in seen and rule.id not in known and page.places(part):
                        seen.add(rule.id)
                        filled = [[part for part in slot if opened >> part & 1] for slot in slots]
                        self._keep(page, rule, page.together(rule, filled, order))

    def _try_patterns(self, folded: Page, clean: Page | None, rules: int, known: Container[str]) -> None:
        seen: set[str] = set()
        is_code = folded.view.name in WHOLLY_CODED
        for number in _numbers(rules):
            rule, numbers = self._rules[number]
            page = folded if rule.is_folded else clean
            if page is None or rule.id in seen or rule.id in known or (rule.is_for_code and not is_code):
                continue
            if page.places(number):
                seen.add(rule.id)
                places = [place for other in numbers if rules >> other & 1 for place in page.places(other)]
                self._keep(page, rule, places)

    def _keep(self, page: Page, rule: Rule, places: Iterable[Span]) -> None:
        """Puts on the page where the rule is met, unless its words say otherwise."""
        unless = [part for part in self._unless.get(rule.id, ()) if page.opened >> part & 1]
        spared = [place for part in unless for place in page.places(part)]
        count = 0
        for start, end in places:
            if end - start < rule.least_chars or (spared and page.is_beside(spared, start, end)):
                continue
            if rule.check and not CHECKS[rule.check](page.text[start:end]):
                continue
            count += 1
            page.hits.append(Hit(rule, start, end, is_last=count == MAX_HITS))
            if count == MAX_HITS:
                return


def _numbers(bits: int) -> Iterator[int]:
    """Which bits are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _mask(parts: Iterable[int]) -> int:
    return sum(1 << part for part in parts)
