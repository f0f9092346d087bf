"""How much of a target's limit is used: Unicode code points of the joined text, delimiters included.

It counts and projects; refusing is `edit.check_budget`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.core.model import ENTRY_DELIMITER, Budget


def used_chars(texts: Iterable[str]) -> int:
    """Code points of the texts joined by the delimiter; 0 for none."""
    lengths = [len(text) for text in texts]
    return sum(lengths) + len(ENTRY_DELIMITER) * max(len(lengths) - 1, 0)


def budget_of(texts: Iterable[str], limit_chars: int) -> Budget:
    """What these texts use of the limit."""
    return Budget(used_chars(texts), limit_chars)


def project(texts: Sequence[str], before: str | None, after: str | None, limit_chars: int) -> Budget:
    """The budget after one step: `before` (None for an added entry) becomes `after` (None for a removed one).

    A `before` that is not among the texts counts as an addition. An empty `after` counts as no entry yet.
    """
    counted = list(texts)
    if before in counted:
        counted.remove(before)
    if after:
        counted.append(after)
    return budget_of(counted, limit_chars)
