"""The two halves of a move, each a change of its own file: how they name each other, and undo or redo of both.

Whichever half brings the entry to a file goes first, so that a crash between them leaves it in both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote, unquote_to_bytes

from memtui.actions.stepping import step_change
from memtui.core.change import Change, Step
from memtui.core.errors import Conflict, MemoryRefused
from memtui.core.model import TARGETS_BY_NAME, MemoryFile
from memtui.core.visible import visible_text
from memtui.disk.files import is_same_file, read_state, real_path
from memtui.disk.history import LoggedChange
from memtui.store.guard import RESTORING

if TYPE_CHECKING:
    from memtui.store import MemoryStore

Done = TypeVar("Done")

MOVED_FROM: Final = "moved_from"
MOVED_TO: Final = "moved_to"


def link_to(word: str, path: Path) -> str:
    """The source of a change whose other half stands in another file."""
    return f"{word}:{quote(os.fsencode(path))}"


@dataclass(frozen=True, slots=True)
class OtherHalf:
    """The half of a move that another file holds, seen from the half that is undone or redone."""

    store: MemoryStore
    target: str
    steps: tuple[Step, ...]
    """What has to happen in the other file."""
    twin: LoggedChange | None
    """The other half in the log of its file; None when it is not there any more."""
    is_next: bool
    """True when it is the very next that undo (or redo) would take there."""
    here: Path
    """The file of the half that it is seen from."""
    redoing: bool

    @property
    def _brings(self) -> bool:
        return any(step.after is not None for step in self.steps)

    def with_other(self, here: Callable[[], Change], there: Callable[[MemoryStore, str], Change]) -> Change:
        """Do both halves; the change of this file. Raises a MemoryRefused, with words for a half-done move."""
        path = visible_text(str(self.store.path_of(self.target)))
        if self._brings:
            self._do(there)
            change = _second(here, f"The entry was brought back to {path} and stands here as well.")
            return replace(change, notices=(*change.notices, f"The entry stands in {path} again."))
        change = here()
        _second(partial(self._do, there), f"The entry was brought back here and stands in {path} as well.")
        return replace(change, notices=(*change.notices, f"The entry is gone from {path} again."))

    def _do(self, there: Callable[[MemoryStore, str], Change]) -> None:
        if self.is_next:
            there(self.store, self.target)
        else:
            source = link_to(MOVED_FROM if self._brings else MOVED_TO, self.here)
            self.store.apply(self.target, self._change, RESTORING, source=source)

    def _change(self, file: MemoryFile) -> Change:
        """The half alone, while what was done there since stays."""
        change = step_change(file, "redo" if self.redoing else "undo", self.steps)
        if self.twin is None:
            return change
        # As a change of its own that is linked to nothing, an undo there would take the entry out of both files.
        return replace(change, redoes=self.twin.id) if self.redoing else replace(change, undoes=self.twin.id)


def _second(do: Callable[[], Done], otherwise: str) -> Done:
    """Do the second half; a refusal says as well how things stand after the first."""
    try:
        return do()
    except MemoryRefused as refusal:
        raise type(refusal)(f"{refusal} {otherwise}", refusal.data) from refusal


def other_half(
    store: MemoryStore, target: str, logged: LoggedChange | None, *, redoing: bool = False
) -> OtherHalf | None:
    """The other half of a change of `target` that was one half of a move; None for every other change.

    None, too, for a move to where the entry stood already: its source names no file.

    Raises Conflict when the other file is not there any more, or is this very file, or when a change
    there has to be taken back (or made again) first.
    """
    word, _, quoted = logged.source.partition(":") if logged else ("", "", "")
    if logged is None or not quoted or word not in (MOVED_FROM, MOVED_TO):
        return None
    path = Path(os.fsdecode(unquote_to_bytes(quoted)))
    if path.name not in TARGETS_BY_NAME or not read_state(path).exists:
        raise Conflict(
            f"The change moved an entry, and {visible_text(str(path))}, the other file, is not there any more; nothing "
            "was written. Bring the entry back from the history instead.",
            {"path": str(path)},
        )
    if is_same_file(path, store.path_of(target)):
        raise Conflict(
            f"The change moved an entry, and {visible_text(str(path))}, the other file, is one with this one by now; "
            "nothing was written. Bring the entry back from the history instead.",
            {"path": str(path)},
        )
    other = _store_on(store, path)
    here = real_path(store.path_of(target))
    find = other.recorder.past.next_redo if redoing else other.recorder.past.next_undo
    following = find(real_path(path))
    twin = find(real_path(path), wanted=lambda change: _is_twin(change, logged, here))
    # What left this file came to that one, so undoing there is what happened here, and redoing the contrary.
    steps = tuple(Step(s.after, s.before) if redoing else Step(s.before, s.after) for s in logged.steps)
    is_next = twin is not None and twin == following
    if twin is not None and not is_next:
        brought = {step.after for step in steps if step.after is not None}
        between = find(real_path(path), wanted=lambda change: _takes_later(change, twin, brought, redoing))
        if between is not None:
            raise _crossed(path, redoing)
    return OtherHalf(other, TARGETS_BY_NAME[path.name], steps, twin, is_next, store.path_of(target), redoing)


def _takes_later(change: LoggedChange, twin: LoggedChange, brought: Collection[str], redoing: bool) -> bool:
    """True for a change that would go before its twin, and after it takes out again what the twin brings back."""
    if change.id >= twin.id if redoing else change.id <= twin.id:
        return False
    taken = [(s.before, s.after) if redoing else (s.after, s.before) for s in change.steps]
    return any(gone in brought and gone != come for gone, come in taken)


def _crossed(path: Path, redoing: bool) -> Conflict:
    earlier, step = ("an earlier", "redone") if redoing else ("a later", "undone")
    name = visible_text(str(path))
    return Conflict(
        f"The change moved an entry, and {earlier} change of {name}, the other file, has to be {step} first: it would "
        "take the entry out again. Nothing was written; take the step in that file, then here.",
        {"path": str(path)},
    )


def _is_twin(following: LoggedChange, logged: LoggedChange, here: Path) -> bool:
    word, _, quoted = following.source.partition(":")
    back = Path(os.fsdecode(unquote_to_bytes(quoted)))
    texts = [(step.before, step.after) for step in following.steps]
    return (
        word in (MOVED_FROM, MOVED_TO)
        and real_path(back) == here
        and texts == [(step.after, step.before) for step in logged.steps]
    )


def _store_on(store: MemoryStore, path: Path) -> MemoryStore:
    """A store on the other file, on the same history; the very store when it is its other target."""
    from memtui.opening import open_store

    if path.parent == store.memories:
        return store
    other = open_store(path, history_db=store.recorder.db_path, read_only=store.read_only, wait_s=store.wait_s)
    other.waiting, other.cancelled = store.waiting, store.cancelled
    return other
