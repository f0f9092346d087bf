"""Split: make entries of the notes that one entry holds, in place and without losing a word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.actions.backups import back_up
from memtui.core.budget import used_chars
from memtui.core.change import Change, Meant, Step
from memtui.core.edit import clean_text
from memtui.core.errors import InvalidArgument
from memtui.core.matching import locate
from memtui.core.model import Drift, DriftKind, MemoryFile
from memtui.core.split import split_parts
from memtui.disk.files import read_state
from memtui.store.guard import Checks
from memtui.store.obstacles import refuse_drift

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


def split_change(file: MemoryFile, old_text: Meant, parts: Sequence[str] | None = None) -> Change:
    """The proposed change: the located entry replaced by its parts.

    Raises a MemoryRefused; before it is drift elsewhere in a file that could be written, the bytes are in a backup.
    """
    texts = list(file.document.texts)
    index = locate(texts, old_text)
    whole = texts[index]
    cut = [clean_text(p, "part") for p in (parts if parts is not None else parts_of(file, whole))]
    if len(cut) < 2:
        raise InvalidArgument(f"Entry {index + 1} holds one note only; there is nothing to split. Nothing was written.")
    if not file.read_only and any(not _is_drift_of(one, file, whole) for one in file.drift):
        refuse_drift(file, read_state(Path(file.path)).mode)
    new = [p for p in dict.fromkeys(cut) if p not in texts]
    texts[index : index + 1] = new
    used, limit = used_chars(texts), file.budget.limit_chars
    steps = (Step(whole, None, index), *(Step(None, part, index + i) for i, part in enumerate(new)))
    notices = [f"{len(cut)} notes are entries of their own now ({used - file.budget.used_chars:+d} characters)."]
    if used > limit:
        notices.append(f"The file stands at {used} of {limit} characters; entries can be shortened one by one.")
    return Change(file.target, "split", steps, tuple(texts), used, limit, tuple(notices))


def split(store: MemoryStore, target: str, old_text: Meant, parts: Sequence[str] | None = None) -> Change:
    """Split an entry under the lock; a drifted file's bytes go to a backup first. Raises a MemoryRefused."""

    def build(file: MemoryFile) -> Change:
        change = split_change(file, old_text, parts)
        if file.drift:
            back_up(file)
        return change

    return store.apply(target, build, SPLITTING)


def _is_drift_of(drift: Drift, file: MemoryFile, text: str) -> bool:
    """True when the drift is that this entry is too long: splitting is what cures it."""
    is_too_long = drift.kind is DriftKind.TOO_LONG and drift.entry_index is not None
    return is_too_long and file.entries[drift.entry_index or 0].text == text
