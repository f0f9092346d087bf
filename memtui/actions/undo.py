"""Undo and redo of memtui's own changes, on the file as it is now.

What others wrote since stays; an entry that they touched makes a `conflict`, never a silent overwrite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.actions.restore import warnings_for
from memtui.core.budget import used_chars
from memtui.core.codec import parse
from memtui.core.errors import Conflict, NotFound
from memtui.core.model import Change, MemoryFile, Step
from memtui.core.visible import clip, visible_text
from memtui.disk.files import real_path
from memtui.guard import RESTORING

if TYPE_CHECKING:
    from memtui.store import MemoryStore

QUOTED_CELLS = 120


def undo(store: MemoryStore, target: str) -> Change:
    """Take back the newest change that memtui made and that still stands.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another
    MemoryRefused.
    """
    path = real_path(store.path_of(target))

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.next_undo(path, file.raw)
        if logged is None:
            raise NotFound(f"There is nothing to undo in {path.name}: no change made through memtui stands.")
        inverted = tuple(Step(s.after, s.before, s.index) for s in reversed(logged.steps))
        from_id, to_id = logged.id, logged.before_version
        return replace(_change(store, file, "undo", inverted, from_id, to_id), undoes=logged.id)

    return store.apply(target, build, RESTORING)


def redo(store: MemoryStore, target: str) -> Change:
    """Do again the change that undo took back last.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another
    MemoryRefused.
    """
    path = real_path(store.path_of(target))

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.next_redo(path, file.raw)
        if logged is None:
            raise NotFound(f"There is nothing to redo in {path.name}: nothing was undone since the change.")
        from_id, to_id = logged.before_version, logged.id
        return replace(_change(store, file, "redo", logged.steps, from_id, to_id), redoes=logged.id)

    return store.apply(target, build, RESTORING)


def _change(
    store: MemoryStore, file: MemoryFile, action: str, steps: Sequence[Step], from_id: int, to_id: int
) -> Change:
    """Byte for byte while the file stands exactly as the change left it, else entry by entry.

    Entries alone would not bring back a layout, nor bytes that are no text.
    """
    stood, wanted = store.recorder.version(from_id), store.recorder.version(to_id)
    if stood is not None and wanted is not None and stood.sha256 == file.document.sha256:
        raw_bytes = wanted.raw
        document = parse(raw_bytes)
        used = used_chars(document.texts)
        notices = warnings_for(document, file.budget.limit_chars, store.suppressions)
        return Change(
            file.target,
            action,
            tuple(steps),
            document.texts,
            used,
            file.budget.limit_chars,
            notices,
            raw_bytes,
        )
    if not steps or (wanted is not None and not _is_text(wanted.raw)):
        raise Conflict(
            f"{file.target} was changed by somebody else since, and what the change did cannot be taken back "
            "entry by entry; nothing was written. Bring a version back from its history instead.",
            {"path": file.path},
        )
    return step_change(file, action, steps)


def _is_text(raw_bytes: bytes) -> bool:
    document = parse(raw_bytes)
    return document.bad_byte is None and document.nul_byte is None


def step_change(file: MemoryFile, action: str, steps: Sequence[Step]) -> Change:
    """The change that makes these steps on the file as it is.

    Raises Conflict when an entry is not as it was left.
    """
    texts = list(file.document.texts)
    done: list[Step] = []
    for step in steps:
        done += _take(texts, step)
    used, limit = used_chars(texts), file.budget.limit_chars
    notices = (f"{file.target} now stands at {used} of {limit} characters.",) if used > limit else ()
    change = Change(file.target, action, tuple(done), tuple(texts), used, limit, notices)
    return replace(change, wrote=bool(done))


def _take(texts: list[str], step: Step) -> list[Step]:
    """Make one step in `texts`; what was really done (nothing when the entry already is as it should be)."""
    if step.before is not None and step.before not in texts:
        if step.after is None or step.after in texts:
            return []
        raise _touched(step.before)
    if step.before is None:
        if step.after is None or step.after in texts:
            return []
        texts.insert(_place(step.index, len(texts)), step.after)
        return [step]
    index = texts.index(step.before)
    if step.after is None or step.after in texts:
        del texts[index]
    else:
        texts[index] = step.after
    return [replace(step, index=index)]


def _place(index: int, count: int) -> int:
    return index if 0 <= index <= count else count


def _touched(text: str) -> Conflict:
    return Conflict(
        f"The entry “{clip(visible_text(text), QUOTED_CELLS)}” was changed by somebody else since; nothing "
        "was written. Look at the file and change it by hand, or bring a version back from its history.",
        {"shown": text, "live": None},
    )
