"""One word over and over: padding that tires the reader, and parts an order so that no pattern spans it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import eq
from typing import Final

MIN_REPEATS: Final = 10
"""Of one word in a row; people who are glad write "ha" six times."""
MIN_LETTERS: Final = 2
_REPEATED_WORD: Final = re.compile(
    rf"(?i)\b([^\W\d_]{{{MIN_LETTERS},20}})\b(?:[\s,.;:!-]{{1,3}}\1\b){{{MIN_REPEATS - 1},}}"
)


def repeated_words(text: str) -> Iterator[tuple[int, int]]:
    """Each span of at least `MIN_REPEATS` times the same word."""
    if len(text) < MIN_REPEATS * (MIN_LETTERS + 1) - 1:
        return
    words = text.lower().split()
    # Which words equal the one before, as bytes: a search by pattern alone costs ten times as much.
    if b"\1" * (MIN_REPEATS - 1) in bytes(map(eq, words, words[1:])):
        for found in _REPEATED_WORD.finditer(text):
            yield found.span()
