"""Undo and redo where no target is named: which of the two files is meant.

Undo takes back what was done last, a redo included. Redo never makes again what was taken back before a newer
change: as within one file, a person who went on since has to name the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.core.errors import Conflict, NotFound
from memtui.core.model import FILE_NAMES, TARGETS
from memtui.disk.files import real_path

if TYPE_CHECKING:
    from memtui.core.change import Change
    from memtui.disk.history import LoggedChange
    from memtui.store import MemoryStore


def undo_latest(store: MemoryStore) -> Change:
    """Take back the change that was made, or made again, last in either file. Raises as `store.undo`."""
    done = _done(store)
    if done:
        return store.undo(max(done, key=lambda target: done[target].turn))
    # A write that a crash cut short is settled under its lock only, so both are asked.
    for target in TARGETS:
        try:
            return store.undo(target)
        except NotFound:
            continue
    raise _nothing(store, "undo", "no change made through memtui stands in either")


def redo_latest(store: MemoryStore) -> Change:
    """Make again the change that was taken back last in either file. Raises as `store.redo`.

    Raises Conflict as well when a newer change was made since.
    """
    past = store.recorder.past
    found = {target: past.next_redo(real_path(store.path_of(target))) for target in TARGETS}
    undone = {target: change for target, change in found.items() if change is not None}
    if not undone:
        raise _nothing(store, "redo", "nothing was undone in either since the last change")
    target = max(undone, key=lambda one: undone[one].turn)
    for newer, change in _done(store).items():
        if change.id > undone[target].turn:
            raise Conflict(
                f"Nothing was redone: {FILE_NAMES[newer]} was changed after the undo in {FILE_NAMES[target]}. "
                f"`memtui redo {target}` makes that older change again.",
                {"target": target},
            )
    return store.redo(target)


def _done(store: MemoryStore) -> dict[str, LoggedChange]:
    """The change that undo would take back, of each target that has one."""
    past = store.recorder.past
    found = {target: past.next_undo(real_path(store.path_of(target))) for target in TARGETS}
    return {target: change for target, change in found.items() if change is not None}


def _nothing(store: MemoryStore, step: str, why: str) -> NotFound:
    """The refusal, with the reason where history is the one that cannot tell."""
    if problem := store.recorder.problem:
        return NotFound(f"{step.capitalize()} needs the history. {problem} Nothing was written.")
    names = " and ".join(FILE_NAMES[target] for target in TARGETS)
    return NotFound(f"There is nothing to {step} in {names}: {why}.")
