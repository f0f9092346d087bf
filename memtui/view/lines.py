"""What the drawing layer gets: lines made of spans, each a display-safe text with a tone.

A tone says what a text means; only the style sheet says how that looks. Text that others wrote enters a span
through `memtui.core.visible` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memtui.core.cells import clusters
from memtui.core.visible import cell_width, clip, visible_text


class Tone(StrEnum):
    """What a text means."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    GOOD = "good"
    NOTE = "note"
    WARN = "warn"
    BAD = "bad"
    MARK = "mark"
    """Stands in the place of a character that must not reach a terminal."""
    FLAG = "flag"
    """The stretch of a text that a finding is about."""
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Span:
    """A display-safe text and its tone."""

    text: str
    tone: Tone = Tone.PLAIN


Line = tuple[Span, ...]

_WORDS: Final = re.compile(r"\n| +|[^ \n]+")


def line_width(line: Iterable[Span]) -> int:
    """Cells that a line takes."""
    return sum(cell_width(span.text) for span in line)


def one_paragraph(text: str) -> str:
    """A message of several lines, a refusal that lists entries say, display-safe and without marks for its breaks."""
    return visible_text(" ".join(line.strip() for line in text.split("\n") if line.strip()))


def fit(line: Iterable[Span], width_cells: int) -> Line:
    """The line cut to a width, with … where something is missing."""
    kept: list[Span] = []
    room = width_cells
    for span in line:
        width = cell_width(span.text)
        if width > room:
            cut = clip(span.text, room) if room > 0 else ""
            return (*kept, Span(cut, span.tone)) if cut else tuple(kept)
        kept.append(span)
        room -= width
    return tuple(kept)


def tail(text: str, width_cells: int) -> str:
    """The end of a display-safe text, with … where its start is missing."""
    if cell_width(text) <= width_cells:
        return text
    kept, room = "", width_cells - 1
    for cluster in reversed(list(clusters(text))):
        room -= cluster.width_cells
        if room < 0:
            break
        kept = cluster.text + kept
    return f"…{kept}" if width_cells > 0 else ""


def spread(left: Line, right: Line, width_cells: int) -> Line:
    """Left and right parts on one line; the left part gives way when both do not fit."""
    right = fit(right, width_cells)
    room = width_cells - line_width(right)
    left = fit(left, max(room - 1, 0))
    gap = width_cells - line_width(left) - line_width(right)
    return (*left, Span(" " * gap), *right)


def wrap(spans: Iterable[Span], width_cells: int, hanging_cells: int = 0) -> list[Line]:
    """Cut spans into lines at blanks and at "\\n"; a word wider than a line is cut between clusters.

    What goes on below begins after so many blanks, unless they would take half of the line or more.
    """
    full = max(width_cells, 1)
    hanging = hanging_cells if 2 * hanging_cells < full else 0
    lines: list[Line] = []
    line: list[Span] = []
    room = full
    for word in _words(spans, full - hanging):
        width = cell_width(word.text)
        if word.text == "\n" or width > room:
            lines.append(tuple(line))
            indent = 0 if word.text == "\n" else hanging
            line, room = [Span(" " * indent)] if indent else [], full - indent
            if word.text == "\n" or word.text.isspace():
                continue
        line.append(word)
        room -= width
    lines.append(tuple(line))
    return [joined_up(line) for line in lines]


def at_most(lines: Sequence[Line], count: int, width_cells: int) -> list[Line]:
    """The first lines of a wrapped text, with … where more was cut off."""
    if len(lines) <= count:
        return list(lines)
    last: Line = (*lines[count - 1], Span(" …"))
    return [*lines[: count - 1], last if line_width(last) <= width_cells else fit(last[:-1], width_cells - 2)]


def joined_up(line: Iterable[Span]) -> Line:
    """The same line with neighbours of one tone joined."""
    merged: list[Span] = []
    for span in line:
        if merged and merged[-1].tone is span.tone:
            merged[-1] = Span(merged[-1].text + span.text, span.tone)
        else:
            merged.append(span)
    return tuple(merged)


def _words(spans: Iterable[Span], width_cells: int) -> Iterator[Span]:
    for span in spans:
        for word in _WORDS.findall(span.text):
            if word != "\n" and cell_width(word) > width_cells:
                yield from (Span(part, span.tone) for part in _parts(word, width_cells))
            else:
                yield Span(word, span.tone)


def _parts(word: str, width_cells: int) -> Iterator[str]:
    kept, room = "", width_cells
    for cluster in clusters(word):
        if kept and cluster.width_cells > room:
            yield kept
            kept, room = "", width_cells
        kept += cluster.text
        room -= cluster.width_cells
    if kept:
        yield kept
