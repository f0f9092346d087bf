"""The agent's staged writes, the records in `<home>/pending/memory/*.json`: listed, approved, rejected, made.

A record's id is compared with what the folder lists and never becomes a path; a record that cannot be read is
shown as such, never dropped.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.core.change import Change
from memtui.core.codec import parse
from memtui.core.errors import Conflict, InvalidArgument, NoMatch, NotFound, Unreadable, WriteFailed
from memtui.core.visible import clip, visible_text
from memtui.disk.creation import create_private, make_folder
from memtui.disk.faults import reason_of, shown, write_failed
from memtui.disk.files import read_state
from memtui.disk.homes import Home, resolve_home
from memtui.disk.pending_meant import changed_since, check_pins, check_seen
from memtui.disk.pending_records import PendingWrite, StagedOperation, make_record, read_record
from memtui.disk.whereabouts import openable

if TYPE_CHECKING:
    from memtui.store import MemoryStore

__all__ = ["PendingQueue", "PendingWrite", "StagedOperation"]


class PendingQueue:
    """The staged writes of one home."""

    def __init__(self, home: Home | Path | str) -> None:
        root = home.root if isinstance(home, Home) else Path(os.path.abspath(os.path.expanduser(openable(home))))
        self.folder = root / "pending" / "memory"

    def list(self) -> list[PendingWrite]:
        """All records, oldest first. Never raises: an unreadable one carries its `problem`; see also `obstacle`."""
        return sorted((read_record(path) for path in self._paths()), key=lambda w: (w.created_at, w.id))

    def count(self) -> int:
        """How many records there are, without reading them."""
        return len(self._paths())

    @property
    def obstacle(self) -> str:
        """Why nobody can tell which records there are, in words; empty when they can be listed."""
        try:
            os.scandir(self.folder).close()
        except FileNotFoundError:
            links = (place for place in (self.folder, self.folder.parent) if os.path.islink(place))
            broken = next((link for link in links if not os.path.exists(link)), None)
            return f"{shown(broken)} is a symbolic link to what is not there." if broken else ""
        except OSError as error:
            return f"{shown(self.folder)} cannot be listed: {reason_of(error)}."
        return ""

    def get(self, pending_id: str) -> PendingWrite:
        """The record of that id. Raises NotFound, Unreadable."""
        return read_record(self._path_of(pending_id))

    def stage(
        self, target: str, action: str, operations: Sequence[Mapping[str, Any]], *, origin: str = "foreground"
    ) -> PendingWrite:
        """Queue a write for a person's approval.

        `operations` are mappings with `action`, `content` and `old_text`, and `matched_entry` where the entry
        meant is known; one of them unless the action is `batch`. Raises WriteFailed when nothing could be
        queued, InvalidArgument for more than a record may hold.
        """
        make_folder(self.folder)
        while True:
            pending_id = secrets.token_hex(4)
            path = self.folder / f"{pending_id}.json"
            try:
                create_private(path, make_record(pending_id, target, action, operations, origin), 0o600)
            except FileExistsError:
                continue
            return read_record(path)

    def approve(
        self,
        pending_id: str,
        store: MemoryStore,
        *,
        seen: PendingWrite | None = None,
        edited: Mapping[int, str] | None = None,
        allow: Collection[str] = (),
    ) -> Change:
        """Write a staged change through every guard, then drop its record.

        Applies only to the entry that was meant: the one the record pins, else the one the store last showed.
        `seen`: the record as a person saw it, `matched_entry` filled with the entry that was found then.
        `edited`: other new texts, by the index of the operation. `allow`: rules that a person lets through.
        Raises NotFound, Unreadable, Conflict, or the refusal of the write; the record then stays.
        """
        path = self._path_of(pending_id)
        self._refuse_other_home(store)
        staged = read_record(path)
        if staged.problem:
            message = f"The staged write {shown(pending_id)} cannot be approved: {staged.problem} It stays queued."
            raise Unreadable(message, {"path": os.fspath(path)})
        texts = _live_texts(store, staged.target)
        if seen is not None:
            check_seen(staged, seen, texts)
        meant = seen or staged
        check_pins(meant, texts)
        try:
            change = _apply(meant, store, edited or {}, allow)
        except NoMatch:
            # The pinned entry may have gone since.
            check_pins(meant, _live_texts(store, staged.target))
            raise
        notices = _drop_approved(path, staged)
        return replace(change, notices=(*change.notices, *notices))

    def reject(
        self, pending_id: str, *, sha256: str | None = None, keep: Callable[[PendingWrite], None] | None = None
    ) -> PendingWrite:
        """Drop a staged write without writing it; what was dropped.

        `sha256`: of the record as a person saw it, when only that one is to go. `keep` is handed the record before it
        goes. Raises NotFound, Unreadable, WriteFailed, Conflict for another one, or what `keep` raises; the record
        then stays.
        """
        path = self._path_of(pending_id)
        staged = read_record(path)
        if sha256 is not None and staged.sha256 != sha256:
            raise changed_since(staged)
        if keep is not None:
            keep(staged)
        _drop(path, staged)
        return staged

    def _refuse_other_home(self, store: MemoryStore) -> None:
        home = store.home or resolve_home(store.memories)
        if os.path.realpath(home.root) != os.path.realpath(self.folder.parent.parent):
            raise InvalidArgument(
                f"The staged write belongs to {shown(self.folder.parent.parent)}, and not to {shown(home.root)}; "
                "nothing was written."
            )

    def _paths(self) -> tuple[Path, ...]:
        try:
            with os.scandir(self.folder) as found:
                return tuple(Path(item.path) for item in found if item.name.endswith(".json"))
        except OSError:
            return ()

    def _path_of(self, pending_id: str) -> Path:
        for path in self._paths():
            if path.stem == pending_id:
                return path
        if self.obstacle:
            raise Unreadable(f"{self.obstacle} Nothing was changed.", {"path": os.fspath(self.folder)})
        raise NotFound(f"There is no staged write “{clip(visible_text(str(pending_id)), 60)}”; nothing was changed.")


def _apply(staged: PendingWrite, store: MemoryStore, edited: Mapping[int, str], allow: Collection[str]) -> Change:
    operations = [operation.as_mapping() for operation in staged.operations]
    for index, content in edited.items():
        operations[index]["content"] = content
    if staged.action == "batch":
        return store.batch(staged.target, operations, allow=allow, source="approved")
    (one,) = operations
    if staged.action == "add":
        return store.add(staged.target, one["content"], allow=allow, source="approved")
    if staged.action == "replace":
        return store.replace(staged.target, one["old_text"], one["content"], allow=allow, source="approved")
    return store.remove(staged.target, one["old_text"], source="approved")


def _live_texts(store: MemoryStore, target: str) -> tuple[str, ...]:
    """The entries that stand there. Raises Unreadable where none can be read: they are not gone."""
    path = store.path_of(target)
    state = read_state(path)
    if state.problem:
        raise Unreadable(f"{state.problem} The staged write stays queued.", {"path": os.fspath(path)})
    return parse(state.raw_bytes).texts


def _drop_approved(path: Path, staged: PendingWrite) -> tuple[str, ...]:
    """Remove a record whose change is made; what a person should know where it stays."""
    try:
        _drop(path, staged)
    except WriteFailed as refusal:
        return (f"{refusal} Its change is made: reject it.",)
    except Conflict:
        rewritten = f"The staged write {shown(staged.id)} was rewritten while it was approved"
        return (f"{rewritten}: the approved one is written, the one there now stays queued.",)
    return ()


def _drop(path: Path, staged: PendingWrite) -> None:
    """Remove the record that was read. Raises WriteFailed, and Conflict when another stands there by now.

    One that is gone already is as asked.
    """
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            raise WriteFailed(f"{shown(path)} is a folder, not a record; nothing was changed.", {"path": str(path)})
        if read_record(path).sha256 != staged.sha256:
            raise changed_since(staged)
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise write_failed(error, path, f"The staged write {shown(path.stem)} was not dropped") from error
