"""RE2 at work: single patterns, each compiled when it is first searched for."""

from __future__ import annotations

from typing import Any, Final

import re2

from memtui.core.threats.firsts import COMMON, alternatives, signs_of, tokens_of
from memtui.core.threats.patterns import Gate, gate, is_sticky, narrow_pattern
from memtui.core.threats.views import Span

PATTERN_MEMORY_BYTES: Final = 8 << 20

_ANYWHERE: Final = re2._Anchor.UNANCHORED


def options(max_mem: int, *, narrow: bool) -> Any:
    """RE2 options without captures, quiet about patterns it refuses."""
    chosen = re2.Options()
    if narrow:
        chosen.encoding = re2.Options.Encoding.LATIN1
    chosen.max_mem = max_mem
    chosen.never_capture = True
    chosen.log_errors = False
    return chosen


class Part:
    """One word group or pattern: its gate says whether a text is worth a search, the search where it stands."""

    __slots__ = (
        "_is_narrow", "_match", "ease", "heads", "is_folded", "is_sure", "literals", "pattern", "signs", "word_groups",
    )  # fmt: skip

    def __init__(self, pattern: str, *, narrow: bool, folded: bool = True, is_signal: bool = False) -> None:
        """`folded` says that texts come in folded form."""
        self._is_narrow = narrow
        self.is_folded = folded
        self.pattern = pattern
        self._match: Any = None
        found = gate(pattern)
        self.is_sure = is_signal and bool(found.heads)
        """True when nothing confirms the gate: where words do not say it, the whole pattern has to."""
        if self.is_sure:
            choices = [signs_of(choice) for choice in alternatives(tokens_of(pattern.removeprefix("(?i)")))]
            signs = frozenset[str]().union(*(sets[0] for sets in choices)) if all(choices) else frozenset[str]()
            found = Gate((), frozenset(), ((pattern, signs),), pattern)
        self.word_groups, self.literals = found.groups, found.literals
        heads = [(head, {sign.encode("latin-1") for sign in signs}) for head, signs in found.heads]
        self.heads = [(self._encoded(head), signs) for head, signs in heads if not (signs and is_sticky(head))]
        self.signs = set[bytes]().union(*(signs for head, signs in heads if signs and is_sticky(head)))
        """Of which a text has to hold one, for heads that are in no set."""
        self.ease = len(self._encoded(found.wordless)) // 10 + sum(
            min(sum(1 + 9 * (word in COMMON) for word, _ in words) for words in sets) for sets in found.groups
        )
        """How easily a text opens the gate: compares parts, and means nothing by itself."""

    def _encoded(self, pattern: str) -> bytes:
        return narrow_pattern(pattern) if self._is_narrow else pattern.encode("utf-8")

    def _compiled(self) -> Any:
        """RE2's own match function: the wrapper's costs more than the match."""
        if self._match is None:
            chosen = options(PATTERN_MEMORY_BYTES, narrow=self._is_narrow)
            self._match = re2.compile(self._encoded(self.pattern), chosen)._regexp.Match
        return self._match

    def occurs(self, data: bytes) -> bool:
        """True when the pattern is somewhere in the encoded text."""
        found: bool = (self._match or self._compiled())(_ANYWHERE, data, 0, len(data))[0][0] >= 0
        return found

    def places(self, data: bytes) -> list[Span]:
        """Every place in the encoded text, in bytes, not overlapping."""
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
        chosen = options(PATTERN_MEMORY_BYTES, narrow=False)
        self._match = re2.compile(pattern, chosen)._regexp.Match

    def finds(self, data: bytes) -> bool:
        """True when the pattern is in the encoded text."""
        found: bool = self._match(_ANYWHERE, data, 0, len(data))[0][0] >= 0
        return found
