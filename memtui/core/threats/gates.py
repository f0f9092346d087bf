"""RE2 at work: single patterns, and for many of them the gates that say which are worth a search in a text.

Nothing is compiled before it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import re2

from memtui.core.threats.firsts import STEM_CHARS, Start
from memtui.core.threats.patterns import ascii_pattern, gate
from memtui.core.threats.views import Span

SET_MEMORY_BYTES: Final = 32 << 20
PATTERN_MEMORY_BYTES: Final = 8 << 20
MAX_KNOWN_WORDS: Final = 20_000

_ANYWHERE: Final = re2._Anchor.UNANCHORED
_WORD: Final = re.compile("[a-z0-9]+")


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
        self._words: dict[str, int] = {}
        self._stems: dict[str, list[tuple[str, int]]] = {}
        self._known: dict[str, int] = {}
        self._set = re2.Set.SearchSet(options(SET_MEMORY_BYTES, ascii_only=ascii_only))
        self._in_set: list[int] = []
        for index, part in enumerate(parts):
            for word, is_open in part.words:
                if is_open:
                    self._stems.setdefault(word[:STEM_CHARS], []).append((word, 1 << index))
                else:
                    self._words[word] = self._words.get(word, 0) | 1 << index
            if part.head:
                self._set.Add(part.head)
                self._in_set.append(index)
        # Always found, at the text's start: its absence tells "out of memory" from "nothing there".
        self._set.Add(rb"\A")
        self._set.Compile()

    def open(self, text: str, data: bytes) -> int:
        """The parts that may occur in the text, which comes as UTF-8 too: one bit for each index."""
        opened = 0
        known = self._known
        for word in set(_WORD.findall(text)):
            parts = known.get(word)
            opened |= self._parts_of(word) if parts is None else parts
        matched = self._set.Match(data)
        if not matched:
            return opened | sum(1 << index for index in self._in_set if self._parts[index].occurs(data))
        for number in matched:
            if number < len(self._in_set):
                opened |= 1 << self._in_set[number]
        return opened

    def knows_more(self, text: str, plain: str) -> bool:
        """True when the text has a word that the plain one lacks and that opens a part."""
        words = set(_WORD.findall(text)).difference(_WORD.findall(plain))
        return any(self._known[word] if word in self._known else self._parts_of(word) for word in words)

    def _parts_of(self, word: str) -> int:
        """The parts that the word opens; remembered, since most words come again."""
        parts = self._words.get(word, 0)
        for stem, part in self._stems.get(word[:STEM_CHARS], ()):
            if word.startswith(stem):
                parts |= part
        if len(self._known) < MAX_KNOWN_WORDS:
            self._known[word] = parts
        return parts
