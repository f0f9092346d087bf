"""The agent's staged writes: the records in `<home>/pending/memory/*.json` (Hermes' own format), read and answered.

A record's id is compared with what the folder lists and never becomes a path; a record that cannot be read is shown
as such, never dropped.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memtui.core.errors import Conflict, MemoryRefused, NoMatch, NotFound, WriteFailed
from memtui.core.matching import locate
from memtui.core.model import TARGETS, Change
from memtui.core.visible import clip, visible_text
from memtui.disk.atomic import create_private, make_folder
from memtui.disk.faults import shown, write_failed
from memtui.disk.files import read_state

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MAX_RECORD_BYTES: Final = 1024 * 1024
SUMMARY_CHARS: Final = 120
"""Hermes cuts the text in its summaries here."""


@dataclass(frozen=True, slots=True)
class StagedOperation:
    """One operation of a record, as the record says it: unchecked until it is approved."""

    action: str
    content: Any = None
    old_text: Any = None
    matched_entry: str | None = None
    """The entry that was meant, where the record pins it."""

    def as_mapping(self) -> dict[str, Any]:
        """The operation as `MemoryStore.batch` takes it, naming the pinned entry whole."""
        old_text = self.old_text if self.matched_entry is None else self.matched_entry
        return {"action": self.action, "content": self.content, "old_text": old_text}


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """One staged write."""

    id: str
    """The file's name without `.json`."""
    target: str
    action: str
    operations: tuple[StagedOperation, ...]
    summary: str
    origin: str
    created_at: float
    """Unix seconds; the file's time when the record has none."""
    problem: str = ""
    """Why the record cannot be approved, in words; empty when it can."""


class PendingQueue:
    """The staged writes of one home."""

    def __init__(self, home: Path | str) -> None:
        self.folder = Path(home) / "pending" / "memory"

    def list(self) -> list[PendingWrite]:
        """All records, oldest first. Never raises: an unreadable one carries its `problem`."""
        return sorted((_read_record(path) for path in self._paths()), key=lambda w: (w.created_at, w.id))

    def count(self) -> int:
        """How many records there are, without reading them."""
        return len(self._paths())

    def get(self, pending_id: str) -> PendingWrite:
        """The record of that id. Raises NotFound."""
        return _read_record(self._path_of(pending_id))

    def stage(
        self, target: str, action: str, operations: Sequence[Mapping[str, Any]], *, origin: str = "foreground"
    ) -> PendingWrite:
        """Queue a write for a person's approval. Raises WriteFailed when nothing could be queued."""
        pending_id = secrets.token_hex(4)
        record = {
            "id": pending_id,
            "subsystem": "memory",
            "action": action,
            "summary": _summary(target, action, operations),
            "origin": origin,
            "created_at": time.time(),
            "payload": _payload(target, action, operations),
        }
        path = self.folder / f"{pending_id}.json"
        make_folder(self.folder)
        create_private(path, json.dumps(record, ensure_ascii=False, indent=2).encode(), 0o600)
        return _read_record(path)

    def approve(self, pending_id: str, store: MemoryStore) -> Change:
        """Write a staged change through every guard, then drop its record.

        Applies only to the entry that was meant: the one the record pins, else the one the store last showed. Raises
        NotFound, or the refusal of the write; the record then stays.
        """
        path = self._path_of(pending_id)
        staged = _read_record(path)
        if staged.problem:
            raise NotFound(f"The staged write {shown(pending_id)} cannot be approved: {staged.problem} It stays queued.")
        try:
            change = _apply(staged, store)
        except NoMatch as refusal:
            pinned = [o.matched_entry for o in staged.operations if o.matched_entry is not None]
            if not pinned:
                raise
            raise _gone(pinned[0], refusal) from None
        _unlink(path)
        return change

    def reject(self, pending_id: str) -> PendingWrite:
        """Drop a staged write without writing it; what was dropped. Raises NotFound or WriteFailed."""
        path = self._path_of(pending_id)
        staged = _read_record(path)
        _unlink(path)
        return staged

    def _paths(self) -> list[Path]:
        try:
            with os.scandir(self.folder) as found:
                return [Path(item.path) for item in found if item.name.endswith(".json")]
        except OSError:
            return []

    def _path_of(self, pending_id: str) -> Path:
        for path in self._paths():
            if path.stem == pending_id:
                return path
        raise NotFound(f"There is no staged write “{clip(visible_text(str(pending_id)), 60)}”; nothing was changed.")


def _apply(staged: PendingWrite, store: MemoryStore) -> Change:
    _check_pins(staged, store)
    operations = [o.as_mapping() for o in staged.operations]
    if staged.action == "batch":
        return store.batch(staged.target, operations, source="approved")
    (one,) = operations
    if staged.action == "add":
        return store.add(staged.target, one["content"], source="approved")
    if staged.action == "replace":
        return store.replace(staged.target, one["old_text"], one["content"], source="approved")
    return store.remove(staged.target, one["old_text"], source="approved")


