"""What people do with the copies beside a memory file: delete those that hold nothing more, bring one back.

None is deleted whose bytes history does not hold, and none that says something the file does not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.actions.restore import restore_bytes
from memtui.actions.sources import Source, SourceVerdict, backup_named, judged_backups
from memtui.core.change import Change
from memtui.core.errors import MemoryRefused, WriteFailed
from memtui.core.model import MemoryFile
from memtui.disk.backups import Backup, backups_of, delete_backup, make_backup, read_backup
from memtui.disk.files import read_state, real_path
from memtui.store.writing import NEW_FILE_MODE

if TYPE_CHECKING:
    from memtui.store import MemoryStore

_SWAP_FILE = re.compile(r"\..+\.sw[a-p]")


@dataclass(frozen=True, slots=True)
class Kept:
    """A copy that was not deleted, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """How a deletion of backups ended."""

    removed: tuple[str, ...]
    kept: tuple[Kept, ...]

    def __str__(self) -> str:
        count = len(self.removed)
        if not count:
            return "No backup was deleted."
        return f"Deleted {count} {'backup' if count == 1 else 'backups'}; the history holds what they held."


def deletable_backups(store: MemoryStore, target: str) -> tuple[Source, ...]:
    """The copies that say nothing the file does not: identical to it, or every entry of theirs is live."""
    return tuple(one for one in judged_backups(store.inspect(target, scan=False)) if not why_kept(one))


def identical_backups(store: MemoryStore, target: str) -> tuple[Source, ...]:
    """The copies with the very bytes of the file, or of a newer backup."""
    return tuple(one for one in judged_backups(store.inspect(target, scan=False)) if is_identical(one))


def is_identical(source: Source) -> bool:
    """True for a copy whose bytes stand in the file, or in a newer backup."""
    is_twin = source.verdict is SourceVerdict.IDENTICAL or source.twin != ""
    return is_twin and not _is_swap_file(source.name)


def why_kept(source: Source) -> str:
    """Why a copy must stay; "" when nothing would be lost without it."""
    if _is_swap_file(source.name):
        return "it belongs to an editor that may still be open"
    if source.verdict in (SourceVerdict.IDENTICAL, SourceVerdict.ALL_LIVE):
        return ""
    return source.words


def delete_backups(
    store: MemoryStore,
    target: str,
    names: Collection[str],
    may_go: Callable[[Source], bool] = lambda source: not why_kept(source),
) -> Deleted:
    """Delete the named copies, each once history holds its bytes; what may not go is kept and told why.

    Every copy is judged again under the file's lock, by `may_go`, and only the bytes that were judged go. Raises a
    MemoryRefused (read-only, lock).
    """
    from memtui.disk.lock import hold_locks

    path = store.path_of(target)
    if store.read_only:
        raise WriteFailed("No backup was deleted: memtui was opened read-only.", {"path": str(path)})
    removed, kept = [], []
    with hold_locks(path, store.wait_s, store.cancelled, store.waiting):
        file = store.inspect(target, scan=False)
        judged = {one.name: one for one in judged_backups(file)}
        listed = {backup.name: backup for backup in backups_of(path)}
        for name in dict.fromkeys(names):
            if name not in judged or name not in listed:
                kept.append(Kept(name, "there is no such backup"))
            elif not may_go(judged[name]):
                kept.append(Kept(name, why_kept(judged[name]) or "it is not among those to be deleted"))
            elif problem := _delete(store, path, replace(listed[name], sha256=judged[name].sha256)):
                kept.append(Kept(name, problem))
            else:
                removed.append(name)
    return Deleted(tuple(removed), tuple(kept))


def restore_backup(store: MemoryStore, target: str, name: str) -> Change:
    """Put a copy back byte for byte. Raises NotFound, Unreadable or another MemoryRefused."""
    return restore_bytes(store, target, read_backup(backup_named(store.path_of(target), name)))


def back_up(file: MemoryFile) -> Backup:
    """A backup of the file's bytes beside it, unless there is one. Raises WriteFailed."""
    path = Path(file.path)
    return make_backup(path, file.raw, read_state(path).mode or NEW_FILE_MODE, int(time.time()))


def _delete(store: MemoryStore, path: Path, backup: Backup) -> str:
    """Delete one copy; why it stays, "" when it went."""

    def keep(raw_bytes: bytes, why: str) -> None:
        if not store.recorder.keep_aside(real_path(path), raw_bytes, "backup", why):
            raise WriteFailed(f"history could not take its bytes. {store.recorder.problem}".rstrip())

    try:
        delete_backup(backup, keep)
    except MemoryRefused as refusal:
        return str(refusal)
    return ""


def _is_swap_file(name: str) -> bool:
    return _SWAP_FILE.fullmatch(name) is not None
