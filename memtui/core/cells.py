"""How many terminal cells a text takes, cluster by cluster.

It knows what terminals of today draw (East Asian width, emoji sequences, combining marks). It expects text
that `visible` has made safe and refuses to guess about control characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

PICTOGRAPHS: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d"
    "\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665"
    "\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1"
    "\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd"
    "\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e"
    "\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50"
    "\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f201-\U0001f265\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f7e0-\U0001f7f0\U0001f900-\U0001faff"
)
"""Inside of a character class: the characters that start an emoji (Unicode's emoji-data, property Emoji)."""

_TONE = "[\U0001f3fb-\U0001f3ff]"

EMOJI_PATTERN: Final = (
    rf"[{PICTOGRAPHS}][\ufe0e\ufe0f]?{_TONE}?(?:\u200d[{PICTOGRAPHS}]\ufe0f?{_TONE}?){{0,4}}|[0-9#*]\ufe0f?\u20e3"
)
"""One emoji. The longest that Unicode lists joins four pictographs; an endless chain is no emoji."""

JAMO: Final = "\u1161-\u11ff\ud7b0-\ud7ff"
"""Inside of a character class: Hangul vowels and finals, drawn into the cell of the consonant before them."""

# Unicode 16 made these wide; terminals' tables have followed, older Pythons have not.
_NEWLY_WIDE = (
    (0x2630, 0x2637), (0x268A, 0x268F), (0x4DC0, 0x4DFF), (0x1D300, 0x1D356), (0x1D360, 0x1D376),
)
# Where a code point that this Python's Unicode does not know yet is most likely wide: emoji and ideographs.
_UNKNOWN_WIDE = ((0x1F300, 0x1FAFF), (0x20000, 0x3FFFD))

_UNIT = re.compile(rf"{EMOJI_PATTERN}|[\U0001f1e6-\U0001f1ff]{{2}}|.", re.DOTALL)


class Cluster(NamedTuple):
    """What a terminal draws as one thing."""

    text: str
    width_cells: int


def stacks(character: str) -> bool:
    """True for a character that takes no cell of its own but is drawn onto the one before it."""
    return unicodedata.category(character) in ("Mn", "Me", "Mc") or "\u1161" <= character <= "\u11ff" or (
        "\ud7b0" <= character <= "\ud7ff"
    )


@lru_cache(maxsize=8192)
def _unit_cells(unit: str) -> int:
    if len(unit) > 1:
        is_wide = unit[1] in "\ufe0f\u20e3" or "\U0001f1e6" <= unit[0] <= "\U0001f1ff"
        return 2 if is_wide else _unit_cells(unit[0])
    code = ord(unit)
    category = unicodedata.category(unit)
    if stacks(unit) or category == "Cf":
        return 0
    if category == "Cn":
        return 2 if _within(code, _UNKNOWN_WIDE) else 1
    return 2 if unicodedata.east_asian_width(unit) in "WF" or _within(code, _NEWLY_WIDE) else 1


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def clusters(text: str) -> Iterator[Cluster]:
    """What a terminal draws as one thing, in order; joined together they are the text."""
    held, held_cells = "", 0
    for match in _UNIT.finditer(text):
        unit = match.group()
        cells = _unit_cells(unit)
        if cells and held:
            yield Cluster(held, held_cells)
            held, held_cells = "", 0
        held += unit
        held_cells += cells
    if held:
        yield Cluster(held, held_cells)


def cell_width(text: str) -> int:
    """Cells that a display-safe text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_unit_cells(found[0]) for found in _UNIT.finditer(text))
