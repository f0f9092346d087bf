"""Undo and redo of memtui's own changes, on the file as it is now.

What others wrote since stays; an entry that they touched makes a `conflict`, never a silent overwrite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.actions.halves import other_half
from memtui.actions.restore import warnings_for
from memtui.actions.stepping import step_change
from memtui.core.budget import used_chars
from memtui.core.change import Change, Step
from memtui.core.codec import parse
from memtui.core.errors import Conflict, NotFound
from memtui.core.model import Document, MemoryFile
from memtui.disk.faults import shown
from memtui.disk.files import real_path
from memtui.store.guard import RESTORING

if TYPE_CHECKING:
    from memtui.store import MemoryStore


def undo(store: MemoryStore, target: str) -> Change:
    """Take back the newest change that memtui made and that still stands; of a move, both halves.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another
    MemoryRefused.
    """
    half = other_half(store, target, store.recorder.past.next_undo(_path(store, target)))
    if half is None:
        return undo_here(store, target)
    return half.with_other(lambda: undo_here(store, target), undo_here)


def redo(store: MemoryStore, target: str) -> Change:
    """Do again the change that undo took back last; of a move, both halves.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another
    MemoryRefused.
    """
    half = other_half(store, target, store.recorder.past.next_redo(_path(store, target)), redoing=True)
    if half is None:
        return _redo_here(store, target)
    return half.with_other(lambda: _redo_here(store, target), _redo_here)


def undo_here(store: MemoryStore, target: str) -> Change:
    """Take back the newest change of this file alone. Raises as `undo`."""
    path = _path(store, target)
    name = shown(path.name)

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.past.next_undo(path, file.raw)
        if logged is None:
            raise _nothing(store, f"There is nothing to undo in {name}: no change made through memtui stands.")
        inverted = tuple(Step(s.after, s.before, s.index) for s in reversed(logged.steps))
        from_id, to_id = logged.id, logged.before_version
        return replace(_change(store, file, "undo", inverted, from_id, to_id), undoes=logged.id)

    return store.apply(target, build, RESTORING)


def _redo_here(store: MemoryStore, target: str) -> Change:
    path = _path(store, target)
    name = shown(path.name)

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.past.next_redo(path, file.raw)
        if logged is None:
            raise _nothing(store, f"There is nothing to redo in {name}: nothing was undone since the change.")
        from_id, to_id = logged.before_version, logged.id
        return replace(_change(store, file, "redo", logged.steps, from_id, to_id), redoes=logged.id)

    return store.apply(target, build, RESTORING)


def _path(store: MemoryStore, target: str) -> Path:
    return real_path(store.path_of(target))


def _nothing(store: MemoryStore, said: str) -> NotFound:
    """The refusal, with the reason where history is the one that cannot tell."""
    problem = store.recorder.problem
    return NotFound(f"Undo needs the history. {problem} Nothing was written." if problem else said)


def _change(
    store: MemoryStore, file: MemoryFile, action: str, steps: Sequence[Step], from_id: int, to_id: int
) -> Change:
    """Byte for byte while the file stands exactly as the change left it, else entry by entry.

    Entries alone would not bring back a layout, nor bytes that are no text.
    """
    past = store.recorder.past
    stood, wanted = past.version(from_id), past.version(to_id)
    if stood is not None and wanted is not None and stood.sha256 == file.document.sha256:
        raw_bytes = wanted.raw
        document = parse(raw_bytes)
        used = used_chars(document.texts)
        return Change(
            file.target,
            action,
            tuple(steps),
            document.texts,
            used,
            file.budget.limit_chars,
            _fresh_warnings(store, file, document),
            raw_bytes,
        )
    if not steps or (wanted is not None and not _is_text(wanted.raw)):
        raise Conflict(
            f"{file.target} was changed by somebody else since, and what the change did cannot be taken back "
            "entry by entry; nothing was written. Bring a version back from its history instead.",
            {"path": file.path},
        )
    return step_change(file, action, steps)


def _fresh_warnings(store: MemoryStore, file: MemoryFile, document: Document) -> tuple[str, ...]:
    """What is wrong with the file as it will be and is not so now: what stands there anyhow is no news of an undo."""
    limit, live = file.budget.limit_chars, file.document.texts
    known = warnings_for(file.document, limit, store.suppressions, live)
    return tuple(one for one in warnings_for(document, limit, store.suppressions, live) if one not in known)


def _is_text(raw_bytes: bytes) -> bool:
    document = parse(raw_bytes)
    return document.bad_byte is None and document.nul_byte is None
