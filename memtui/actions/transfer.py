"""Copy or move an entry to another home, or to the other target, through every guard of the receiving store.

A move adds before it removes: a crash between the two leaves the entry in both files, never in neither. The two
halves name each other in the undo log, so that undo takes back both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.actions.halves import MOVED_FROM, MOVED_TO, link_to
from memtui.actions.undo import undo_here
from memtui.core.change import Change, Exactly, Meant, Operation
from memtui.core.edit import propose
from memtui.core.errors import Conflict, InvalidArgument, MemoryRefused, Unreadable
from memtui.core.model import MemoryFile
from memtui.disk.faults import shown
from memtui.disk.files import is_same_file
from memtui.store.obstacles import refuse_read_only
from memtui.store.proposing import proposed

if TYPE_CHECKING:
    from memtui.store import MemoryStore

COPIED: Final = "copy"


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a copy or a move did."""

    text: str
    """The entry."""
    added: Change
    """In the receiving file; `wrote` is False when the entry was there already."""
    removed: Change | None = None
    """In the file that it came from; None for a copy."""

    def __str__(self) -> str:
        return f"{self.added} {self.removed}" if self.removed else str(self.added)


@dataclass(frozen=True, slots=True)
class Place:
    """One target of one store."""

    store: MemoryStore
    target: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.store.path_of(self.target)

    def look(self) -> MemoryFile:
        """What stands there now."""
        return self.store.inspect(self.target, scan=False)


def copy_entry(origin: Place, old_text: Meant, to: Place, allow: Collection[str] = ()) -> Transfer:
    """Add the entry that `old_text` names to another place. Raises the MemoryRefused of either side."""
    text = _located(origin, old_text, to)
    return Transfer(text, to.store.add(to.target, text, allow=allow, source=COPIED))


def move_entry(origin: Place, old_text: Meant, to: Place, allow: Collection[str] = ()) -> Transfer:
    """Add the entry to another place, then remove it here. Raises the MemoryRefused of either side.

    What would refuse either half is found before anything is written. When the removal is refused after all,
    the addition is taken back; when the entry has left the other place by then, the removal is.
    """
    text = _located(origin, old_text, to)
    _check(origin, text, to, allow)
    added = to.store.add(to.target, text, allow=allow, source=link_to(MOVED_FROM, origin.path))
    # Without an addition there is no other half to link to: what stood there before must outlive an undo.
    source = link_to(MOVED_TO, to.path) if added.wrote else MOVED_TO
    try:
        removed = origin.store.remove(origin.target, Exactly(text), source=source)
    except MemoryRefused as refusal:
        _take_back(to, added, refusal)
        raise
    if text not in to.look().document.texts:
        _bring_back(origin, to)
    return Transfer(text, added, removed)


def _located(origin: Place, old_text: Meant, to: Place) -> str:
    """The entry that is meant. Raises a MemoryRefused."""
    if is_same_file(origin.path, to.path):
        raise InvalidArgument(
            f"{shown(to.path)} is where the entry stands already: it and {shown(origin.path)} are one file; nothing "
            "was written."
        )
    file = origin.look()
    if file.problem:
        raise Unreadable(f"{file.problem} Nothing was written.", {"path": file.path})
    if file.document.bad_byte or file.document.nul_byte:
        raise Unreadable(
            f"{shown(file.path)} holds bytes that are no text, so an entry of it cannot be passed on; nothing was "
            "written. Resolve it first: press b in memtui, or run `memtui resolve`.",
            {"path": file.path},
        )
    removal = [Operation("remove", old_text=old_text)]
    change = propose(file.document, origin.target, removal, file.budget.limit_chars, merged=file.merged)
    assert change.before is not None
    return change.before


def _check(origin: Place, text: str, to: Place, allow: Collection[str]) -> None:
    """Refuse what would be refused between the two halves. Raises a MemoryRefused."""
    proposed(origin.look(), [Operation("remove", old_text=Exactly(text))], origin.store.suppressions)
    if not allow:
        proposed(to.look(), [Operation("add", content=text)], to.store.suppressions)
    for place in (origin, to):
        refuse_read_only(place.path, place.store.read_only)


def _take_back(to: Place, added: Change, refusal: MemoryRefused) -> None:
    """Remove what a half move brought in; when that fails too, the refusal says where the entry stands."""
    if not added.wrote:
        return
    try:
        undo_here(to.store, to.target)
    except MemoryRefused as second:
        raise type(refusal)(f"{refusal} The entry stands in both files now: {second}", refusal.data) from refusal


def _bring_back(origin: Place, to: Place) -> None:
    """Undo the removal of an entry that no longer stands where it was moved to. Raises Conflict in any case.

    Another program took it out there meanwhile, or both are one file that the system shows as two: a network folder
    that is mounted twice has two device numbers.
    """
    gone = f"The entry is not in {shown(to.path)} any more after it was added there"
    try:
        undo_here(origin.store, origin.target)
    except MemoryRefused as refusal:
        raise Conflict(f"{gone}, and it is in the history of {shown(origin.path)} only: {refusal}") from refusal
    raise Conflict(f"{gone}; it was brought back to {shown(origin.path)}.", {"path": str(to.path)})
