"""Orders whose words are cut by line ends, strokes or signs, read as nothing but their letters.

Looks only at texts that are cut up, and leaves alone what every reader can read as it stands: other views see that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from memtui.core.threats.engine import MAX_HITS, Reading
from memtui.core.threats.page import Hit
from memtui.core.threats.rules import Rule
from memtui.core.threats.searches import Part, Probe
from memtui.core.threats.views import Span, View

_CUTS: Final = (("|", 3), ("_", 3), ("~", 3), ("+", 2), ("\\", 2))
"""Signs that cut words, and how many of them make a text worth reading without: names hold one or two."""
_CUT_SIGNS: Final = frozenset(sign.encode("ascii") for sign, _ in _CUTS)
MAX_WORD_CHARS: Final = 40
MIN_GAPS: Final = 3
"""Signs between whole words that make an order of them; src/ignore/rules has one."""
_JOINED_WORDS: Final = frozenset({"do", "not", "don", "t", "for", "any"})
"""Words that the patterns have only as parts of longer runs of letters: donot, askfor."""
_NO_LETTERS: Final = bytes({*range(128)} - {*range(ord("a"), ord("z") + 1)})
_WORD: Final = re.compile(r"[a-z]+")
_PLAIN_GAP: Final = re.compile(r"[\s,'’-]*")


def is_cut_up(text: str, reading: Reading) -> bool:
    """True when words of the text may be cut, or written without blanks: worth reading as letters alone."""
    if "long_word" in reading.signals or "\n" in text or text.count("/") >= MIN_GAPS or "\u00b7" in text:
        return True
    return not _CUT_SIGNS.isdisjoint(reading.words) and any(text.count(sign) >= enough for sign, enough in _CUTS)


class SqueezedReader:
    """The rules of a catalogue that meet a text's letters alone."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._parts = [(rule, Part(pattern, narrow=True)) for rule in rules for pattern in rule.patterns]
        patterns = [pattern for rule in rules for pattern in rule.patterns]
        self._probe = Probe("|".join(f"(?:{pattern})" for pattern in patterns))
        self._words = frozenset(_WORD.findall(" ".join(patterns))) | _JOINED_WORDS

    def read(self, view: View) -> list[Hit]:
        """The hits in a folded view, in its own offsets."""
        letters = view.text.encode("ascii", "replace").translate(None, _NO_LETTERS)
        return list(self._hits(view.text, letters)) if self._probe.finds(letters) else []

    def _hits(self, text: str, letters: bytes) -> Iterator[Hit]:
        places = [index for index, char in enumerate(text) if "a" <= char <= "z"]
        for rule, part in self._parts:
            for low, high in part.places(letters)[:MAX_HITS]:
                start, end = _whole_words(text, (places[low], places[high - 1] + 1))
                if not self._is_readable(text[start:end]):
                    yield Hit(rule, places[low], places[high - 1] + 1)

    def _is_readable(self, cut: str) -> bool:
        """True when the words stand whole, with blanks between them, or as in a path with a sign or two."""
        words, gaps = _WORD.findall(cut), [gap for gap in _WORD.split(cut) if not _PLAIN_GAP.fullmatch(gap)]
        # A sign among blanks parts more than a stroke in a path.
        cuts = sum(1 if gap.strip() == gap else 2 for gap in gaps)
        return cuts < MIN_GAPS and all(word in self._words or word.removesuffix("s") in self._words for word in words)


def _whole_words(text: str, span: Span) -> Span:
    """The span with the words that it begins and ends in, as far as anybody would read them."""
    start, end = span
    least, most = max(0, start - MAX_WORD_CHARS), min(len(text), end + MAX_WORD_CHARS)
    while start > least and text[start - 1].isalpha():
        start -= 1
    while end < most and text[end].isalpha():
        end += 1
    return start, end
