"""Undo and redo of memtui's own changes, entry by entry on the file as it is now.

What others wrote since stays; an entry that they touched makes a `conflict`, never a silent overwrite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.core.budget import used_chars
from memtui.core.errors import Conflict, NotFound
from memtui.core.model import Change, MemoryFile, Step
from memtui.core.visible import clip, visible_text
from memtui.guard import RESTORING

if TYPE_CHECKING:
    from memtui.store import MemoryStore

QUOTED_CELLS = 120


def undo(store: MemoryStore, target: str) -> Change:
    """Take back the newest change that memtui made and that still stands.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another MemoryRefused.
    """
    path = store.path_of(target).resolve()

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.next_undo(path, file.raw)
        if logged is None:
            raise NotFound(f"There is nothing to undo in {path.name}: no change made through memtui stands.")
        inverted = tuple(Step(s.after, s.before, s.index) for s in reversed(logged.steps))
        return replace(step_change(file, "undo", inverted), undoes=logged.id)

    return store.apply(target, build, RESTORING)


def redo(store: MemoryStore, target: str) -> Change:
    """Do again the change that undo took back last.

    Raises NotFound when there is none, Conflict when its entries were touched since, or another MemoryRefused.
    """
    path = store.path_of(target).resolve()

    def build(file: MemoryFile) -> Change:
        logged = store.recorder.next_redo(path, file.raw)
        if logged is None:
            raise NotFound(f"There is nothing to redo in {path.name}: nothing was undone since the last change.")
        return replace(step_change(file, "redo", logged.steps), redoes=logged.id)

    return store.apply(target, build, RESTORING)


def step_change(file: MemoryFile, action: str, steps: Sequence[Step]) -> Change:
    """The change that makes these steps on the file as it is. Raises Conflict when an entry is not as it was left."""
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
        f"The entry “{clip(visible_text(text), QUOTED_CELLS)}” was changed by somebody else since; nothing was "
        "written. Look at the file and make the change by hand, or bring a version back from its history.",
        {"shown": text, "live": None},
    )
