"""One staged write as Hermes records it: read tolerantly, judged in words, made anew for memtui's own tool.

Nothing in a record is believed: a field of the wrong kind makes it unreadable or stays out, and none becomes
a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from memtui.core.change import Exactly
from memtui.core.errors import InvalidArgument
from memtui.core.matching import normal_text
from memtui.core.model import TARGETS
from memtui.core.visible import clip, visible_text
from memtui.disk.files import read_state

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
        """The operation as `MemoryStore.batch` takes it, for the pinned entry and none that has grown out of it."""
        meant = self.old_text if self.matched_entry is None else Exactly(self.matched_entry)
        return {"action": self.action, "content": self.content, "old_text": meant}


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
    sha256: str = ""
    """Of the file's bytes; "" when they could not be read."""
    strings: tuple[str, ...] = ()
    """Every text in the record, whatever its field; the whole file where it is no JSON."""

    @property
    def new_texts(self) -> tuple[str, ...]:
        """The texts that it would bring in; of one that cannot be understood every text, for any may be one."""
        contents = [one.content for one in self.operations if one.action != "remove"]
        is_plain = not self.problem and all(isinstance(content, str) for content in contents)
        texts = contents if is_plain else self.strings
        return tuple(text.strip() for text in texts if text.strip())


def read_record(path: Path) -> PendingWrite:
    """The record in a file; one that cannot be understood carries its `problem`. Never raises."""
    if os.path.islink(path):
        return _broken(path, 0.0, "it is a symbolic link, not a record.")
    state = read_state(path, MAX_RECORD_BYTES)
    written_at = state.identity.mtime_ns / 1e9 if state.identity else 0.0
    if state.problem or not state.exists:
        return _broken(path, written_at, state.problem or "it is gone.")
    return replace(_parsed(path, state.raw_bytes, written_at), sha256=hashlib.sha256(state.raw_bytes).hexdigest())


def _parsed(path: Path, raw_bytes: bytes, written_at: float) -> PendingWrite:
    try:
        record = json.loads(raw_bytes.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        broken = _broken(path, written_at, f"it is not JSON ({type(error).__name__}).")
        return replace(broken, strings=(raw_bytes.decode("utf-8", "replace"),))
    payload = record.get("payload") if isinstance(record, dict) else None
    if isinstance(payload, dict):
        read = _understood(path, record, payload, written_at)
    else:
        read = _broken(path, written_at, "it has no payload.")
    return replace(read, strings=tuple(_strings_in(record)))


def _strings_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, in order. Without recursion: it may be nested a thousand deep."""
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, (dict, list)):
            rest += reversed(list(one.values()) if isinstance(one, dict) else one)


def _understood(
    path: Path, record: Mapping[str, Any], payload: Mapping[str, Any], written_at: float
) -> PendingWrite:
    action, target = payload.get("action"), payload.get("target", "memory")
    given = payload.get("operations") if action == "batch" else [payload]
    items = given if isinstance(given, list) else []
    outside = record.get("matched_entry") if action != "batch" else None
    operations = tuple(_operation(item, outside) for item in items if isinstance(item, dict))
    return PendingWrite(
        id=path.stem,
        target=target if target in TARGETS else "memory",
        action=_text(action),
        operations=operations,
        summary=_text(record.get("summary")),
        origin=_text(record.get("origin")),
        created_at=_seconds(record.get("created_at"), written_at),
        problem=_problem_of(action, target, items, operations),
    )


def _problem_of(action: object, target: object, items: Sequence[object], operations: Sequence[object]) -> str:
    if target not in TARGETS:
        return f"its target {_quoted(target)} is unknown."
    if action not in ("add", "replace", "remove", "batch"):
        return f"its action {_quoted(action)} is unknown."
    if not operations or len(operations) != len(items):
        return "it holds no operations that can be understood."
    return ""


def _operation(item: Mapping[str, Any], pinned_outside: object) -> StagedOperation:
    content = item.get("content") if item.get("content") is not None else item.get("new_content")
    pin = normal_text(_text(item.get("matched_entry", pinned_outside)))
    return StagedOperation(
        action=_text(item.get("action")),
        content=content,
        old_text=item.get("old_text"),
        matched_entry=pin if pin and item.get("action") != "add" else None,
    )


def _broken(path: Path, written_at: float, problem: str) -> PendingWrite:
    return PendingWrite(path.stem, "memory", "", (), "", "", written_at, problem)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _seconds(value: object, otherwise: float) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e11:
        return float(value)
    return otherwise


def _quoted(value: object) -> str:
    """A text safely shown; of anything else only its kind, for it may be nested a thousand deep."""
    return f"“{clip(visible_text(value), 40)}”" if isinstance(value, str) else f"({type(value).__name__})"


def make_record(
    pending_id: str, target: str, action: str, operations: Sequence[Mapping[str, Any]], origin: str
) -> bytes:
    """The bytes of a new record. Raises InvalidArgument for what a record cannot hold."""
    try:
        record = {
            "id": pending_id,
            "subsystem": "memory",
            "action": action,
            "summary": _summary(target, action, operations),
            "origin": origin,
            "created_at": time.time(),
            "payload": _payload(target, action, operations),
        }
        # ASCII: half a character, which UTF-8 cannot hold, is refused at approval and not lost here.
        raw_bytes = json.dumps(record, indent=2).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"The write cannot be staged ({error}). Nothing was queued.") from error
    if len(raw_bytes) > MAX_RECORD_BYTES:
        raise InvalidArgument(
            f"The write is too long to be staged: {len(raw_bytes):,} bytes, and a record holds "
            f"{MAX_RECORD_BYTES:,}. Nothing was queued."
        )
    return raw_bytes


def _payload(target: str, action: str, operations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if action == "batch":
        return {"action": "batch", "target": target, "operations": [dict(o) for o in operations]}
    (one,) = operations
    content = one.get("content") if one.get("content") is not None else one.get("new_content")
    pin = {"matched_entry": one["matched_entry"]} if one.get("matched_entry") is not None else {}
    return {"action": action, "target": target, "content": content, "old_text": one.get("old_text"), **pin}


def _summary(target: str, action: str, operations: Sequence[Mapping[str, Any]]) -> str:
    if action == "batch":
        return f"{len(operations)} operations on {target}"
    (one,) = operations
    text = str(one.get("content") or one.get("new_content") or one.get("old_text") or "")
    return f"{action} in {target}: {text[:SUMMARY_CHARS]}"
