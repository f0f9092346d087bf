"""The forms in which a text is read, each mapped back to it, and those that only tidy it: clean, folded, joined.

A view is only made when the text can differ in it, so that a plain ASCII note is read twice and nothing more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from memtui.core.model import ENTRY_DELIMITER
from memtui.core.threats.folding import (
    fold,
    fold_table,
    ignorable,
    is_narrow,
    table_lengths,
)
from memtui.core.threats.spelling import WORD, corrected, has_slips

Span = tuple[int, int]
ToRaw = Callable[[int, int], Span]

# A shell line goes on after a backslash, a word after a hyphen at the line's end, a sentence in lower case.
# Blanks before the line's end are left alone: to look for them costs a search from every blank of a long run.
_CONTINUED: Final = re.compile(r"\\\r?\n[ \t]{0,80}|\n(?<=[|].)[ \t]{0,80}", re.DOTALL)
# Where no blank parts them, a shell reads the two halves as one word: wg\ and et are wget.
_CUT_IN_TWO: Final = re.compile(r"(?<=\S)\\\r?\n(?=\S)")
_BROKEN_WORD: Final = re.compile(r"[-\u2010](?<=[^\W\d_].)\r?\n[ \t]{0,80}(?=[^\W\d_])")
_ENTRY_LINE: Final = re.compile(r"\n§(?=\n)")
_LABEL: Final = re.compile(
    r"(?im)^[ \t]{0,20}(?:[-*+•>#§]{1,6}|\(?\d{1,3}[.):]|\(?\d{1,2}/\d{1,2}[.):]?|"
    r"[a-z]\d?[.):]|(?:first|second|third|last|next) \w{4,5}:"
    r"|(?:note|line|part|step|item|word|entry|piece|page|memo|teil|parte|partie|шаг|часть|nota|notiz|notitie|remarque"
    r"|punkt|zeile|schritt|paso|punto|ligne|point|linea|linha|riga|passo|etape|eintrag|пункт|строка|заметка|запись)"
    r"[ _]?\(?\w{1,5}(?:/\d{1,2})?\)?(?: ?[:：]|[.)]))"
    r"(?=\s)[ \t]{0,20}"
)
# A line goes on in small letters or with a path, and after such a word with anything.
_SOFT_WRAP: Final = re.compile(
    r"[\r\n](?:(?<=[a-z0-9, ].)(?:(?<=\r)\n|(?<=\n))[ \t]{0,20}(?=[a-z|&]|[.~/$]{1,3}[a-zA-Z])"
    r"|(?:(?<= the\n)|(?<=your\n)|(?<= all\n)|(?<= my\n)|(?<= of\n)|(?<=\bto\n))[ \t]{0,20}(?=[A-Z]))",
    re.DOTALL,
)
MIN_PADDED_CHARS: Final = 48
# The same signs again and again between two words: they push the second out of sight, and out of any rule's reach.
_ROW: Final = re.compile(r"([^\w\s]{1,3}?)\1{14,}+|_{30,}+| {30,}+")
_LINE_STEPS: Final = ((_LABEL, ""), (_CUT_IN_TWO, ""), (_CONTINUED, " "), (_BROKEN_WORD, ""), (_SOFT_WRAP, " "))
# Marks that make words bold or a link, and a note's number: what they enclose is read as if they were not there.
_MARKED: Final = re.compile(
    r"(?<![\w/\\*_~=`-])(?P<mark>[*_~=`]{1,3})(?P<bold>[^\W\d_](?:[^*_~=`\n]*[^\W_])?)(?P=mark)(?![\w/*_~=`-])"
    r"|\[(?P<linked>[^\[\]\n]{1,80})\]\([^()\s]{1,200}\)|(?<!\S)\((?P<aside>[^\W\d_]{2,20})\)(?=[\s.,;:]|$)"
    r"|\[\^?\d{1,3}\]|</?(?:[abiuspq]|em|strong|mark|span|small|big|sub|sup|font|code|del|ins|kbd|tt)\b[^<>\n]{0,80}>"
)
_MARK_SIGNS: Final = frozenset({b"*", b"_", b"~", b"=", b"`", b"<", b"[", b"("})


def _unmarked(found: re.Match[str]) -> str:
    return found["bold"] or found["linked"] or found["aside"] or ""


class View(NamedTuple):
    """One form of a text."""

    name: str
    text: str
    to_raw: ToRaw
    is_folded: bool
    """True when the text is in folded form (words are looked for), False when its case is kept (shapes are)."""
    is_disguise: bool = False
    """True when the raw text has to be undone to read this; dampers do not apply to what is found here."""
    decoded: bool = False
    """True when the text was encoded in the raw one."""


def shifted(start: int) -> ToRaw:
    """The map of a plain slice that begins at `start`."""
    return lambda low, high: (low + start, high + start)


def onto(outer: ToRaw, run: Span) -> ToRaw:
    """The map of a view that stands for one run as a whole."""
    return lambda _low, _high: outer(*run)


def spans_of(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Where a pattern matches."""
    return (found.span() for found in pattern.finditer(text))


