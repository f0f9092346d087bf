"""The forms that undo a disguise: look-alike letters, letters set apart, digits for letters, words the wrong way round.

A form is only made when a signal says that the text may be disguised so, and of a long text only near the place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, islice
from typing import Final

from memtui.core.threats.folding import cyrillic_twins, is_narrow, look_alike_chars, look_alike_table, table_lengths
from memtui.core.threats.picked import NTH_SIGNAL, PICKED_SIGNAL, picked_views
from memtui.core.threats.views import Span, ToRaw, View, cut, folded_view, spans_of, through_lengths

# Letters one by one, whatever stands between: signs, blanks, emoji; the words may be set wider apart.
_SPACED: Final = re.compile(r"(?<![^\W_])[^\W\d_](?:[\W_]{1,3}[^\W\d_](?![^\W_])){5,}")
_SPACED_WORDS: Final = re.compile(r"(?<![^\W_])[^\W\d_](?:[\W_]{1,8}[^\W\d_](?![^\W_])){5,}")
_SPACED_GAP: Final = re.compile(r"[\W_]+")
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

WORD_DISGUISES: Final = ("look-alike", "leet")
"""Views that are worth reading only when undoing the disguise gives a word that some rule looks for."""

DISGUISE_SIGNALS: Final = {
    "spaced": (
        r"(?:^|[^\pL\pN])\pL(?:[\s!-/:-@\[-`{-~\x{a0}-\x{bf}\x{2000}-\x{2bff}\x{3000}-\x{303f}\x{1f000}-\x{1faff}]{1,3}\pL){5}"
        r"(?:$|[^\pL\pN])"
    ),
    "backwards": r"\bbackwards?\b|\bbottom[ -](?:up|to)\b|\breversed? order\b|\border reversed\b|\bin reverse\b"
    r"|\bfrom the (?:end|bottom)\b|\blast (?:word|line)s? first\b|\bright to left\b"
    r"|\bruckwarts\b|\bl'envers\b|\bal reves\b"
    r"|наоборот|задом|снизу|倒着|反过来|逆順|逆に|後ろから|下から|거꾸로|뒤에서|उल्टा|بالعكس|المقلوب",
    "picked": PICKED_SIGNAL,
    "nth": NTH_SIGNAL,
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
        for part in excerpts(clean, spans_of(_CYRILLIC_MIX, text)):
            turned = _CYRILLIC_WORD.sub(lambda found: found[0].translate(cyrillic_twins()), part.text)
            yield folded_view(View("Cyrillic twins", turned, part.to_raw, False, is_disguise=True))


def disguise_views(clean: View, folded: View, signals: Collection[str]) -> Iterator[View]:
    """The forms that undo spaced letters and digits for letters."""
    text = folded.text
    if "spaced" in signals:
        yield from _despaced(folded)
        # Folded, all blanks are one; here they still tell letters from words.
        yield from map(folded_view, _closed(clean, _SPACED_WORDS, lambda found: _closed_words(found[0])))
    if "\n" in text and not is_narrow(text):
        yield from _closed(folded, _SHORT_LINES, lambda found: found[0].replace("\n", ""))
    yield from map(folded_view, picked_views(clean, signals))
    if "backwards" in signals:
        for part in excerpts(folded, spans_of(_backwards(), text), BESIDE_ORDER_CHARS):
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
        spans = list(spans_of(pattern, folded.text))
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


def _closed_words(run: str) -> str:
    """The run with its letters closed up where the commonest gap stands, and one blank where another does."""
    gaps = Counter(_SPACED_GAP.findall(run)).most_common(2)
    return _SPACED_GAP.sub(lambda gap: "" if gap[0] == gaps[0][0] else " ", run) if len(gaps) > 1 else run


def _closed(view: View, run: re.Pattern[str], close: Callable[[re.Match[str]], str]) -> Iterator[View]:
    """The text with the runs closed up in their places, so that what stands round them is read with them."""
    for part in excerpts(view, spans_of(run, view.text)):
        parted = cut(part.text, run, close, part.to_raw)
        if parted:
            yield View("closed up", parted[0], parted[1], view.is_folded, is_disguise=True)


@cache
def _backwards() -> re.Pattern[str]:
    return re.compile(DISGUISE_SIGNALS["backwards"])


def _moved(outer: ToRaw, start: int) -> ToRaw:
    return lambda low, high: outer(low + start, high + start)
