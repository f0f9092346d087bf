"""The words that patterns ask for, worked out beforehand for the built-in catalogue: that took 0.7 s of every command.

`tables/needed.json` only remembers what `firsts.word_sets` says of a pattern; one that it does not know is looked into.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from memtui.core.threats.firsts import Start, word_sets

WORD_SETS: Final = 3
"""Words that a gate asks for: with one, three of four searches find nothing, with three, one of two."""

Needed = tuple[frozenset[Start], ...]

_PLAIN: Final = re.compile(r"[a-z0-9]{2,}(?:\[\\s_-\]\+[a-z0-9]{2,})*(?:\\w\*)?(?:\\b)?")
"""A term of words alone, which is looked into as fast as it is found in a table."""


def needed_words(pattern: str, *, at_edge: bool) -> Needed:
    """The most telling sets of words and signs of which every match of the pattern holds one each."""
    known = _table().get(key_of(pattern, at_edge=at_edge))
    return word_sets(pattern, at_edge=at_edge)[:WORD_SETS] if known is None else known


def key_of(pattern: str, *, at_edge: bool) -> str:
    """What the table knows the pattern by."""
    return f"\\b{pattern}" if at_edge else pattern


def is_plain(pattern: str) -> bool:
    """True when the pattern is words alone, which the table leaves out."""
    return bool(_PLAIN.fullmatch(pattern))


@cache
def _table() -> Mapping[str, Needed]:
    source = files("memtui.core.threats").joinpath("tables/needed.json")
    return {key: tuple(map(_starts, sets)) for key, sets in json.loads(source.read_text(encoding="utf-8")).items()}


def _starts(words: list[str]) -> frozenset[Start]:
    return frozenset((word[:-1], True) if word[1:] and word[-1] == "*" else (word, False) for word in words)


def written(needed: Needed) -> list[list[str]]:
    """The sets as the table has them: a word that may go on with a `*`."""
    return [sorted(word + "*" * is_open for word, is_open in starts) for starts in needed]
