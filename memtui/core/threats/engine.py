"""Which rules a view of a text meets, and where: gates say which words and patterns may be there, the page where."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Final, NamedTuple

from memtui.core.threats.checks import CHECKS
from memtui.core.threats.decoders import SIGNALS, WHOLLY_CODED
from memtui.core.threats.firsts import COMMON
from memtui.core.threats.gates import Heads, Literals, Part, Words, words_of
from memtui.core.threats.page import Page
from memtui.core.threats.patterns import fold_pattern, group_pattern, is_wide_pattern
from memtui.core.threats.rules import Catalogue, Rule
from memtui.core.threats.views import DISGUISE_SIGNALS, Span, View

Slot = tuple[int, ...]


class Trial(NamedTuple):
    """A rule as it is tried when one of its parts may be there."""

    rule: Rule
    slots: tuple[Slot, ...]
    """The parts that may fill each slot, the slot that fewest texts fill first."""
    order: tuple[int, ...]
    """Where in `slots` the rule's first, second … slot is."""
    masks: tuple[int, ...]
    """The parts of all slots but the first as bits."""


MAX_HITS: Final = 16
"""Places that are kept of one rule in one view."""

_NO_SIGNALS: Final = frozenset[str]()


class Hit(NamedTuple):
    """One place in one view where one rule is met."""

    rule: Rule
    start: int
    end: int


class Reading(NamedTuple):
    """What one view says."""

    hits: list[Hit]
    """In the view's own offsets."""
    page: Page
    """Where they stand."""
    signals: frozenset[str]
    """The names of the signals that are there."""
    words: set[bytes]
    """The ASCII words, in lower case."""


