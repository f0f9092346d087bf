"""Which scanner `scan` uses: the built-in one, or one with a person's own rules that somebody handed in.

One for the process, since every door (store, tool, audit, command line) has to judge alike. Nothing is read or
compiled before the first scan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.core.threats.scanner import Scanner


def _builtin() -> Scanner:
    from memtui.core.threats.scanner import builtin_scanner

    return builtin_scanner()


class _Chosen:
    """The scanner in use and where it comes from."""

    def __init__(self) -> None:
        self.supplier: Callable[[], Scanner] = _builtin
        self.scanner: Scanner | None = None


_chosen = _Chosen()


def use_scanner_of(supplier: Callable[[], Scanner]) -> None:
    """Let the next scan ask `supplier` for the scanner, once; it may take its time and must not scan through `scan`."""
    _chosen.supplier, _chosen.scanner = supplier, None


def chosen_scanner() -> Scanner:
    """The scanner in use."""
    # Two threads that scan first at the same moment both ask; they get scanners that judge alike.
    scanner = _chosen.scanner
    if scanner is None:
        scanner = _chosen.scanner = _chosen.supplier()
    return scanner
