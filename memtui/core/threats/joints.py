"""Findings that only exist where neighbouring entries stand together in the prompt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memtui.core.model import ENTRY_DELIMITER
from memtui.core.threats.finding import Finding, sort_findings
from memtui.core.threats.picked import OF_WHOLE_TEXT
from memtui.core.threats.views import Span

_OF_ONE_TEXT: Final = ("backwards", "joined pieces", *OF_WHOLE_TEXT)
"""Views that turn or gather a whole text: over two entries that is chance, and gave 19 of 20 false alarms there."""
TEXTS_TO_A_REST: Final = 8
"""A millisecond of scanning at most, for texts of a few hundred characters."""
REACH_CHARS: Final = 300
"""How far on each side of a joint a finding may reach."""
GATHERED_CHARS: Final = 600
"""From the first to the last joint that are read at once: read one by one, 4,000 entries of a few words took 7.5 s."""


def joint_findings(
    texts: Sequence[str], scan: Callable[[str, Container[str]], list[Finding]], rest: Callable[[], object]
) -> list[list[Finding]]:
    """The findings of each entry by itself and of its joints, each with spans inside that entry; `rest` is called
    after every few texts."""
    found: list[list[Finding]] = []
    for text in texts:
        if len(found) % TEXTS_TO_A_REST == 0:
            rest()
        found.append(scan(text, ()))
    starts, position = [], 0
    for text in texts:
        starts.append(position)
        position += len(text) + len(ENTRY_DELIMITER)
    whole = ENTRY_DELIMITER.join(texts)
    for low, high, joints in _windows(starts):
        rest()
        for finding in scan(whole[low:high], _OF_ONE_TEXT):
            for start, end in finding.spans:
                if any(start + low < joint - len(ENTRY_DELIMITER) and end + low > joint for joint in joints):
                    _share(found, texts, starts, finding, (start + low, end + low))
    return [sort_findings(findings) for findings in found]


def _windows(starts: Sequence[int]) -> Iterator[tuple[int, int, Sequence[int]]]:
    """What is read of all entries together, and which entries begin there: joints near each other are read at once."""
    first = 1
    while first < len(starts):
        last = bisect_right(starts, starts[first] + GATHERED_CHARS) - 1
        low = max(0, starts[first] - len(ENTRY_DELIMITER) - REACH_CHARS)
        yield low, starts[last] + REACH_CHARS, starts[first : last + 1]
        first = last + 1


def _share(
    found: list[list[Finding]], texts: Sequence[str], starts: Sequence[int], finding: Finding, span: Span
) -> None:
    """Puts the finding on every entry that the span touches."""
    for index, text in enumerate(texts):
        low, high = max(span[0] - starts[index], 0), min(span[1] - starts[index], len(text))
        if low < high:
            known = next((other for other in found[index] if other.id == finding.id), None)
            if known is None:
                found[index].append(replace(finding, spans=((low, high),)))
            else:
                worse = max(known, finding, key=lambda other: other.severity.rank)
                spans = tuple(sorted({*known.spans, (low, high)}))
                found[index][found[index].index(known)] = replace(worse, spans=spans)
