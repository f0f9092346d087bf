"""Tidy: bring a file into canonical form now, instead of at the next write. It changes no entry's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memtui.core.budget import used_chars
from memtui.core.change import Change
from memtui.core.codec import render
from memtui.core.edit import layout_notices
from memtui.core.model import DifferenceKind, Document, MemoryFile
from memtui.store.guard import Checks

if TYPE_CHECKING:
    from memtui.store import MemoryStore

TIDYING = Checks(scan=False, budget=False)
"""No text comes in and nothing grows; drift still refuses."""


_UNLIKE_OTHER_WRITES: Final = {
    DifferenceKind.CRLF: "CRLF line endings were made LF.",
    DifferenceKind.CR: "CR line endings were made LF.",
    DifferenceKind.FINAL_NEWLINE: "The newline at the end of the file was dropped.",
}
"""What a guarded operation keeps as it is."""


def tidied(file: MemoryFile) -> bytes:
    """The canonical bytes of what the file holds: LF, no BOM, one delimiter line between entries."""
    return render(file.document.texts)


def untidy_words(file: MemoryFile) -> str:
    """What is not canonical, in words: each kind of difference once, with its first line."""
    first = {one.kind: f"{one.detail} (line {one.line})" for one in reversed(file.differences)}
    return ", ".join(reversed(first.values()))


def tidy(store: MemoryStore, target: str) -> Change:
    """Write the canonical form. Raises a MemoryRefused; `wrote` is False when the file already was canonical."""
    return store.apply(target, _tidy_change, TIDYING)


def _tidy_change(file: MemoryFile) -> Change:
    texts = file.document.texts
    change = Change(file.target, "tidy", (), texts, used_chars(texts), file.budget.limit_chars, raw_bytes=tidied(file))
    return replace(change, wrote=bool(file.differences), notices=tuple(_notices(file.document)))


def _notices(document: Document) -> Iterator[str]:
    yield from layout_notices(replace(document, newline="\n"))
    kinds = {difference.kind for difference in document.differences}
    yield from (words for kind, words in _UNLIKE_OTHER_WRITES.items() if kind in kinds)
