"""Where a removed text still lies around a home, and which places nobody can look into. It changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memtui.actions.pending import queue_of
from memtui.core.cutting import entries_around, holds, is_entry, unix, without_entry
from memtui.core.digest import text_sha256
from memtui.core.errors import InvalidArgument, NotFound, Unreadable
from memtui.core.model import FILE_NAMES, TARGETS, entry_name
from memtui.core.threats.masking import masked_preview
from memtui.core.visible import visible_text
from memtui.disk.backups import backups_of, read_backup
from memtui.disk.files import read_state, real_path
from memtui.disk.history_file import set_aside
from memtui.disk.pending import PendingWrite
from memtui.disk.suppressions import kept_aside
from memtui.opening import home_of

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MIN_CHARS: Final = 8
"""A shorter text stands in too many others: purging "uv" would take half of a history with it."""
MAX_SESSIONS: Final = 200
TOLD_OTHERS: Final = 3
QUOTED_CELLS: Final = 40


class Where(StrEnum):
    """The kinds of places where a text may lie."""

    LIVE = "live"
    BACKUP = "backup"
    STAGED = "staged"
    HISTORY = "history"
    UNREADABLE = "unreadable_versions"
    """Versions that are damaged: nobody can tell whether they hold the text."""
    SET_ASIDE = "damaged_history"
    """A whole history that was damaged and set aside, as little to be searched."""
    KNOWN = "known_and_fine"
    KNOWN_ASIDE = "known_and_fine_aside"
    """An earlier list of what is known and fine that was kept aside because it was damaged."""
    SESSION = "session"


PURGEABLE: Final = frozenset({Where.BACKUP, Where.STAGED, Where.HISTORY, Where.KNOWN, Where.KNOWN_ASIDE})
CUTTABLE: Final = frozenset({Where.BACKUP, Where.HISTORY})
UNREAD: Final = frozenset({Where.UNREADABLE, Where.SET_ASIDE})


@dataclass(frozen=True, slots=True)
class Place:
    """One place that holds the text, or that nobody can search for it."""

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
    is_inside: bool = False
    """True where the text is no entry by itself and stands inside of others."""
    others: tuple[str, ...] = ()
    """Those others, as many as are told. Untrusted."""
    obstacle: str = ""
    """Why the place could not be searched, in words for a person; empty when the text was found there."""

    @property
    def is_purgeable(self) -> bool:
        """True when the text was found there and a purge deletes it."""
        return self.where in PURGEABLE and not (self.stages_others or self.obstacle or self.is_inside)

    @property
    def is_cuttable(self) -> bool:
        """True when a purge can cut the text out of other entries there, which it does only when just that is meant."""
        return self.where in CUTTABLE and self.is_inside

    @property
    def is_unread(self) -> bool:
        """True for what nobody can read: a purge deletes it only when just that is meant."""
        return self.where in UNREAD

    @property
    def is_found(self) -> bool:
        """True when the text was found there; False when nobody can tell."""
        return not self.obstacle and not self.is_unread

    @property
    def words(self) -> str:
        """The place in display-safe words."""
        more = ", which holds other text, too" if self.stages_others else ""
        if self.is_inside:
            more = f", inside {_told(self.others)}"
        if self.obstacle:
            more = f", which could not be searched: {self.obstacle}"
        return visible_text(f"{self._named}{more}")

    @property
    def _named(self) -> str:
        session = f"the agent's record of the ended session {self.name}"
        if self.is_running:
            session = f"the prompt of the running session {self.name}, until its next session begins"
        return {
            Where.LIVE: f"{self.name} itself",
            Where.BACKUP: f"the backup {self.name}",
            Where.STAGED: f"the staged write {self.name}" if self.name else "the staged writes",
            Where.HISTORY: f"memtui's history of {self.name}" + ("" if self.obstacle else f": {self._versions('')}"),
            Where.UNREADABLE: f"memtui's history of {self.name}: {self._versions('damaged ')} that nobody can read",
            Where.SET_ASIDE: f"the damaged history {self.name} that was set aside and that nobody can read",
            Where.KNOWN: f"what is known and fine: rule {self.name}" if self.name else "what is known and fine",
            Where.KNOWN_ASIDE: f"the earlier list of what is known and fine, {self.name}",
            Where.SESSION: session if self.name else "the agent's record of its sessions",
        }[self.where]

    def _versions(self, kind: str) -> str:
        return f"1 {kind}version" if self.count == 1 else f"{self.count:,} {kind}versions"


def _told(others: tuple[str, ...]) -> str:
    """Entries by the names that `purge` takes, with how they begin."""
    named = [f"#{entry_name(text)} “{masked_preview(text, QUOTED_CELLS)}”" for text in others[:TOLD_OTHERS]]
    if (more := len(others) - TOLD_OTHERS) > 0:
        named.append(f"{more} more")
    return f"{'another entry' if len(others) == 1 else 'other entries'}: {', '.join(named)}" if named else "other text"


def where_is(store: MemoryStore, text: str) -> tuple[Place, ...]:
    """Every place around the store's home that holds the text, and every one that cannot be searched. Looks only.

    What can be purged comes first. Raises InvalidArgument for a text too short to be told from other words.
    """
    check_text(text)
    text = unix(text).strip()
    return (
        *_in_backups(store, text),
        *_in_staged(store, text),
        *_in_history(store, text),
        *_in_known(store, text),
        *_in_sessions(store, text),
        *_in_files(store, text),
    )


def check_text(text: str) -> None:
    """Raises InvalidArgument for a text too short to be told from other words."""
    if len(text.strip()) < MIN_CHARS:
        raise InvalidArgument(
            f"A text of fewer than {MIN_CHARS} characters stands in too many others to be purged; nothing was changed."
        )


def _in_files(store: MemoryStore, text: str) -> Iterator[Place]:
    for target in TARGETS:
        state = read_state(store.path_of(target))
        if state.problem:
            yield Place(Where.LIVE, FILE_NAMES[target], target, obstacle=state.problem)
        yield from _in_bytes(Place(Where.LIVE, FILE_NAMES[target], target), state.raw_bytes, text)


def _in_bytes(place: Place, raw_bytes: bytes, text: str) -> Iterator[Place]:
    """The place once where the text is an entry of these bytes, and once where it stands inside of others."""
    if is_entry(raw_bytes, text):
        yield place
    if holds(without_entry(raw_bytes, text), text):
        yield replace(place, is_inside=True, others=entries_around(raw_bytes, text))


def _in_backups(store: MemoryStore, text: str) -> Iterator[Place]:
    for target in TARGETS:
        for backup in backups_of(store.path_of(target)):
            try:
                place = Place(Where.BACKUP, backup.name, target, sha256=backup.sha256)
                yield from _in_bytes(place, read_backup(backup), text)
            except NotFound:
                continue
            except Unreadable as refusal:
                yield Place(Where.BACKUP, backup.name, target, obstacle=str(refusal))


def _in_staged(store: MemoryStore, text: str) -> Iterator[Place]:
    queue = queue_of(store)
    if queue.obstacle:
        yield Place(Where.STAGED, "", obstacle=queue.obstacle)
    for staged in queue.list():
        if not staged.sha256:
            yield Place(Where.STAGED, staged.id, obstacle=staged.problem)
        elif any(text in unix(part) for part in staged.strings):
            others = bool(staged.problem) or _holds_more(staged, text)
            yield Place(Where.STAGED, staged.id, staged.target, sha256=staged.sha256, stages_others=others)


def _holds_more(staged: PendingWrite, text: str) -> bool:
    """True when a staged write is about other text, too: its new texts, or the entries that it is meant for."""
    entries = [value for one in staged.operations for value in (one.content, one.matched_entry)]
    # An old text may be a part of the entry that it names; a new one that is a part of the text is another entry.
    return any(_plain(one) not in ("", text.strip()) for one in entries) or any(
        _plain(one.old_text) not in text for one in staged.operations
    )


def _plain(value: object) -> str:
    return unix(value).strip() if isinstance(value, str) else ""


def _in_history(store: MemoryStore, text: str) -> Iterator[Place]:
    history = store.recorder.looking()
    for target in TARGETS if history else ():
        path = store.path_of(target)
        found = history.purging.search(str(real_path(path)), text) if history else None
        if found and found.problem:
            yield Place(Where.HISTORY, path.name, target, obstacle=found.problem)
        if found and found.holding:
            yield Place(Where.HISTORY, path.name, target, found.holding)
        if found and found.around:
            yield Place(Where.HISTORY, path.name, target, found.around, is_inside=True, others=found.others)
        if found and found.unreadable:
            yield Place(Where.UNREADABLE, path.name, target, found.unreadable)
    if store.recorder.db_path is not None:
        yield from (Place(Where.SET_ASIDE, aside.name) for aside in set_aside(store.recorder.db_path))


def _in_known(store: MemoryStore, text: str) -> Iterator[Place]:
    sha256 = text_sha256(text)
    yield from (Place(Where.KNOWN, one.rule_id) for one in store.suppressions.items if one.sha256 == sha256)
    yield from (Place(Where.KNOWN_ASIDE, aside.name) for aside in kept_aside(store.suppressions.path, sha256))
    if store.suppressions.problem:
        yield Place(Where.KNOWN, "", obstacle=store.suppressions.problem)


def _in_sessions(store: MemoryStore, text: str) -> Iterator[Place]:
    from memtui.disk.sessions import read_sessions

    found = read_sessions(home_of(store).root, MAX_SESSIONS)
    for session in found.sessions:
        if any(text in entry for block in session.blocks.values() for entry in block):
            source = f" ({session.source})" if session.source else ""
            yield Place(Where.SESSION, f"{session.id}{source}", is_running=session.ended_at is None)
    if not found.is_read:
        yield Place(Where.SESSION, "", obstacle=found.problem)
