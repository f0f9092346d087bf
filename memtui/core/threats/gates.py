"""The gates of many patterns: which of them are worth a search in a text, told by its words, its signs and RE2 sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add, or_
from typing import Any, Final, NamedTuple

import re2

from memtui.core.threats.firsts import STEM_CHARS, Start
from memtui.core.threats.needed import WORD_SETS
from memtui.core.threats.searches import Part, options

SET_MEMORY_BYTES: Final = 32 << 20
LONG_BYTES: Final = 4_096
"""Of a text that signals and rules are looked for in apart: together they have the states of one for each of the other,
and random letters took twice as long."""
MAX_KNOWN_WORDS: Final = 20_000
MAX_KNOWN_CHARS: Final = 16
"""Of a word outside ASCII; a longer run is a whole sentence of a language without blanks."""

_WIDE: Final = re.compile(r"[^\x00-\x7f]+")
# Each byte as what it is in a word: letters in lower case, whatever is no ASCII letter or digit a blank.
_WORD_BYTES: Final = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256))

# Letters, digits, blanks and the signs of every sentence and path; what is left is worth asking for.
_NO_SIGNS: Final = bytes({*range(256)} - {*b'\n!"#$%&()*+:;<=>?@[\\]^_`{|}~', ord("§")})
_SIGNS: Final = tuple(bytes((byte,)) for byte in range(256))


def words_of(data: bytes) -> set[bytes]:
    """The ASCII words of an encoded text, in lower case, and its signs."""
    signs = data.translate(None, _NO_SIGNS)
    words = set(data.translate(_WORD_BYTES).split())
    if signs:
        words.update(map(_SIGNS.__getitem__, signs))
    if b"--" in data:
        words.add(b"--")
    return words


class _Block(NamedTuple):
    """The groups that ask for the same number of words."""

    first_bit: int
    width: int
    """How many groups."""
    size: int
    """Planes, one for each word."""
    owners: list[int]
    """The bit of the part that each group opens."""


class Words:
    """The gates that are words: which parts the words of a text open, one bit for each part's index.

    A part's bit stands for its alternatives that ask for one word. Those that ask for more have bits above, in a block
    for each number of words: each group one bit in as many planes as it asks for words.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        groups = [(index, sets) for index, part in enumerate(parts) for sets in part.word_groups]
        self._parts_mask = (1 << len(parts)) - 1
        self._words: dict[bytes, int] = {}
        self._stems: dict[bytes, list[tuple[bytes, int]]] = {}
        self._known: dict[bytes, int] = {}
        self._idle: set[bytes] = set()
        for index, sets in groups:
            if len(sets) == 1:
                self._add(sets[0], 1 << index)
        self._blocks: list[_Block] = []
        first_bit = len(parts)
        for size in range(2, WORD_SETS + 1):
            several = [(index, sets) for index, sets in groups if len(sets) == size]
            self._blocks.append(_Block(first_bit, len(several), size, [1 << index for index, _ in several]))
            for number, (_, sets) in enumerate(several):
                for plane, starts in enumerate(sets):
                    self._add(starts, 1 << first_bit + plane * len(several) + number)
            first_bit += size * len(several)

    def _add(self, starts: Iterable[Start], bit: int) -> None:
        for text, is_open in starts:
            word = text.encode("latin-1")
            if is_open:
                self._stems.setdefault(word[:STEM_CHARS], []).append((word, bit))
            else:
                self._words[word] = self._words.get(word, 0) | bit

    def open(self, words: set[bytes]) -> int:
        """The parts of which the words hold one, or one of each of a group's sets."""
        telling = words - self._idle
        try:
            found = reduce(or_, map(self._known.__getitem__, telling), 0)
        except KeyError:
            found = reduce(or_, map(self._bits_of, telling), 0)
        opened = found & self._parts_mask
        for first_bit, width, size, owners in self._blocks:
            planes = found >> first_bit
            met = planes & (1 << width) - 1
            for plane in range(1, size):
                met &= planes >> plane * width
            while met:
                number = met.bit_length() - 1
                met ^= 1 << number
                opened |= owners[number]
        return opened

    def asked_for(self, words: set[bytes]) -> set[bytes]:
        """Those of the words that a part asks for."""
        return {word for word in words - self._idle if self._bits_of(word)}

    def _bits_of(self, word: bytes) -> int:
        """The parts and, above them, the groups that ask for the word; remembered, since most words come again."""
        bits = self._known.get(word)
        if bits is None:
            bits = self._words.get(word, 0)
            for stem, bit in self._stems.get(word[:STEM_CHARS], ()):
                if word.startswith(stem):
                    bits |= bit
            if bits and len(self._known) < MAX_KNOWN_WORDS:
                self._known[word] = bits
            elif not bits and len(self._idle) < MAX_KNOWN_WORDS:
                self._idle.add(word)
        return bits


