"""Pairs our entries with the entries as the agent parsed them: the two may cut one file in different places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.model import Entry

if TYPE_CHECKING:
    from memtui.core.snapshot import AgentEntry

NOT_UTF8: Final = "not_utf8"
"""What stands for a rule where the agent gets nothing of a file, since it cannot read its bytes."""


def unread(entries: Sequence[Entry]) -> tuple[AgentEntry, ...]:
    """The entries of a file of which the agent reads nothing, as a view of them; of equal ones the first."""
    from memtui.core.snapshot import AgentEntry

    return tuple(AgentEntry("", True, (NOT_UTF8,), entry.span) for entry in entries if entry.duplicate_of is None)


def paired(entries: Sequence[Entry], agent_entries: Sequence[AgentEntry]) -> tuple[AgentEntry | None, ...]:
    """For every entry of a file the agent's entry whose raw span covers it.

    A repeated text is paired with what the agent keeps, the first. None where the agent has nothing: bytes that
    it cannot read.
    """
    spans = sorted(agent_entries, key=lambda one: one.span)
    found: list[AgentEntry | None] = []
    at = 0
    for entry in entries:
        if entry.duplicate_of is not None:
            found.append(found[entry.duplicate_of])
            continue
        while at < len(spans) and spans[at].span[1] < entry.span[1]:
            at += 1
        covers = at < len(spans) and spans[at].span[0] <= entry.span[0]
        found.append(spans[at] if covers else None)
    return tuple(found)
