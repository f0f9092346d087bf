"""Cuts a text that holds several notes into the notes: candidates for entries, never a decision.

Every line that is not blank ends up in exactly one part; only `§` marks and blank space between parts go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from memtui.core.codec import SIGN

_SIGN_BULLET = re.compile(r"§[ \t]+(?=\S)")
_GLUED_SIGN = re.compile(r"(?<=\S)§[ \t]*$")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|#{1,6}$")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})[ \t]*$")
_LIST_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+\S|$)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")

SIGN_REASONS: Final = {
    "bullet": "§ opens a line of text instead of standing alone",
    "glued": "§ is glued to the end of a line",
    "blanks": "§ has blanks on its line",
}


def split_parts(text: str) -> tuple[str, ...]:
    """The notes of a text: cut at `§` in any form if that gives several, else as `split_blocks` cuts.

    Cutting a part again goes one step further. A blank text has no parts.
    """
    parts = split_at_signs(text)
    return parts if len(parts) > 1 else split_blocks(parts[0]) if parts else ()


def split_at_signs(text: str) -> tuple[str, ...]:
    """Cut where a `§` stands alone on a line (blanks or not), opens a line, or is glued to its end."""
    notes: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip() == SIGN:
            notes.append([])
            continue
        if bullet := _SIGN_BULLET.match(line):
            notes.append([])
            line = line[bullet.end() :]
        glued = _GLUED_SIGN.search(line)
        notes[-1].append(line[: glued.start()] if glued else line)
        if glued:
            notes.append([])
    return tuple(note for lines in notes if (note := "\n".join(lines).strip()))


def sign_form(text: str) -> str:
    """In which wrong form the first misplaced `§` of a text stands: a key of SIGN_REASONS, "" for none."""
    for line in text.split("\n"):
        if line.strip() == SIGN:
            return "blanks"
        if _SIGN_BULLET.match(line):
            return "bullet"
        if _GLUED_SIGN.search(line):
            return "glued"
    return ""


def split_blocks(text: str) -> tuple[str, ...]:
    """Cut at blank lines, headings and list items; fenced code stays whole.

    A heading, and a line that ends in a colon, stays with what follows it. Where nothing else cuts, the lines
    under a heading are the notes.
    """
    lines = text.split("\n")
    parts = _cut(lines, _block_starts(lines))
    if len(parts) == 1 and has_headings(text):
        filled = (at for at in _unfenced(lines) if lines[at].strip())
        body = [at for at in filled if not _is_heading(lines, at) and not _UNDERLINE.match(lines[at])]
        return _cut(lines, [0, *body[1:]])
    return parts


def _cut(lines: Sequence[str], starts: Sequence[int]) -> tuple[str, ...]:
    slices = ("\n".join(lines[start:end]).strip() for start, end in pairwise([*starts, len(lines)]))
    return tuple(part for part in slices if part)


def has_headings(text: str) -> bool:
    """True when a line outside of fenced code is a Markdown heading."""
    lines = text.split("\n")
    return any(_is_heading(lines, at) for at in _unfenced(lines))


def block_count(text: str) -> int:
    """How many blocks the blank lines outside of fenced code make."""
    lines = text.split("\n")
    blank = {at for at in _unfenced(lines) if not lines[at].strip()}
    filled = [at not in blank for at in range(len(lines))]
    return sum(now and not before for before, now in pairwise([False, *filled]))


def _block_starts(lines: Sequence[str]) -> list[int]:
    """Line numbers at which a part begins, the first line's included."""
    starts = [0]
    after_blank = opens_next = False
    list_indent = -1
    for at in _unfenced(lines):
        line = lines[at]
        if not line.strip():
            after_blank = True
            continue
        is_heading, indent = _is_heading(lines, at), _item_indent(line)
        is_nested = indent > list_indent + 1 >= 1
        is_item = indent >= 0 and not is_nested
        begins = is_heading or is_item or (after_blank and line[0] not in " \t")
        if begins and not opens_next:
            starts.append(at)
        if begins:
            list_indent = indent
        # The underline of a heading hands on that the heading's block is still to come.
        is_underline = opens_next and _UNDERLINE.match(line) is not None
        opens_next = is_heading or is_underline or _introduces(lines, at)
        after_blank = False
    return sorted(set(starts))


def _item_indent(line: str) -> int:
    item = _LIST_ITEM.match(line)
    return len(item[1]) if item else -1


def _introduces(lines: Sequence[str], at: int) -> bool:
    return lines[at].rstrip().endswith(":") and at + 1 < len(lines) and bool(_LIST_ITEM.match(lines[at + 1]))


def _is_heading(lines: Sequence[str], at: int) -> bool:
    if _HEADING.match(lines[at]):
        return True
    followed = at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])
    return bool(followed) and bool(lines[at].strip()) and not _LIST_ITEM.match(lines[at])


def _unfenced(lines: Sequence[str]) -> Iterator[int]:
    """Numbers of the lines that are not inside of fenced code; the opening fence counts as outside."""
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if not fence:
            yield at
            # A fence that nobody closes would take the rest of the text for code.
            if mark and any(other.strip().startswith(mark[1]) for other in lines[at + 1 :]):
                fence = mark[1]
        elif mark and line.strip().startswith(fence):
            fence = ""
