"""What differs between two states: entries against entries, lines against lines, words against words.

It compares and names; colours, marks and layout are the renderer's.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memtui.core.anchors import anchors
from memtui.core.similar import similar_pairs

Span = tuple[int, int]

# A word, a run of blanks, or one character; scripts without blanks are compared character by character.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+|\s+|.")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Words of longer texts take longer to compare than a person waits for a key; their lines do not.
_MAX_WORD_CHARS = 100_000


class RowKind(StrEnum):
    """How an entry on disk stands to the snapshot."""

    SAME = "same"
    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of two aligned panes; an index is None where a side has nothing."""

    live_index: int | None
    snapshot_index: int | None
    kind: RowKind


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff."""

    sign: str
    """" " for a common line, "-" for one that goes, "+" for one that comes."""
    text: str


def align(live: Sequence[str], snapshot: Sequence[str]) -> tuple[Row, ...]:
    """The entries side by side, in the order of the live ones.

    Equal texts anchor; between two anchors texts of similarity 0.5 and more are `changed`; an equal text that
    stands elsewhere is `moved`, one row at its live place. Every index of either side is in exactly one row.
    """
    rows: list[Row] = []
    fixed = anchors(live, snapshot)
    moved = _moved(live, snapshot, fixed)
    gone = frozenset(moved.values())
    i = j = 0
    for live_at, snapshot_at in [*fixed, (len(live), len(snapshot))]:
        rows += _gap_rows(live, snapshot, range(i, live_at), range(j, snapshot_at), moved, gone)
        if live_at < len(live):
            rows.append(Row(live_at, snapshot_at, RowKind.SAME))
        i, j = live_at + 1, snapshot_at + 1
    return tuple(rows)


def line_diff(before: str, after: str) -> tuple[DiffLine, ...]:
    """Both texts line by line, every line of either in it; newlines are not part of the lines."""
    old, new = before.split("\n"), after.split("\n")
    lines: list[DiffLine] = []
    i = j = 0
    for old_at, new_at in [*anchors(old, new), (len(old), len(new))]:
        lines += [DiffLine("-", line) for line in old[i:old_at]]
        lines += [DiffLine("+", line) for line in new[j:new_at]]
        lines += [DiffLine(" ", line) for line in old[old_at : old_at + 1]]
        i, j = old_at + 1, new_at + 1
    return tuple(lines)


def word_spans(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Where the words stand that only one of the texts has: spans into `before` and spans into `after`.

    Of texts longer than 100,000 characters the lines.
    """
    token = _WORD if len(before) + len(after) <= _MAX_WORD_CHARS else _LINE
    old, new = token.findall(before), token.findall(after)
    common = anchors(old, new)
    return _other_spans(old, [i for i, _ in common]), _other_spans(new, [j for _, j in common])


def _moved(
    live: Sequence[str], snapshot: Sequence[str], fixed: Sequence[tuple[int, int]]
) -> Mapping[int, int]:
    """From the live index to the snapshot index of equal texts that no anchor holds."""
    held_live, held_snapshot = {i for i, _ in fixed}, {j for _, j in fixed}
    places: dict[str, deque[int]] = defaultdict(deque)
    for j, text in enumerate(snapshot):
        if j not in held_snapshot:
            places[text].append(j)
    moved: dict[int, int] = {}
    for i, text in enumerate(live):
        if i not in held_live and places.get(text):
            moved[i] = places[text].popleft()
    return moved


def _gap_rows(
    live: Sequence[str],
    snapshot: Sequence[str],
    live_range: range,
    snapshot_range: range,
    moved: Mapping[int, int],
    gone: frozenset[int],
) -> Iterator[Row]:
    here = [i for i in live_range if i not in moved]
    there = [j for j in snapshot_range if j not in gone]
    pairs = similar_pairs([snapshot[j] for j in there], [live[i] for i in here], in_order=True)
    i, j = live_range.start, 0
    for there_at, here_at in [*pairs, (len(there), len(here))]:
        yield from (Row(None, removed, RowKind.REMOVED) for removed in there[j:there_at])
        live_at = here[here_at] if here_at < len(here) else live_range.stop
        for index in range(i, live_at):
            kind = RowKind.MOVED if index in moved else RowKind.NEW
            yield Row(index, moved.get(index), kind)
        if here_at < len(here):
            yield Row(live_at, there[there_at], RowKind.CHANGED)
        i, j = live_at + 1, there_at + 1


def _other_spans(tokens: Sequence[str], common: Sequence[int]) -> tuple[Span, ...]:
    """The stretches of text that are not made of the common tokens."""
    spans: list[Span] = []
    kept = set(common)
    offset = 0
    for index, token in enumerate(tokens):
        end = offset + len(token)
        if index not in kept:
            if spans and spans[-1][1] == offset:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((offset, end))
        offset = end
    return tuple(spans)