class Reader:
    """The compiled side of a catalogue for one kind of view (folded or not, narrow or not)."""

    def __init__(self, catalogue: Catalogue, *, folded: bool, narrow: bool) -> None:
        signals = DISGUISE_SIGNALS if folded else SIGNALS
        self._signals = tuple(enumerate(signals))
        self._signal_mask = (1 << len(signals)) - 1
        self._parts = [Part(pattern, narrow=narrow, is_signal=True) for pattern in signals.values()]
        self.is_narrow = narrow
        self._groups: dict[str, int] = {}
        self._by_key: dict[int, list[Trial]] = {}
        self._key_mask = 0
        for rule in catalogue.rules:
            if rule.patterns and rule.is_folded == folded and not rule.is_squeezed:
                self._add(rule, (tuple(self._pattern_parts(rule)),))
            elif rule.all_of and folded:
                self._add(rule, tuple(self._slot(catalogue, names) for names in rule.all_of))
        self._unless = {
            rule.id: self._slot(catalogue, rule.unless)
            for rule in catalogue.rules
            if rule.unless and (folded or not rule.is_folded)
        }
        self._bits = [1 << part for part in range(len(self._parts))]
        self._words = Words(self._parts)
        self._literals = Literals(self._parts)
        self._heads = Heads(self._parts, narrow=narrow)

    def _pattern_parts(self, rule: Rule) -> Iterator[int]:
        for pattern in rule.patterns:
            if self.is_narrow and is_wide_pattern(pattern):
                continue
            self._parts.append(self._part(fold_pattern(pattern) if rule.is_folded else pattern))
            yield len(self._parts) - 1

    def _openness(self, slot: Slot) -> int:
        """How easily a text opens the slot: rules are looked up by their hardest one."""
        parts = [self._parts[part] for part in slot]
        return sum(
            sum(min(sum(1 + 9 * (word in COMMON) for word, _ in words) for words in sets) for sets in part.word_groups)
            + part.wordless_bytes // 10
            for part in parts
        )

    def _part(self, pattern: str) -> Part:
        return Part(pattern, narrow=self.is_narrow)

    def _slot(self, catalogue: Catalogue, names: Sequence[str]) -> Slot:
        return tuple(sorted({index for name in names for index in self._group(catalogue, name)}))

    def _group(self, catalogue: Catalogue, name: str) -> Iterator[int]:
        if name not in self._groups:
            pattern = group_pattern(catalogue.words[name], narrow=self.is_narrow)
            self._groups[name] = -1
            if pattern:
                self._parts.append(self._part(pattern))
                self._groups[name] = len(self._parts) - 1
        if self._groups[name] >= 0:
            yield self._groups[name]

    def _add(self, rule: Rule, slots: tuple[Slot, ...]) -> None:
        if all(slots):
            ranks = sorted(range(len(slots)), key=lambda index: self._openness(slots[index]))
            hardest = tuple(slots[index] for index in ranks)
            order = tuple(ranks.index(index) for index in range(len(slots)))
            trial = Trial(rule, hardest, order, tuple(map(_mask, hardest[1:])))
            self._key_mask |= _mask(hardest[0])
            for part in hardest[0]:
                self._by_key.setdefault(part, []).append(trial)

    def read(self, view: View, known: Container[str] = (), words: set[bytes] | None = None) -> Reading:
        """Hits, signals and words of a view; rules whose ids are `known` are left out.

        `words` come from another view that has the same.
        """
        data = self.encoded(view.text)
        if words is None:
            words = words_of(data if view.is_folded or self.is_narrow else self.encoded(view.text.lower()))
        opened = self.opened(view.text, words, data)
        page = Page(view.text, data, self._parts)
        hits = self._hits(page, opened, known, is_code=view.name in WHOLLY_CODED) if opened & self._key_mask else []
        if not opened & self._signal_mask:
            return Reading(hits, page, _NO_SIGNALS, words)
        return Reading(hits, page, frozenset(name for index, name in self._signals if opened >> index & 1), words)

    def encoded(self, text: str) -> bytes:
        """The text as its patterns read it."""
        return text.encode("latin-1") if self.is_narrow else text.encode("utf-8", "replace")

    def opened(self, text: str, words: set[bytes], data: bytes) -> int:
        """The parts that may occur in a text of these words, which comes encoded too: one bit for each index."""
        return self._words.open(words) | self._literals.open(text) | self._heads.open(data, words)

    def may_find_more(self, view: View, words: set[bytes]) -> bool:
        """True when the view has a word that is not one of these and that some rule may look for."""
        return self._words.open_one(words_of(self.encoded(view.text)) - words)

    def _hits(self, page: Page, opened: int, known: Container[str], *, is_code: bool) -> list[Hit]:
        hits: list[Hit] = []
        seen: set[str] = set()
        keys = opened & self._key_mask
        while keys:
            part = keys.bit_length() - 1
            keys ^= self._bits[part]
            for trial in self._by_key[part]:
                for mask in trial.masks:
                    if not opened & mask:
                        break
                else:
                    rule_id = trial.rule.id
                    if trial.rule.is_for_code and not is_code:
                        continue
                    if rule_id not in seen and rule_id not in known and page.places(part):
                        seen.add(rule_id)
                        hits += self._confirmed(page, trial, opened)
        return hits

    def _confirmed(self, page: Page, trial: Trial, opened: int) -> list[Hit]:
        rule = trial.rule
        hits: list[Hit] = []
        spared: list[Span] | None = None
        slots = [[part for part in slot if opened & self._bits[part]] for slot in trial.slots]
        for start, end in page.together(rule, slots, trial.order):
            if end - start < rule.least_chars:
                continue
            if spared is None:
                unless = self._unless.get(rule.id, ())
                spared = [place for part in unless if opened >> part & 1 for place in page.places(part)]
            if spared and page.is_beside(spared, start, end):
                continue
            if rule.check and not CHECKS[rule.check](page.text[start:end]):
                continue
            hits.append(Hit(rule, start, end))
            if len(hits) >= MAX_HITS:
                break
        return hits


def _mask(slot: Slot) -> int:
    """The slot's parts as bits."""
    return sum(1 << part for part in slot)
