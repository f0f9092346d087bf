"""Folds a text into the one-byte characters over which Hermes' rules are written.

It keeps what those rules can see and nothing else: compatibility forms, case, words and white space in
Python's sense. It is no display form and no view of memtui's own scanner.
"""

from __future__ import annotations

from typing import Final
from unicodedata import combining, normalize

OTHER_WORD: Final = "W"
"""Stands for every word character that is not ASCII: folded text has no other upper-case letter."""
OTHER: Final = "\x1a"
"""Stands for everything else that is not ASCII."""

_LONGEST_RUN_CHARS: Final = 30
_CACHED_CODES: Final = 20_000
_UNBOUNDED_CHARS: Final = 512
"""Up to here NFKC costs at most 0.2 ms, whatever the text."""


class _FoldTable(dict[int, str]):
    """Code point to folded character, filled as texts need it."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _CACHED_CODES:
            self[code] = folded
        return folded


class _MarkTable(dict[int, str]):
    """Code point to "m" when it decomposes into combining marks alone, else to "o"."""

    def __missing__(self, code: int) -> str:
        shape = "m" if all(map(combining, normalize("NFKD", chr(code)))) else "o"
        if len(self) < _CACHED_CODES:
            self[code] = shape
        return shape


def _fold_character(character: str) -> str:
    """One character of NFKC text as Python's `re` compares it when it ignores case."""
    if character in "\u0130\u0131":  # the only two that NFKC leaves and that `re` takes for an ASCII letter
        return "i"
    if character.isspace() and character != "\n":
        return " "
    if character.isascii():
        return character.lower()
    return OTHER_WORD if character.isalnum() else OTHER


_FOLDED: Final = _FoldTable()
_SHAPES: Final = _MarkTable()


def fold(text: str) -> bytes:
    """The text in NFKC, one byte a character, so that offsets in the bytes are offsets in the NFKC text."""
    return bounded_nfkc(text).translate(_FOLDED).encode("ascii")


def bounded_nfkc(text: str) -> str:
    """`unicodedata.normalize("NFKC", text)` in time linear in the text.

    The standard function sorts combining marks by insertion: 65,536 alternating marks took 2.2 s. Long runs
    are therefore decomposed and sorted beforehand, which changes no result.
    """
    if text.isascii():
        return text
    if len(text) > _UNBOUNDED_CHARS:
        text = _sort_long_runs(text)
    return normalize("NFKC", text)


def _sort_long_runs(text: str) -> str:
    shapes = text.translate(_SHAPES)
    long_run = "m" * _LONGEST_RUN_CHARS
    pieces: list[str] = []
    done = 0
    while (start := shapes.find(long_run, done)) >= 0:
        end = shapes.find("o", start)
        end = len(text) if end < 0 else end
        marks = "".join(normalize("NFKD", mark) for mark in text[start:end])
        pieces += (text[done:start], "".join(sorted(marks, key=combining)))
        done = end
    return "".join((*pieces, text[done:]))


def raw_offsets(text: str) -> list[int]:
    """Where each character of the NFKC text comes from: offsets in `text`, and `len(text)` as the last item.

    A character that grew or melted with its neighbours maps to the start of the group it comes from.
    """
    offsets: list[int] = []
    start = 0
    while start < len(text):
        end = _group_end(text, start)
        grown = len(bounded_nfkc(text[start:end]))
        same_length = grown == end - start
        offsets += range(start, end) if same_length else [start] * grown
        start = end
    return [*offsets, len(text)]


def _group_end(text: str, start: int) -> int:
    """The end of the smallest group from `start` that NFKC treats apart from what follows."""
    end = start + 1
    while end < len(text) and not _begins_group(text[max(start, end - 3) : end], text[end]):
        end += 1
    return end


def _begins_group(before: str, character: str) -> bool:
    """True when NFKC of both together is NFKC of each: no mark, no letter that melts with the last ones."""
    if character.isascii():
        return True
    decomposed = normalize("NFKD", character)
    if combining(decomposed[0]):
        return False
    return normalize("NFKC", before + character) == normalize("NFKC", before) + normalize("NFKC", character)