def through_lengths(lengths: Callable[[], Sequence[int]], outer: ToRaw) -> ToRaw:
    """The map of a view in which each source character became `lengths` characters; worked out on the first hit."""
    ends: list[int] = []

    def to_raw(low: int, high: int) -> Span:
        if not ends:
            ends.extend(accumulate(lengths()))
        first = bisect_right(ends, low)
        last = max(first, bisect_right(ends, high - 1)) if high > low else first
        return outer(first, last + 1 if high > low else first)

    return to_raw


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a view: where it begins here, and the source run that it shows."""

    start: int
    source: int
    source_end: int
    is_put: bool
    """True when the run was put in place of the source run, False when it is a copy of it."""


def through_pieces(pieces: Sequence[Piece], outer: ToRaw) -> ToRaw:
    """The map of a view that is made of pieces."""
    starts = [piece.start for piece in pieces]

    def to_raw(low: int, high: int) -> Span:
        first = pieces[bisect_right(starts, low) - 1]
        last = pieces[bisect_right(starts, max(low, high - 1)) - 1]
        start = first.source if first.is_put else first.source + low - first.start
        end = last.source_end if last.is_put else last.source + high - last.start
        return outer(start, end)

    return to_raw


def cut(
    text: str, pattern: re.Pattern[str], filler: str | Callable[[re.Match[str]], str], outer: ToRaw
) -> tuple[str, ToRaw] | None:
    """`text` with every match of `pattern` replaced, and the map of the result; None when nothing changes.

    The map is worked out on the first hit: most texts have none, and a long one has half a million pieces.
    """
    changed = pattern.sub(filler, text)
    if changed == text:
        return None
    known: list[ToRaw] = []

    def to_raw(low: int, high: int) -> Span:
        if not known:
            known.append(through_pieces(_pieces(text, pattern, filler), outer))
        return known[0](low, high)

    return changed, to_raw


def _pieces(text: str, pattern: re.Pattern[str], filler: str | Callable[[re.Match[str]], str]) -> list[Piece]:
    pieces: list[Piece] = []
    length = last = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        pieces.append(Piece(length, last, start, is_put=False))
        length += start - last
        put = len(filler if isinstance(filler, str) else filler(found))
        if put:
            pieces.append(Piece(length, start, end, is_put=True))
            length += put
        last = end
    pieces.append(Piece(length, last, len(text), is_put=False))
    return pieces


def clean_view(raw: str, outer: ToRaw) -> View:
    """The text with the case it has and without invisible characters."""
    if not is_narrow(raw):
        parted = cut(raw, ignorable(), "", outer)
        if parted:
            return View("clean", parted[0], parted[1], is_folded=False)
    return View("raw", raw, outer, is_folded=False)


def folded_view(clean: View) -> View:
    """The folded form of a view that keeps its case."""
    source = clean.text
    name = clean.name if clean.name not in ("raw", "clean") else "folded"
    if is_narrow(source):
        return View(name, source.lower(), clean.to_raw, True, clean.is_disguise, clean.decoded)
    to_raw = through_lengths(lambda: table_lengths(source, fold_table()), clean.to_raw)
    return View(name, fold(source), to_raw, True, clean.is_disguise, clean.decoded)


def joined_view(clean: View, words: Collection[bytes]) -> View | None:
    """Continued lines as one, broken words whole, list labels, rows of one sign and marks of emphasis out, slips of the
    pen put right; None when that changes nothing. `words` are the text's words and signs."""
    text, to_raw, changed = clean.text, clean.to_raw, False
    if ENTRY_DELIMITER in text:
        text, to_raw = cut(text, _ENTRY_LINE, "", to_raw) or (text, to_raw)
        changed = True
    for pattern, filler in _steps(text, words):
        parted = cut(text, pattern, filler, to_raw)
        if parted:
            (text, to_raw), changed = parted, True
    return View("joined", text, to_raw, is_folded=False) if changed else None


def _steps(
    text: str, words: Collection[bytes]
) -> Iterator[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]:
    """What may change something in the text."""
    if len(text) > MIN_PADDED_CHARS:
        yield _ROW, " "
    if "\n" in text:
        yield from _LINE_STEPS
    if not _MARK_SIGNS.isdisjoint(words):
        yield _MARKED, _unmarked
    if has_slips(words):
        yield WORD, corrected
