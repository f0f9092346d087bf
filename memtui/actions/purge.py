"""Purge: where a removed text still lies around a home, and deleting it there for good.

It tells of every place before it touches one. What else a purged backup held goes to history first; what only the
agent may change (its running session, its record of sessions) is told and left alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memtui.actions.pending import queue_of
from memtui.actions.sources import backups_of
from memtui.core.codec import parse
from memtui.core.errors import InvalidArgument, MemoryRefused, WriteFailed
from memtui.core.model import FILE_NAMES, TARGETS
from memtui.disk.backups import Backup, delete_backup, read_backup
from memtui.disk.files import read_state, real_path
from memtui.disk.pending import StagedOperation
from memtui.opening import home_of

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MIN_CHARS: Final = 8
"""A shorter text stands in too many others: purging "uv" would take half of a history with it."""
MAX_SESSIONS: Final = 200


class Where(StrEnum):
    """The kinds of places where a text may lie."""

    LIVE = "live"
    BACKUP = "backup"
    STAGED = "staged"
    HISTORY = "history"
    KNOWN = "known_and_fine"
    SESSION = "session"


PURGEABLE: Final = frozenset({Where.BACKUP, Where.STAGED, Where.HISTORY, Where.KNOWN})


@dataclass(frozen=True, slots=True)
class Place:
    """One place that holds the text."""

    where: Where
    name: str
    """Which file, record or session. Chosen by others: to be shown through `core.visible`."""
    target: str = ""
    count: int = 1
    """Versions, in history."""
    is_running: bool = False
    """For a session: that nobody recorded its end."""
    sha256: str = ""
    """Of a backup's or staged write's file as it was looked at; another one is not deleted."""
    stages_others: bool = False
    """For a staged write: that it holds other text, too, or cannot be understood."""

    @property
    def is_purgeable(self) -> bool:
        """False for what a purge leaves alone."""
        return self.where in PURGEABLE and not self.stages_others

    @property
    def words(self) -> str:
        """The place in words."""
        versions = "1 version" if self.count == 1 else f"{self.count:,} versions"
        session = f"the agent's record of the ended session {self.name}"
        if self.is_running:
            session = f"the prompt of the running session {self.name}, until its next session begins"
        others = ", which holds other text, too" if self.stages_others else ""
        return {
            Where.LIVE: f"{self.name} itself",
            Where.BACKUP: f"the backup {self.name}",
            Where.STAGED: f"the staged write {self.name}{others}",
            Where.HISTORY: f"memtui's history of {self.name}: {versions}",
            Where.KNOWN: f"what is known and fine: rule {self.name}",
            Where.SESSION: session,
        }[self.where]


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


def where_is(store: MemoryStore, text: str) -> tuple[Place, ...]:
    """Every place around the store's home that holds the text, what can be purged first. Looks only.

    Raises InvalidArgument for a text too short to be told from other words.
    """
    needle = _needle(text)
    places = (
        *_in_backups(store, needle),
        *_in_staged(store, text),
        *_in_history(store, text),
        *_in_known(store, text),
        *_in_sessions(store, text),
        *_in_files(store, needle),
    )
    return tuple(places)


def purge(store: MemoryStore, text: str, places: Sequence[Place]) -> PurgeReport:
    """Delete the text for good from these places; undo cannot bring it back afterwards.

    Backups that hold it are deleted whole, and what else they hold goes to history first; a staged write is dropped
    when it stages nothing but the text, else left. A place that does not let it go is told in the report and stops
    nothing. Raises InvalidArgument as `where_is`, WriteFailed when read-only.
    """
    needle = _needle(text)
    if store.read_only:
        raise WriteFailed("Nothing was purged: memtui was opened read-only.")
    purged: list[Place] = []
    left: list[Left] = []
    # History last: what a backup holds beside the text is recorded there on the way.
    for place in sorted(places, key=lambda one: one.where is Where.HISTORY):
        try:
            why = _purge_place(store, place, text, needle)
        except MemoryRefused as refusal:
            why = str(refusal)
        if why:
            left.append(Left(place, why))
        else:
            purged.append(place)
    return PurgeReport(tuple(purged), tuple(left))


def _purge_place(store: MemoryStore, place: Place, text: str, needle: bytes) -> str:
    """Purge one place; why it still holds the text, "" when it does not. Raises a MemoryRefused."""
    match place.where:
        case Where.BACKUP:
            _delete_backup(store, place, needle)
        case Where.STAGED if place.stages_others:
            return "a purge drops none of those; answer it with `memtui pending`, then purge again"
        case Where.STAGED:
            queue_of(store).reject(place.name, sha256=place.sha256)
        case Where.HISTORY:
            return _purge_history(store, place, text)
        case Where.KNOWN:
            store.suppressions.revoke(f"{_sha256(text)}:{place.name}")
        case Where.LIVE:
            return "remove the entry that holds it"
        case Where.SESSION if place.is_running:
            return "a prompt is frozen while its session runs"
        case Where.SESSION:
            return "state.db is the agent's own"
    return ""


def _delete_backup(store: MemoryStore, place: Place, needle: bytes) -> None:
    from memtui.disk.lock import hold_locks

    path = store.path_of(place.target)

    def keep_the_rest(raw_bytes: bytes, why: str) -> None:
        rest = _plain(raw_bytes).replace(needle, b"")
        summary = f"{why}, without what was purged"
        if parse(rest).texts and not store.recorder.keep_aside(real_path(path), rest, "backup", summary):
            problem = store.recorder.problem
            raise WriteFailed(f"it holds other entries, and history could not take them. {problem}".rstrip())

    with hold_locks(path, store.wait_s, store.cancelled, store.waiting):
        backup = next((one for one in backups_of(path) if one.name == place.name), None)
        if backup is not None and backup.sha256 != place.sha256:
            raise WriteFailed("it has changed since it was looked at")
        if backup is not None:
            delete_backup(backup, keep_the_rest)


def _purge_history(store: MemoryStore, place: Place, text: str) -> str:
    kept, key = store.recorder.looking(), str(real_path(store.path_of(place.target)))
    if kept is None:
        return ""
    kept.purge_text(key, text)
    return "" if not kept.count_holding(key, text) else kept.problem or "history could not be changed"


def _in_files(store: MemoryStore, needle: bytes) -> Iterator[Place]:
    for target in TARGETS:
        if needle in _plain(read_state(store.path_of(target)).raw_bytes):
            yield Place(Where.LIVE, FILE_NAMES[target], target)


def _in_backups(store: MemoryStore, needle: bytes) -> Iterator[Place]:
    for target in TARGETS:
        for backup in backups_of(store.path_of(target)):
            if needle in _plain(_bytes_of(backup)):
                yield Place(Where.BACKUP, backup.name, target, sha256=backup.sha256)


def _in_staged(store: MemoryStore, text: str) -> Iterator[Place]:
    for staged in queue_of(store).list():
        if any(text in part for part in staged.strings):
            parts = (part for operation in staged.operations for part in _operation_texts(operation))
            others = bool(staged.problem) or any(_has_more(part, text) for part in parts)
            yield Place(Where.STAGED, staged.id, staged.target, sha256=staged.sha256, stages_others=others)


def _has_more(part: str, text: str) -> bool:
    return part.strip() not in text and part.replace(text, "").strip() != ""


def _in_history(store: MemoryStore, text: str) -> Iterator[Place]:
    history = store.recorder.looking()
    for target in TARGETS if history else ():
        path = store.path_of(target)
        count = history.count_holding(str(real_path(path)), text) if history else 0
        if count:
            yield Place(Where.HISTORY, path.name, target, count)


def _in_known(store: MemoryStore, text: str) -> Iterator[Place]:
    sha256 = _sha256(text)
    yield from (Place(Where.KNOWN, one.rule_id) for one in store.suppressions.items if one.sha256 == sha256)


def _in_sessions(store: MemoryStore, text: str) -> Iterator[Place]:
    from memtui.disk.sessions import read_sessions

    for session in read_sessions(home_of(store).root, MAX_SESSIONS).sessions:
        if any(text in entry for block in session.blocks.values() for entry in block):
            source = f" ({session.source})" if session.source else ""
            yield Place(Where.SESSION, f"{session.id}{source}", is_running=session.ended_at is None)


def _operation_texts(operation: StagedOperation) -> Iterator[str]:
    parts = (operation.content, operation.old_text, operation.matched_entry)
    return (part for part in parts if isinstance(part, str))


def _bytes_of(backup: Backup) -> bytes:
    try:
        return read_backup(backup)
    except MemoryRefused:
        return b""


def _plain(raw_bytes: bytes) -> bytes:
    return raw_bytes.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _needle(text: str) -> bytes:
    if len(text.strip()) < MIN_CHARS:
        raise InvalidArgument(
            f"A text of fewer than {MIN_CHARS} characters stands in too many others to be purged; nothing was changed."
        )
    return _plain(text.encode("utf-8", "surrogatepass"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
