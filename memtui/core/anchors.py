"""Finds what two sequences have in common, in order: the anchors on which every diff here hangs.

Items that occur once on both sides anchor first, then those that are unique between two anchors (patience
diff). What is left is compared item by item only while that is cheap, so that no input takes quadratic time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

# Looks at this many items per item of input; real files need about 4.
_MAX_LOOKS = 40
_MAX_MATRIX = 10_000


class _Gap(NamedTuple):
    a: int
    a_end: int
    b: int
    b_end: int


def anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of indexes of equal items, rising on both sides."""
    found: list[tuple[int, int]] = []
    looks_left = _MAX_LOOKS * (len(a) + len(b) + 1)
    gaps = [_Gap(0, len(a), 0, len(b))]
    while gaps:
        gap = gaps.pop()
        gap = _take_ends(a, b, gap, found)
        looks_left -= gap.a_end - gap.a + gap.b_end - gap.b
        if gap.a == gap.a_end or gap.b == gap.b_end or looks_left < 0:
            continue
        pairs = _unique_pairs(a, b, gap)
        if pairs:
            found += pairs
            gaps += _between(pairs, gap)
        elif (gap.a_end - gap.a) * (gap.b_end - gap.b) <= _MAX_MATRIX:
            found += _matched(a, b, gap)
    return sorted(found)


def _take_ends(a: Sequence[str], b: Sequence[str], gap: _Gap, found: list[tuple[int, int]]) -> _Gap:
    """Pair what is equal at the start and at the end of a gap, and return what is left between."""
    start, end, b_start, b_end = gap
    while start < end and b_start < b_end and a[start] == b[b_start]:
        found.append((start, b_start))
        start, b_start = start + 1, b_start + 1
    while start < end and b_start < b_end and a[end - 1] == b[b_end - 1]:
        end, b_end = end - 1, b_end - 1
        found.append((end, b_end))
    return _Gap(start, end, b_start, b_end)


def _unique_pairs(a: Sequence[str], b: Sequence[str], gap: _Gap) -> list[tuple[int, int]]:
    in_a, in_b = _once(a, gap.a, gap.a_end), _once(b, gap.b, gap.b_end)
    pairs = [(at, b_at) for item, at in in_a.items() if at >= 0 and (b_at := in_b.get(item, -1)) >= 0]
    return _longest_rising(pairs)


def _once(items: Sequence[str], start: int, end: int) -> dict[str, int]:
    """Where each item stands, -1 for one that occurs again."""
    places: dict[str, int] = {}
    for at in range(start, end):
        places[items[at]] = -1 if items[at] in places else at
    return places


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rise on both sides; the pairs come in rising order of the first."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, b_at) in enumerate(pairs):
        length = bisect_left(ends, b_at)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [b_at]
        last[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _between(pairs: Sequence[tuple[int, int]], gap: _Gap) -> Iterator[_Gap]:
    a, b = gap.a, gap.b
    for at, b_at in [*pairs, (gap.a_end, gap.b_end)]:
        yield _Gap(a, at, b, b_at)
        a, b = at + 1, b_at + 1


def _matched(a: Sequence[str], b: Sequence[str], gap: _Gap) -> list[tuple[int, int]]:
    matcher = SequenceMatcher(None, a[gap.a : gap.a_end], b[gap.b : gap.b_end], autojunk=False)
    return [
        (gap.a + block.a + step, gap.b + block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
