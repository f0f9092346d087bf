"""Filters texts by words typed in a search field: substrings, case folded, all of them must be there.

It ranks nothing: hits stay in the order of the texts, so that the list does not jump while a person types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MAX_SPANS: Final = 500
"""Marked places per word and text: one letter occurs a hundred thousand times in a long entry."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that holds all the words."""

    index: int
    spans: tuple[tuple[int, int], ...]
    """Where they stand, in code points of the text, sorted and not overlapping."""


def filter_indexes(texts: Sequence[str], query: str) -> tuple[Hit, ...]:
    """The texts that hold every word of the query, in order; all of them for a blank query."""
    words = sorted(set(query.casefold().split()), key=len, reverse=True)
    hits = []
    for index, text in enumerate(texts):
        folded = text.casefold()
        if all(word in folded for word in words):
            hits.append(Hit(index, _spans(text, folded, words)))
    return tuple(hits)


def _spans(text: str, folded: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    found = sorted(span for word in words for span in _occurrences(folded, word))
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged) if len(folded) == len(text) else _unfolded(text, merged)


def _occurrences(folded: str, word: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = folded.find(word)
    while at >= 0 and len(spans) < MAX_SPANS:
        spans.append((at, at + len(word)))
        at = folded.find(word, at + len(word))
    return spans


def _unfolded(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans in the raw text, of which a character such as ß folds into two."""
    raw_of: list[int] = []
    for index, length in enumerate(len(character.casefold()) for character in text):
        raw_of += [index] * length
    return tuple((raw_of[start], raw_of[end - 1] + 1) for start, end in spans)
