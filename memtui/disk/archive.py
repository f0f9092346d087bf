"""The entries that newer Hermes versions keep when they drop them: `memories/ARCHIVE.jsonl`, one a line.

Refuses to hide a line: one that cannot be understood is listed as such. Writes nothing; an entry comes back
through `actions.restore`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from memtui.core.edit import clean_text
from memtui.core.errors import MemoryRefused
from memtui.core.model import FILE_NAMES
from memtui.disk.files import read_state

FILE_NAME: Final = "ARCHIVE.jsonl"
MAX_ENTRIES: Final = 10_000
MAX_WORD_CHARS: Final = 200

_TEXT_KEYS: Final = ("entry", "content", "text", "old_content", "old_text", "value", "memory")
_TARGET_KEYS: Final = ("store", "target", "file", "file_name", "filename", "source")
_TIME_KEYS: Final = (
    "ts",
    "evicted_at",
    "archived_at",
    "removed_at",
    "timestamp",
    "when",
    "time",
    "created_at",
)
_ACTION_KEYS: Final = ("action", "event", "op")
_TARGETS: Final = {
    name: target for target, file in FILE_NAMES.items() for name in (target, file.lower(), file[:-3].lower())
}
_LATEST_S: Final = 1e11
"""Later than this (the year 5138) is no second but a millisecond."""


@dataclass(frozen=True, slots=True)
class ArchivedEntry:
    """One line of the archive. All texts are untrusted."""

    target: str
    """Where the entry stood; "" when the record does not say it."""
    text: str
    """The entry as it stood, stripped; "" when the line cannot be understood."""
    when: float | None
    """Unix seconds; None when the record has no usable time."""
    line: int
    """The line of the file, counted from 1."""
    action: str = ""
    """What became of it, as the record says it (`removed`, `superseded`, …)."""
    reason: str = ""
    problem: str = ""
    """Why it cannot be restored as it is, in words; empty when it can."""


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive holds, newest first."""

    entries: tuple[ArchivedEntry, ...] = ()
    left_out: int = 0
    """How many older lines were not read."""
    problem: str = ""
    """Why the file could not be read, in words; also empty when there is none."""


def read_archive(memories: Path, limit: int = 1000) -> Archive:
    """The newest `limit` (at most 10,000) entries of the archive in a memories folder; never raises."""
    state = read_state(Path(memories) / FILE_NAME)
    if state.problem or not state.exists:
        return Archive(problem=state.problem)
    numbered = [(number, raw) for number, raw in enumerate(state.raw_bytes.split(b"\n"), 1) if raw.strip()]
    wanted = max(0, min(limit, MAX_ENTRIES))
    read = numbered[len(numbered) - wanted :] if wanted < len(numbered) else numbered
    entries = [_read_line(raw, number) for number, raw in read]
    return Archive(_newest_first(entries), len(numbered) - len(read))


def _newest_first(entries: list[ArchivedEntry]) -> tuple[ArchivedEntry, ...]:
    """By time; one without a time stays behind the line that stands before it in the file."""
    times, latest = {}, 0.0
    for entry in entries:
        latest = entry.when if entry.when is not None else latest
        times[entry.line] = latest
    return tuple(sorted(entries, key=lambda entry: (times[entry.line], entry.line), reverse=True))


def _read_line(raw: bytes, line: int) -> ArchivedEntry:
    try:
        record = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _bad(line, "It is not UTF-8.")
    except (ValueError, RecursionError):
        return _bad(line, "It is not JSON; the line may have been cut off.")
    if not isinstance(record, dict):
        return _bad(line, "It is no record.")
    return _understood(record, line)


def _understood(record: Mapping[str, Any], line: int) -> ArchivedEntry:
    text = _first(record, _TEXT_KEYS, lambda value: isinstance(value, str) and value.strip() != "")
    target = _first(record, _TARGET_KEYS, lambda value: isinstance(value, str) and _target_of(value) != "")
    entry = ArchivedEntry(
        target=_target_of(target or ""),
        text="",
        when=next((when for key in _TIME_KEYS if (when := _seconds(record.get(key))) is not None), None),
        line=line,
        action=_word(_first(record, _ACTION_KEYS)),
        reason=_word(record.get("reason")),
    )
    if text is None:
        return replace(entry, problem="The record holds no text of an entry.")
    try:
        entry = replace(entry, text=clean_text(text, "The archived entry"))
    except MemoryRefused as refusal:
        return replace(entry, text=text.strip(), problem=str(refusal))
    return (
        entry if entry.target else replace(entry, problem="The record does not say which file it stood in.")
    )


def _first(record: Mapping[str, Any], keys: tuple[str, ...], fits: Callable[[Any], bool] = bool) -> Any:
    return next((record[key] for key in keys if key in record and fits(record[key])), None)


def _target_of(name: str) -> str:
    """The target that a store's or file's name means (`user`, `USER.md`, `/a/path/USER.md`); "" for none."""
    return _TARGETS.get(name.strip().lower().replace("\\", "/").rpartition("/")[2], "")


def _seconds(value: object) -> float | None:
    """Unix seconds of a number, a number in text, or an ISO 8601 time (UTC where it names no zone)."""
    number = _number(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < _LATEST_S * 1000:
        return None
    return number / 1000 if number >= _LATEST_S else float(number)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        parsed = datetime.fromisoformat(text.strip())
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _word(value: object) -> str:
    return value[:MAX_WORD_CHARS] if isinstance(value, str) else ""


def _bad(line: int, problem: str) -> ArchivedEntry:
    return ArchivedEntry("", "", None, line, problem=problem)
