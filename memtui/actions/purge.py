"""Purge: deleting a removed text for good where it still lies around a home.

Only from places that it was found in, or that were named although nobody can read them; entries that hold it and more
stay whole unless just they are meant. What else a purged backup held goes to history first; what only the agent may
change (its running session, its record of sessions) is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.actions.pending import queue_of
from memtui.actions.purge_places import Place, Where, check_text, where_is
from memtui.core.cutting import unix, without, without_entry
from memtui.core.digest import text_sha256
from memtui.core.errors import MemoryRefused, WriteFailed
from memtui.core.threats.finding import suppression_key
from memtui.disk.backups import backups_of, delete_backup
from memtui.disk.files import real_path
from memtui.disk.history_file import delete_set_aside, set_aside
from memtui.disk.suppressions import delete_kept_aside, kept_aside

if TYPE_CHECKING:
    from memtui.store import MemoryStore

__all__ = ["Left", "Place", "PurgeReport", "Where", "purge", "where_is"]


@dataclass(frozen=True, slots=True)
class Left:
    """A place that still holds the text, and why."""

    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """How a purge ended."""

    purged: tuple[Place, ...]
    left: tuple[Left, ...] = ()

    def __str__(self) -> str:
        gone = ", ".join(place.words for place in self.purged)
        return f"Purged for good from {gone}." if gone else "Nothing was purged."


def purge(store: MemoryStore, text: str, places: Sequence[Place]) -> PurgeReport:
    """Delete the text for good from these places; undo cannot bring it back afterwards.

    Backups that hold it are deleted whole, and what else they hold goes to history first; a staged write is dropped
    when it stages nothing but the text, else left; what nobody can read goes whole. Where the text stands inside of
    other entries it is cut out of them, and the rest of them stays. A place that does not let it go
    is told in the report and stops nothing. Raises InvalidArgument as `where_is`, WriteFailed when read-only.
    """
    check_text(text)
    if store.read_only:
        raise WriteFailed("Nothing was purged: memtui was opened read-only.")
    purged: list[Place] = []
    left: list[Left] = []
    # History last: what a backup holds beside the text is recorded there on the way. Of one backup what is cut out of
    # other entries first, or those entries would be recorded as they are.
    for place in sorted(places, key=lambda one: (one.where is Where.HISTORY, not one.is_inside)):
        try:
            why = _purge_place(store, place, unix(text).strip())
        except MemoryRefused as refusal:
            why = str(refusal)
        if why:
            left.append(Left(place, why))
        else:
            purged.append(place)
    return PurgeReport(tuple(purged), tuple(left))


def _purge_place(store: MemoryStore, place: Place, text: str) -> str:
    """Purge one place; why it still holds the text, "" when it does not. Raises a MemoryRefused."""
    if place.obstacle:
        return place.obstacle
    match place.where:
        case Where.BACKUP:
            _delete_backup(store, place, text)
        case Where.STAGED if place.stages_others:
            return "a purge drops none of those; answer it with `memtui pending`, then purge again"
        case Where.STAGED:
            queue_of(store).reject(place.name, sha256=place.sha256)
        case Where.HISTORY | Where.UNREADABLE:
            return _purge_history(store, place, text)
        case Where.SET_ASIDE:
            _delete_set_aside(store, place)
        case Where.KNOWN:
            store.suppressions.revoke(suppression_key(text, place.name))
        case Where.KNOWN_ASIDE:
            _delete_known_aside(store, place, text)
        case Where.LIVE:
            return "reword or remove the entry that holds it" if place.is_inside else "remove the entry that holds it"
        case Where.SESSION if place.is_running:
            return "a prompt is frozen while its session runs"
        case Where.SESSION:
            return "state.db is the agent's own"
    return ""


def _delete_backup(store: MemoryStore, place: Place, text: str) -> None:
    from memtui.disk.lock import hold_locks

    path = store.path_of(place.target)

    def keep_the_rest(raw_bytes: bytes, why: str) -> None:
        rest = (without if place.is_inside else without_entry)(raw_bytes, text)
        summary = f"{why}, without the text to be purged"
        if rest.strip() and not store.recorder.keep_aside(real_path(path), rest, "backup", summary):
            problem = store.recorder.problem
            raise WriteFailed(f"it holds other entries, and history could not take them. {problem}".rstrip())

    with hold_locks(path, store.wait_s, store.cancelled, store.waiting):
        backup = next((one for one in backups_of(path) if one.name == place.name), None)
        if backup is not None and backup.sha256 != place.sha256:
            raise WriteFailed("it has changed since it was looked at")
        if backup is not None:
            delete_backup(backup, keep_the_rest)


def _purge_history(store: MemoryStore, place: Place, text: str) -> str:
    kept, db_path = store.recorder.looking(), store.recorder.db_path
    if kept is None or db_path is None:
        return ""
    key, aside = str(real_path(store.path_of(place.target))), set_aside(db_path)
    if place.where is Where.UNREADABLE:
        kept.purging.unreadable(key)
    else:
        kept.purging.text(key, text, inside=place.is_inside)
    failure = kept.problem  # a search that goes well would clear it
    found = kept.purging.search(key, text)
    left = found.unreadable if place.where is Where.UNREADABLE else found.around if place.is_inside else found.holding
    # What was damaged was set aside on the way, with the text in it.
    if left or found.problem or set_aside(db_path) != aside:
        return kept.problem or failure or "history could not be changed"
    return kept.purging.traces


def _delete_known_aside(store: MemoryStore, place: Place, text: str) -> None:
    for aside in kept_aside(store.suppressions.path, text_sha256(text)):
        if aside.name == place.name:
            delete_kept_aside(aside)


def _delete_set_aside(store: MemoryStore, place: Place) -> None:
    db_path = store.recorder.db_path
    for aside in set_aside(db_path) if db_path else ():
        if aside.name == place.name:
            delete_set_aside(aside)
