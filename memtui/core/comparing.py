"""Two memories side by side: which entries both hold, which only one, which they tell differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.core.diff import Row, RowKind, align


@dataclass(frozen=True, slots=True)
class Comparison:
    """The entries of one target in two homes, in the order of the left one."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    rows: tuple[Row, ...]
    """`live_index` is the left entry's, `snapshot_index` the right one's; `new` is left only, `removed` right only."""

    def count(self, *kinds: RowKind) -> int:
        """How many rows are of these kinds."""
        return sum(row.kind in kinds for row in self.rows)

    @property
    def is_same(self) -> bool:
        """True when both hold the same entries in the same order."""
        return all(row.kind is RowKind.SAME for row in self.rows)


def compare_entries(left: Sequence[str], right: Sequence[str]) -> Comparison:
    """The entries of two homes aligned, equal ones first."""
    return Comparison(tuple(left), tuple(right), align(left, right))
