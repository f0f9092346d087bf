"""Refusals: every reason for which memtui does not do what it was asked, as a typed value with a stable code.

A refusal is never a crash: the file is as it was, the message says what happened to which file and what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class MemoryRefused(Exception):
    """Base of all refusals.

    `str(e)` is the message for a person (one line, or one line and a list), `e.code` the stable code for programs and
    `e.data` its details as JSON-ready values.
    """

    code: ClassVar[str] = "refused"

    def __init__(self, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.data: dict[str, Any] = dict(data or {})


class InvalidArgument(MemoryRefused):
    """The arguments cannot be meant: unknown target, empty text, a delimiter line, control characters."""

    code = "invalid"


class ThreatFound(MemoryRefused):
    """The new text carries a finding of severity `block`."""

    code = "threat"


class OverBudget(MemoryRefused):
    """The result would exceed the character limit and is not smaller than what stands there."""

    code = "over_budget"


class NoMatch(MemoryRefused):
    """No entry equals or contains `old_text`; `data["nearest"]` holds what comes close."""

    code = "no_match"


class Ambiguous(MemoryRefused):
    """Several different entries contain `old_text`; `data["candidates"]` holds them."""

    code = "ambiguous"


class Conflict(MemoryRefused):
    """The entry on disk is not the one this caller was shown; `data` holds `shown` and `live`."""

    code = "conflict"


class MergedEntry(MemoryRefused):
    """`old_text` names one note of an entry that holds several; `data["parts"]` lists them."""

    code = "merged"


class DriftFound(MemoryRefused):
    """The file holds something a rewrite could lose; `data` has the reason, the place and, of a write, the backup."""

    code = "drift"


class Locked(MemoryRefused):
    """Another program held the lock longer than the deadline; `data["lock"]` names it."""

    code = "locked"


class Unreadable(MemoryRefused):
    """The file exists and cannot be read (or is not a file)."""

    code = "unreadable"


class WriteFailed(MemoryRefused):
    """The disk refused the write or the backup; the old file is whole."""

    code = "write_failed"


class Disabled(MemoryRefused):
    """The home's configuration has memory switched off (holds for the agent's tool, not for people)."""

    code = "disabled"


class NotFound(MemoryRefused):
    """A named thing (home, version, backup, staged write) is not there."""

    code = "not_found"
