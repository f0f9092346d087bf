"""Split: make entries of the notes that one entry holds, in place and without losing a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.core.budget import used_chars
from memtui.core.edit import clean_text
from memtui.core.errors import DriftFound, InvalidArgument
from memtui.core.matching import locate
from memtui.core.model import Change, DriftKind, MemoryFile, Step
from memtui.core.split import split_parts
from memtui.guard import Checks

if TYPE_CHECKING:
    from memtui.store import MemoryStore

SPLITTING = Checks(scan=False, budget=False, drift=False)
"""The text stands in the file already, and a file that is over its limit must be splittable to be shrunk at all."""


def parts_of(file: MemoryFile, text: str) -> tuple[str, ...]:
    """The notes that an entry of the file would be split into; one part when there is nothing to split."""
    for merged in file.merged:
        if file.entries[merged.entry_index].text == text:
            return merged.parts
    return split_parts(text)


def split_change(file: MemoryFile, old_text: str, parts: Sequence[str] | None = None) -> Change:
    """The proposed change: the located entry replaced by its parts. Raises a MemoryRefused."""
    texts = list(file.document.texts)
    index = locate(texts, old_text)
    whole = texts[index]
    cut = [clean_text(p, "part") for p in (parts if parts is not None else parts_of(file, whole))]
    if len(cut) < 2:
        raise InvalidArgument(f"Entry {index + 1} holds one note only; there is nothing to split. Nothing was written.")
    if any(d.kind is not DriftKind.TOO_LONG or d.entry_index not in (None, _file_index(file, whole)) for d in file.drift):
        raise DriftFound(f"{file.target} has drifted elsewhere: {file.drift[0].detail} Nothing was written.")
    new = [p for p in dict.fromkeys(cut) if p not in texts]
    texts[index : index + 1] = new
    used, limit = used_chars(texts), file.budget.limit_chars
    steps = (Step(whole, None, index), *(Step(None, part, index + i) for i, part in enumerate(new)))
    notices = [f"{len(cut)} notes are entries of their own now ({used - file.budget.used_chars:+d} characters)."]
    if used > limit:
        notices.append(f"The file stands at {used} of {limit} characters; entries can be shortened one by one.")
    return Change(file.target, "split", steps, tuple(texts), used, limit, tuple(notices))


def split(store: MemoryStore, target: str, old_text: str, parts: Sequence[str] | None = None) -> Change:
    """Split an entry under the lock. Raises a MemoryRefused."""
    return store.apply(target, lambda file: split_change(file, old_text, parts), SPLITTING)


def _file_index(file: MemoryFile, text: str) -> int:
    return next(i for i, entry in enumerate(file.entries) if entry.text == text)
