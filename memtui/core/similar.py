"""How alike two texts are: the same words otherwise written, words shared, what comes close to a search.

Everything here is a hint for people and models; nothing is decided, folded or refused because of it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import Final, NamedTuple

NEAR_OVERLAP: Final = 0.85
"""Share of common words from which two texts are near duplicates."""

CHANGED_SIMILARITY: Final = 0.5
"""From here on two texts count as one entry before and after a change."""

# Normalising is quadratic in a pile of combining marks, and a cached text stays in memory.
_SHORT_CHARS = 10_000
_MIN_KEPT_START_CHARS = 8
_MAX_COMPARED = 20_000
_MAX_QUERY_CHARS = 200
_GRAM = 3
_MIN_NEARNESS = 0.4

# Scripts written without blanks: there a pair of characters stands for a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
# `\w` knows no combining marks, without which Indic and Arabic words fall apart.
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u0900-\u0dff"
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[\w{_MARKS}])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

_FOLDED: Final = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFF01, 0xFFEF)},
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣"), "-"),
    **dict.fromkeys(map(ord, "‘’‚‛′`´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»"), '"'),
    ord("…"): "...",
    **dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF)),
}


class _Words(NamedTuple):
    squeezed: str
    """All words without what stands between them."""
    words: frozenset[str]
    weight: int
    """Characters in the different words."""


def fold(text: str) -> str:
    """The text with dashes, quotes, spaces, case and width folded and invisible characters out."""
    if not text.isascii():
        text = text.translate(_FOLDED)
        if len(text) <= _SHORT_CHARS:
            text = unicodedata.normalize("NFC", text)
    else:
        text = text.replace("`", "'")
    return " ".join(text.casefold().split())


def near_duplicates(text: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Indexes of the texts that say nearly the same as `text`, in order; equal texts count too.

    They have the same words in other spacing, case or punctuation, or share nearly all of them.
    """
    wanted = _words_of(text)
    if not wanted.words:
        folded = fold(text)
        return tuple(index for index, other in enumerate(texts) if fold(other) == folded)
    return tuple(index for index, other in enumerate(texts) if _are_near(wanted, _words_of(other)))


