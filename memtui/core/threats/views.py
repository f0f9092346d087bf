"""The forms in which a text is read: clean, folded, joined, look-alike, despaced, leet, each mapped back to it.

A view is only made when the text can differ in it, so that a plain ASCII note is read twice and nothing more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice
from typing import Final, NamedTuple

from memtui.core.model import ENTRY_DELIMITER
from memtui.core.threats.folding import (
    cyrillic_twins,
    fold,
    fold_table,
    ignorable,
    is_narrow,
    look_alike_chars,
    look_alike_table,
    table_lengths,
)

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
    r"(?im)^[ \t]{0,20}(?:[-*+•>#§]{1,6}|\(?\d{1,3}[.):]|[a-z]\d?[.):]|(?:first|second|third|last|next) \w{4,5}:"
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
_SPACED: Final = re.compile(r"(?<![^\W_])[^\W\d_](?:[\s.·•*_|/,\-]{1,3}[^\W\d_](?![^\W_])){5,}")
_SPACED_GAP: Final = re.compile(r"[\s.·•*_|/,\-]")
# Letters one by one, the words parted by two blanks or more.
_SPACED_WORDS: Final = re.compile(r"(?<![^\W_])[^\W\d_](?:[ \t]{1,8}[^\W\d_](?![^\W_])){5,}")
_WIDE_GAP: Final = re.compile(r"[ \t]{2,8}")
_WORD: Final = re.compile(r"\S+")
_LINE: Final = re.compile(r"[^\n]+")
# Lines so short that no clause fills them: what they cut up is one sentence, and often one word.
_SHORT_LINES: Final = re.compile(
    r"(?m)^(?:[\u0370-\u1fff][^\n.;:!?]{0,15}\n){3,}.{1,80}"
    r"|^(?:[\u2e80-\U000e0000][^\n.;:!?。；：！？]{0,6}\n){3,}.{1,80}"
)
_CYRILLIC_MIX: Final = re.compile(r"[\u0400-\u04ff][A-Za-z]|[A-Za-z][\u0400-\u04ff]")
_CYRILLIC_WORD: Final = re.compile(r"[A-Za-z]*[\u0400-\u04ff][A-Za-z\u0400-\u04ff]*")
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_LEET_L: Final = str.maketrans("013457@$!|", "oleastasil")


WHOLE_CHARS: Final = 4_096
"""Of a text whose disguises are undone all over; of a longer one only near what is disguised."""
BESIDE_CHARS: Final = 512
"""Read on each side of a disguised word: more than any rule reaches."""
BESIDE_ORDER_CHARS: Final = 2_048
"""Read on each side of an order to read backwards."""


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


def joined_view(clean: View) -> View | None:
    """Continued lines as one, broken words whole, list labels and long rows of one sign out; None when that changes
    nothing."""
    text, to_raw, changed = clean.text, clean.to_raw, False
    steps = _LINE_STEPS if "\n" in text else ()
    if len(text) > MIN_PADDED_CHARS:
        steps = ((_ROW, " "), *steps)
    if ENTRY_DELIMITER in text:
        text, to_raw = cut(text, _ENTRY_LINE, "", to_raw) or (text, to_raw)
        changed = True
    for pattern, filler in steps:
        parted = cut(text, pattern, filler, to_raw)
        if parted:
            (text, to_raw), changed = parted, True
    return View("joined", text, to_raw, is_folded=False) if changed else None


WORD_DISGUISES: Final = ("look-alike", "leet")
"""Views that are worth reading only when undoing the disguise gives a word that some rule looks for."""

DISGUISE_SIGNALS: Final = {
    "spaced": r"(?:^|[^\pL\pN])\pL(?:[\s.·•*_|/,-]{1,3}\pL){5}(?:$|[^\pL\pN])",
    "backwards": r"\bbackwards?\b|\bbottom[ -](?:up|to)\b|\breversed? order\b|\border reversed\b|\bin reverse\b"
    r"|\bfrom the (?:end|bottom)\b|\blast (?:word|line)s? first\b|\bright to left\b"
    r"|\bruckwarts\b|\bl'envers\b|\bal reves\b"
    r"|наоборот|задом|снизу|倒着|反过来|逆順|逆に|後ろから|下から|거꾸로|뒤에서|उल्टा|بالعكس|المقلوب",
    "long_word": r"[a-z]{20}",
    "leet": r"(?:[a-z]|^|[^a-z0-9])[0134578@$!|]{1,3}[a-z]|[a-z][0134578@$!|]{1,3}(?:$|[^a-z0-9])",
}
"""RE2 patterns over folded text that say whether a disguise view is worth making."""


def look_alike_views(clean: View) -> Iterator[View]:
    """The text with letters of other scripts taken for the ASCII ones they look like, and the other way round."""
    text = clean.text
    if is_narrow(text) or look_alike_chars().isdisjoint(text):
        return
    table = look_alike_table()
    to_raw = through_lengths(lambda: table_lengths(text, table), clean.to_raw)
    yield View("look-alike", text.translate(table), to_raw, True, is_disguise=True)
    if _CYRILLIC_MIX.search(text):
        for part in excerpts(clean, _spans(_CYRILLIC_MIX, text)):
            turned = _CYRILLIC_WORD.sub(lambda found: found[0].translate(cyrillic_twins()), part.text)
            yield folded_view(View("Cyrillic twins", turned, part.to_raw, False, is_disguise=True))


def disguise_views(folded: View, signals: Collection[str]) -> Iterator[View]:
    """The forms that undo spaced letters and digits for letters."""
    text = folded.text
    if "spaced" in signals:
        yield from _despaced(folded)
    if "\n" in text and not is_narrow(text):
        yield from _closed(folded, _SHORT_LINES, lambda found: found[0].replace("\n", ""))
    if "backwards" in signals:
        for part in excerpts(folded, _spans(_backwards(), text), BESIDE_ORDER_CHARS):
            yield from _turned(part)
    if "leet" in signals:
        yield View("leet", text.translate(_LEET), folded.to_raw, True, is_disguise=True)
        if "1" in text or "|" in text:
            yield View("leet", text.translate(_LEET_L), folded.to_raw, True, is_disguise=True)


def excerpts(view: View, places: Iterable[Span], beside_chars: int = BESIDE_CHARS) -> Iterator[View]:
    """What of a long view stands at the places, which come in order, or beside them; a short one, and one that is full
    of them, is left whole."""
    enough = len(view.text) // (2 * beside_chars)
    few = list(islice(places, enough)) if len(view.text) > WHOLE_CHARS else []
    if len(few) == enough or len(view.text) <= WHOLE_CHARS:
        yield view
        return
    runs: list[list[int]] = []
    for start, end in few:
        low, high = max(0, start - beside_chars), min(len(view.text), end + beside_chars)
        if runs and low <= runs[-1][1]:
            runs[-1][1] = max(runs[-1][1], high)
        else:
            runs.append([low, high])
    for low, high in runs:
        yield view._replace(text=view.text[low:high], to_raw=_moved(view.to_raw, low))


def _turned(folded: View) -> Iterator[View]:
    """The words, and the lines, from the last to the first."""
    for pattern in (_WORD, _LINE) if "\n" in folded.text else (_WORD,):
        spans = list(_spans(pattern, folded.text))
        if spans:
            turned = " ".join(folded.text[start:end] for start, end in reversed(spans))
            yield View("backwards", turned, _turned_back(spans, folded.to_raw), True, is_disguise=True)


def _turned_back(spans: Sequence[Span], outer: ToRaw) -> ToRaw:
    """The map of a view that has the pieces from the last to the first, with a blank between two."""
    ends: list[int] = []

    def to_raw(low: int, high: int) -> Span:
        if not ends:
            ends.extend(accumulate(end - start + 1 for start, end in reversed(spans)))
        last = len(spans) - 1 - bisect_right(ends, low)
        first = len(spans) - 1 - min(bisect_right(ends, high - 1), len(spans) - 1)
        return outer(spans[first][0], spans[last][1])

    return to_raw


def _despaced(folded: View) -> Iterator[View]:
    for found in _SPACED.finditer(folded.text):
        to_raw = _moved(folded.to_raw, found.start())
        parted = cut(found[0], _SPACED_GAP, "", to_raw)
        if parted:
            yield View("despaced", parted[0], parted[1], True, is_disguise=True)
    yield from _closed(folded, _SPACED, lambda found: _SPACED_GAP.sub("", found[0]))
    if _WIDE_GAP.search(folded.text):
        yield from _closed(folded, _SPACED_WORDS, lambda found: _closed_words(found[0]))


def _closed_words(run: str) -> str:
    """The run with its letters closed up and one blank where words are set wider apart."""
    return " ".join(_SPACED_GAP.sub("", word) for word in _WIDE_GAP.split(run))


def _closed(folded: View, run: re.Pattern[str], close: Callable[[re.Match[str]], str]) -> Iterator[View]:
    """The text with the runs closed up in their places, so that what stands round them is read with them."""
    for part in excerpts(folded, _spans(run, folded.text)):
        parted = cut(part.text, run, close, part.to_raw)
        if parted:
            yield View("closed up", parted[0], parted[1], True, is_disguise=True)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (found.span() for found in pattern.finditer(text))


@cache
def _backwards() -> re.Pattern[str]:
    return re.compile(DISGUISE_SIGNALS["backwards"])


def _moved(outer: ToRaw, start: int) -> ToRaw:
    return lambda low, high: outer(low + start, high + start)