class Literals:
    """The gates that are texts outside ASCII: which parts their beginnings open, one bit for each index."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._starts: dict[str, int] = {}
        for index, part in enumerate(parts):
            for literal in part.literals:
                start = literal[:3]
                self._starts[start] = self._starts.get(start, 0) | 1 << index
        self._first_chars = frozenset(start[0] for start in self._starts)
        self._known: dict[str, int] = {}

    def open(self, text: str) -> int:
        """The parts of which the first three characters of a literal are in the text."""
        opened = 0
        if not text.isascii() and not self._first_chars.isdisjoint(text):
            known = self._known
            for run in _WIDE.findall(text):
                opened |= known[run] if run in known else self._bits_of(run)
        return opened

    def _bits_of(self, run: str) -> int:
        """The parts that a run of characters outside ASCII opens; remembered when it is a word that may come again."""
        pairs = list(map(add, run, run[1:]))
        bits = 0
        for start in self._starts.keys() & {*run, *pairs, *map(add, pairs, run[2:])}:
            bits |= self._starts[start]
        if len(run) <= MAX_KNOWN_CHARS and len(self._known) < MAX_KNOWN_WORDS:
            self._known[run] = bits
        return bits


class Heads:
    """The gates that are patterns, in RE2 sets.

    With the words in a set too, each word of a part multiplies the states of all others: new text takes a hundred
    times as long, and one million characters of rule words a minute.
    """

    def __init__(self, parts: Sequence[Part], *, narrow: bool) -> None:
        self._is_narrow = narrow
        numbered = [(1 << number, part) for number, part in enumerate(parts) if part.heads]
        self._signed = [(part.signs, 1 << number, part) for number, part in enumerate(parts) if part.signs]
        self._signs = set[bytes]().union(*(signs for signs, _, _ in self._signed))
        self._numbered = numbered
        self._sets = self._sides(lambda part: True)
        self._sets_apart: list[_HeadSet] = []

    def _sides(self, is_wanted: Callable[[Part], bool]) -> list[_HeadSet]:
        """Sets of the wanted parts: one for both forms of a text, or one for each."""
        wanted = [one for one in self._numbered if is_wanted(one[1])]
        if self._is_narrow:
            # A narrow text differs in its small letters from its folded form: one search of it does for both.
            return [_HeadSet(_heads_of(wanted, is_any_case=True), narrow=True)]
        sides = ([one for one in wanted if one[1].is_folded == folded] for folded in (True, False))
        return [_HeadSet(_heads_of(side, is_any_case=False), narrow=False) for side in sides]

    def _sets_of_long(self) -> list[_HeadSet]:
        if not self._sets_apart:
            self._sets_apart = self._sides(lambda part: part.is_sure) + self._sides(lambda part: not part.is_sure)
        return self._sets_apart

    def open(self, folded: bytes, clean: bytes, words: set[bytes]) -> int:
        """The parts whose heads are in the text in its two forms, and their signs among its words: one bit for each."""
        opened = 0
        if not self._signs.isdisjoint(words):
            for signs, bit, part in self._signed:
                data = folded if part.is_folded else clean
                if not signs.isdisjoint(words) and (not part.is_sure or part.occurs(data)):
                    opened |= bit
        forms = (clean, clean) if self._is_narrow else (folded, clean)
        for number, heads in enumerate(self._sets if len(clean) <= LONG_BYTES else self._sets_of_long()):
            opened |= heads.open(forms[number % 2], words)
        return opened


_Head = tuple[bytes, int, set[bytes]]
"""A pattern, the bit of its part, and the signs of which a text has to hold one."""


def _heads_of(parts: Iterable[tuple[int, Part]], *, is_any_case: bool) -> list[_Head]:
    return [
        (b"(?i)" + head if is_any_case and part.is_folded else head, bit, signs)
        for bit, part in parts
        for head, signs in part.heads
    ]


_Compiled = tuple[Any, int, list[tuple[int, set[bytes]]]]
"""A set's match function, the bits of all parts in it, and for each head the bit and the signs."""


class _HeadSet:
    """Heads in one RE2 set, or in several where one would take more memory than it may."""

    def __init__(self, heads: Sequence[_Head], *, narrow: bool) -> None:
        self._always = 0
        """The parts whose head is too large for any set: their gate stands open."""
        self._sets = list(self._compiled(heads, narrow=narrow))

    def _compiled(self, heads: Sequence[_Head], *, narrow: bool) -> Iterator[_Compiled]:
        compiled = re2.Set.SearchSet(options(SET_MEMORY_BYTES, narrow=narrow))
        for head, _, _ in heads:
            compiled.Add(head)
        # Always found, at the text's start: its absence tells "out of memory" from "nothing there".
        compiled.Add(rb"\A")
        try:
            compiled.Compile()
        except re2.error:
            half = len(heads) // 2
            if half:
                yield from self._compiled(heads[:half], narrow=narrow)
                yield from self._compiled(heads[half:], narrow=narrow)
            else:
                self._always |= heads[0][1]
            return
        opened = [(bit, signs) for _, bit, signs in heads] + [(0, set[bytes]())]
        yield compiled._set.Match, reduce(or_, (bit for _, bit, _ in heads), 0), opened

    def open(self, data: bytes, words: set[bytes]) -> int:
        opened = self._always
        for match, everything, gates in self._sets:
            matched = match(data)
            if not matched:
                opened |= everything
            for number in matched:
                bit, signs = gates[number]
                if not signs or not signs.isdisjoint(words):
                    opened |= bit
        return opened