class NearIndex:
    """Finds the first near duplicate among many texts without comparing with each: 2,000 pairwise took 14 s.

    Two sets of words that overlap by 0.85 share one of their rarest words: those that can be missing from the
    overlap, and one more. Only texts that do are compared.
    """

    def __init__(self, texts: Sequence[str], more: Iterable[str] = ()) -> None:
        """`texts` are searched from the start; `more` are texts to come, which tell the rare words as well."""
        self._counts = Counter(word for text in (*texts, *more) for word in _words_of(text).words)
        self._texts: list[str] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_run: dict[str, int] = {}
        """By all words without what stands between them; by the folded text where there is no word."""
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Search this text as well, after the others."""
        index = len(self._texts)
        self._texts.append(text)
        self._by_run.setdefault(self._run_of(text), index)
        for word in self._rarest(text):
            self._by_word.setdefault(word, []).append(index)

    def first(self, text: str) -> str | None:
        """The first text that says nearly the same, equal ones included; None when there is none."""
        wanted = _words_of(text)
        places = {index for word in self._rarest(text) for index in self._by_word.get(word, ())}
        near = {index for index in places if _are_near(wanted, _words_of(self._texts[index]))}
        if (same := self._by_run.get(self._run_of(text))) is not None:
            near.add(same)
        return self._texts[min(near)] if near else None

    def _rarest(self, text: str) -> list[str]:
        words = _words_of(text).words
        # Sorted by the word as well: both sides must agree on which words are the rarest.
        ordered = sorted(words, key=lambda word: (self._counts[word], word))
        return ordered[: len(words) - math.ceil(NEAR_OVERLAP * len(words)) + 1] if words else []

    def _run_of(self, text: str) -> str:
        words = _words_of(text)
        return words.squeezed if words.words else f" {fold(text)}"


def similarity(a: str, b: str) -> float:
    """From 0 (no word in common) to 1, longer words counting more; a text that only grew is 0.5 or more."""
    return _similarity(a, _words_of(a), b, _words_of(b))


def similar_pairs(
    before: Sequence[str], after: Sequence[str], *, in_order: bool = False
) -> tuple[tuple[int, int], ...]:
    """Index pairs of texts that count as one entry before and after a change, each text in at most one pair.

    The most similar pairs are taken first; `in_order` leaves out pairs that would cross one already taken. Of
    long sequences only texts at about the same place are compared, so that the time stays bounded.
    """
    first, second = [_words_of(text) for text in before], [_words_of(text) for text in after]
    scored = []
    for i, j in _neighbours(len(before), len(after)):
        score = _similarity(before[i], first[i], after[j], second[j])
        if score >= CHANGED_SIMILARITY:
            scored.append((-score, i, j))
    taken: list[tuple[int, int]] = []
    used: set[int] = set()
    for _, i, j in sorted(scored):
        at = bisect_left(taken, (i, -1))
        before_it, after_it = taken[max(at - 1, 0) : at], taken[at : at + 1]
        is_free = j not in used and not any(pair[0] == i for pair in after_it)
        crosses = any(pair[1] > j for pair in before_it) or any(pair[1] < j for pair in after_it)
        if is_free and not (in_order and crosses):
            taken.insert(at, (i, j))
            used.add(j)
    return tuple(taken)


def _neighbours(before_count: int, after_count: int) -> Iterable[tuple[int, int]]:
    if not before_count or not after_count:
        return
    reach = max(_MAX_COMPARED // before_count // 2, 1)
    for i in range(before_count):
        middle = i * after_count // before_count
        yield from ((i, j) for j in range(max(0, middle - reach), min(after_count, middle + reach + 1)))


def _similarity(a: str, a_words: _Words, b: str, b_words: _Words) -> float:
    if a == b:
        return 1.0
    shared = sum(map(len, a_words.words & b_words.words))
    total = a_words.weight + b_words.weight
    alike = min(2 * shared / total, 1.0) if total else float(fold(a) == fold(b))
    return max(alike, CHANGED_SIMILARITY) if _grew(*sorted((a, b), key=len)) else alike


def nearest(text: str, texts: Sequence[str], count: int = 3) -> tuple[int, ...]:
    """Indexes of the texts that come closest to holding `text`, best first; empty when none comes close."""
    wanted = fold(text[: _MAX_QUERY_CHARS * 2])[:_MAX_QUERY_CHARS]
    grams = _grams(wanted)
    scored = ((_nearness(wanted, grams, fold(other[:_SHORT_CHARS])), -i) for i, other in enumerate(texts))
    return tuple(-negative for score, negative in nlargest(count, scored) if score >= _MIN_NEARNESS)


def _nearness(wanted: str, grams: frozenset[str], folded: str) -> float:
    if wanted and wanted in folded:
        return 2.0
    return sum(gram in folded for gram in grams) / len(grams) if grams else 0.0


def _grams(folded: str) -> frozenset[str]:
    return frozenset(folded[at : at + _GRAM] for at in range(max(len(folded) - _GRAM + 1, 1))) - {""}


def _grew(shorter: str, longer: str) -> bool:
    if not shorter or not longer.startswith(shorter):
        return False
    return longer[len(shorter)] == "\n" or len(shorter) >= _MIN_KEPT_START_CHARS


def _are_near(a: _Words, b: _Words) -> bool:
    if not a.words or not b.words:
        return False
    if a.squeezed == b.squeezed:
        return True
    fewer, more = sorted((len(a.words), len(b.words)))
    if fewer < NEAR_OVERLAP * more:
        return False
    common = len(a.words & b.words)
    return common >= NEAR_OVERLAP * (fewer + more - common)


def _words_of(text: str) -> _Words:
    return _kept_words(text) if len(text) <= _SHORT_CHARS else _read_words(text)


def _read_words(text: str) -> _Words:
    runs = _WORD.findall(fold(text))
    words = frozenset(runs if text.isascii() else _split_unspaced(runs))
    return _Words("".join(runs), words, sum(map(len, words)))


# Twice the largest store in view: every key typed compares the draft with all entries.
_kept_words = lru_cache(maxsize=20_000)(_read_words)


def _split_unspaced(runs: Iterable[str]) -> Iterable[str]:
    for run in runs:
        if len(run) > 2 and _IS_UNSPACED.match(run):
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield run