def _check_pins(staged: PendingWrite, store: MemoryStore) -> None:
    """Refuse when the text that names the entry now finds another one than the record pins."""
    for operation in staged.operations:
        if operation.matched_entry is None or operation.matched_entry in store.entries(staged.target):
            continue
        texts = store.entries(staged.target)
        try:
            live = texts[locate(texts, str(operation.old_text))]
        except MemoryRefused as refusal:
            raise _gone(operation.matched_entry, refusal) from None
        raise Conflict(
            f"The staged write {shown(staged.id)} was meant for another entry than the one that stands there now; "
            f"nothing was written. Meant: “{_quoted(operation.matched_entry)}”. Now: “{_quoted(live)}”.",
            {"shown": operation.matched_entry, "live": live},
        )


def _gone(meant: str, refusal: MemoryRefused) -> Conflict:
    return Conflict(
        f"The entry that the staged write was meant for is no longer there: “{_quoted(meant)}”. Nothing was written; "
        "the staged write stays queued.",
        {"shown": meant, "live": None, "nearest": refusal.data.get("nearest", [])},
    )


def _quoted(text: str) -> str:
    return clip(visible_text(text), 160)


def _read_record(path: Path) -> PendingWrite:
    state = read_state(path, MAX_RECORD_BYTES)
    written_at = state.identity.mtime_ns / 1e9 if state.identity else 0.0
    if path.is_symlink():
        return _broken(path, written_at, "it is a symbolic link, not a record.")
    if state.problem or not state.exists:
        return _broken(path, written_at, state.problem or "it is gone.")
    try:
        record = json.loads(state.raw_bytes.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return _broken(path, written_at, f"it is not JSON ({type(error).__name__}).")
    payload = record.get("payload") if isinstance(record, dict) else None
    if not isinstance(payload, dict):
        return _broken(path, written_at, "it has no payload.")
    return _understood(path, record, payload, written_at)


def _understood(path: Path, record: Mapping[str, Any], payload: Mapping[str, Any], written_at: float) -> PendingWrite:
    action, target = payload.get("action"), payload.get("target", "memory")
    given = payload.get("operations") if action == "batch" else [payload]
    items = given if isinstance(given, list) else []
    operations = tuple(_operation(item, record) for item in items if isinstance(item, dict))
    created_at = record.get("created_at")
    is_time = isinstance(created_at, (int, float)) and not isinstance(created_at, bool) and 0 < created_at < 1e11
    return PendingWrite(
        id=path.stem,
        target=target if target in TARGETS else "memory",
        action=action if isinstance(action, str) else "",
        operations=operations,
        summary=_text(record.get("summary")),
        origin=_text(record.get("origin")),
        created_at=float(created_at) if is_time else written_at,  # type: ignore[arg-type]
        problem=_problem_of(action, target, items, operations),
    )


def _problem_of(action: object, target: object, items: Sequence[object], operations: Sequence[object]) -> str:
    if target not in TARGETS:
        return f"its target {clip(visible_text(str(target)), 40)} is unknown."
    if action not in ("add", "replace", "remove", "batch"):
        return f"its action {clip(visible_text(str(action)), 40)} is unknown."
    if not operations or len(operations) != len(items):
        return "it holds no operations that can be understood."
    return ""


def _operation(item: Mapping[str, Any], record: Mapping[str, Any]) -> StagedOperation:
    content = item.get("content") if item.get("content") is not None else item.get("new_content")
    pinned = item.get("matched_entry", record.get("matched_entry") if "payload" in record else None)
    return StagedOperation(
        action=_text(item.get("action")),
        content=content,
        old_text=item.get("old_text"),
        matched_entry=pinned if isinstance(pinned, str) and item.get("action") != "add" else None,
    )


def _broken(path: Path, written_at: float, problem: str) -> PendingWrite:
    return PendingWrite(path.stem, "memory", "", (), "", "", written_at, problem)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _payload(target: str, action: str, operations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if action == "batch":
        return {"action": "batch", "target": target, "operations": [dict(o) for o in operations]}
    one = operations[0]
    content = one.get("content") if one.get("content") is not None else one.get("new_content")
    return {"action": action, "target": target, "content": content, "old_text": one.get("old_text")}


def _summary(target: str, action: str, operations: Sequence[Mapping[str, Any]]) -> str:
    if action == "batch":
        return f"{len(operations)} operations on {target}"
    one = operations[0]
    text = str(one.get("content") or one.get("new_content") or one.get("old_text") or "")
    return f"{action} in {target}: {text[:SUMMARY_CHARS]}"


def _unlink(path: Path) -> None:
    """Remove a record. Raises WriteFailed; one that is gone already is as asked."""
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            raise WriteFailed(f"{shown(path)} is a folder, not a record; nothing was changed.", {"path": str(path)})
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise write_failed(error, path, f"The staged write {shown(path.stem)} was not dropped") from error
