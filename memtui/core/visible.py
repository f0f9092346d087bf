"""The one door through which text that others wrote reaches a terminal.

Control characters, escapes, bidi controls, invisible characters, lone surrogates and piles of combining
marks become visible marks, so that looking at a poisoned entry can neither drive the terminal nor hide a
part of the text. It never changes stored text and makes no markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memtui.core.cells import EMOJI_PATTERN, JAMO, PICTOGRAPHS, cell_width, clusters, stacks

__all__ = ["MAX_STACKED", "UNSAFE", "Segment", "cell_width", "clip", "preview", "visible_spans", "visible_text"]

MAX_STACKED: Final = 8
"""Combining marks that one cell may carry: no script writes more, a taller pile paints over other lines."""

# Everything a terminal obeys or does not draw: controls, format characters (bidi controls and tags among
# them), line separators, fillers, variation selectors, surrogates, private use, noncharacters.
_UNSAFE = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff"
    r"\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
) + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(1, 14))

_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_NUKTAS = "\u093c\u09bc\u0a3c\u0abc\u0b3c"
_INDIC = "\u0900-\u0dff"
_ARABIC = "\u0620-\u064a\u066e-\u06d3\u06d5\u06ee-\u06ff\u0750-\u077f\u08a0-\u08c7"

# Joiners that are spelling: in an emoji, in Indic scripts, between two Arabic letters (Persian). A kept
# joiner has a character beside it that takes a cell, so that none can be chained into an unseen run.
_KEPT = (
    rf"{EMOJI_PATTERN}|(?<=[{_INDIC}])[\u200c\u200d](?=[{_INDIC}])(?=\w)"
    rf"|(?<=[\w{_NUKTAS}][{_VIRAMAS}])[\u200c\u200d]|(?<=\w)\u200d(?=[{_VIRAMAS}])"
    rf"|(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])"
)
# `re` knows no categories; this is every combining mark and a little more, told apart by `stacks`.
_STACKABLE = rf"(?:[^\w\s\x00-\u02ff{_UNSAFE}{PICTOGRAPHS}]|[{JAMO}])"

UNSAFE: Final = re.compile(rf"[{_UNSAFE}]")
"""A character that a terminal obeys or does not draw, whatever stands beside it."""

_SUSPECT = re.compile(rf"[{_UNSAFE}]|{_STACKABLE}{{{MAX_STACKED + 1},}}|^{_STACKABLE}", re.MULTILINE)
_TOKEN = re.compile(
    rf"(?P<orphan>^{_STACKABLE}+)|{_KEPT}|(?P<unsafe>[{_UNSAFE}])(?P=unsafe)*"
    rf"|(?P<pile>{_STACKABLE}{{{MAX_STACKED + 1},}})",
    re.MULTILINE,
)

# The densest text that stays as it is, an emoji of 5 joined pictographs under 8 marks, has 27 in 2 cells.
_CHARS_PER_CELL = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of display-safe text and the stretch of raw text that it stands for."""

    text: str
    start: int
    end: int
    """Code points of the raw text, end exclusive."""
    is_mark: bool
    """True when `text` was put in the place of something that must not reach a terminal."""


def visible_spans(text: str, *, keep_newlines: bool = False) -> list[Segment]:
    """Cut a raw text into display-safe segments with their raw offsets, in order and without gaps."""
    segments: list[Segment] = []
    begin = 0
    for mark in _marks(text, keep_newlines):
        if begin < mark.start:
            segments.append(Segment(text[begin : mark.start], begin, mark.start, False))
        segments.append(mark)
        begin = mark.end
    if begin < len(text):
        segments.append(Segment(text[begin:], begin, len(text), False))
    return segments


def visible_text(text: str, *, keep_newlines: bool = False) -> str:
    """The text as a terminal may get it, with marks such as ␛, ⟦U+202E⟧ or ␉ for what acts or is unseen.

    Newlines become ⏎ unless they are kept. Applied twice it changes nothing more.
    """
    if _is_plain(text.replace("\n", "") if keep_newlines else text):
        return text
    return "".join(segment.text for segment in visible_spans(text, keep_newlines=keep_newlines))


def clip(text: str, width_cells: int) -> str:
    """Raw text made display-safe and cut to a width, with … where something is missing.

    Looks at O(width) characters, however long the text is; what is drawn as one thing is never cut.
    """
    head = text[: _head_chars(width_cells)]
    return _cut(visible_text(head), width_cells, has_more=len(head) < len(text))


def preview(text: str, width_cells: int) -> str:
    """Raw text on one display-safe line: line breaks (empty ones folded) as ⏎, cut like `clip`.

    Looks at O(width) characters.
    """
    head = text[: _head_chars(width_cells)]
    lines = (line.strip(" \t") for line in head.replace("\r\n", "\n").split("\n"))
    shown = visible_text(" ⏎ ".join(line for line in lines if line))
    return _cut(shown, width_cells, has_more=len(head) < len(text))


def _is_plain(line: str) -> bool:
    # 10 MB of plain text pass here in a few ms; the pattern needs 600.
    return (line.isascii() and line.isprintable()) or not _SUSPECT.search(line)


def _head_chars(width_cells: int) -> int:
    return max(width_cells, 0) * _CHARS_PER_CELL + 64


def _cut(shown: str, width_cells: int, *, has_more: bool) -> str:
    if width_cells <= 0:
        return ""
    if not has_more and cell_width(shown) <= width_cells:
        return shown
    kept: list[str] = []
    room = width_cells - 1
    for cluster in clusters(shown):
        room -= cluster.width_cells
        if room < 0:
            break
        kept.append(cluster.text)
    return "".join(kept) + "…"


def _marks(text: str, keep_newlines: bool) -> Iterator[Segment]:
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        match token.lastgroup:
            case "unsafe" if not (keep_newlines and token["unsafe"] == "\n"):
                yield Segment(_mark(token["unsafe"], end - start), start, end, True)
            case "orphan" if stacks(text[start]):
                # Without a base of its own it would be painted onto whatever stands before the text.
                yield Segment("◌" + text[start], start, start + 1, True)
                yield from _pile_marks(text, start, end)
            case "orphan" | "pile":
                yield from _pile_marks(text, start, end)
            case _:
                pass


def _mark(character: str, count: int) -> str:
    code = ord(character)
    if character == "\n":
        return "⏎" * count
    if character == "\t":
        return "␉ " * count
    if code < 0x20:
        return chr(0x2400 + code) * count
    if code == 0x7F:
        return "␡" * count
    # A long run of one invisible character is told by its length: 10,000 marks would drown the text.
    return f"⟦U+{code:04X}⟧" * count if count < 4 else f"⟦U+{code:04X}×{count}⟧"


def _pile_marks(text: str, start: int, end: int) -> Iterator[Segment]:
    height = 0
    for index in range(start, end + 1):
        if index < end and stacks(text[index]):
            height += 1
            continue
        if height > MAX_STACKED:
            cut = index - height + MAX_STACKED
            yield Segment(f"⟦+{index - cut} combining⟧", cut, index, True)
        height = 0
