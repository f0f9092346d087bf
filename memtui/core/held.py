"""What a running chat holds of a memory: its session's stored prompt beside the entries on disk.

A placeholder in the prompt is taken for the live entry that the agent would hide behind the very same one.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from memtui.core.diff import Row, RowKind, align
from memtui.core.model import Entry
from memtui.core.snapshot import AgentEntry

_PLACEHOLDER: Final = re.compile(
    r"\[BLOCKED: \S+ entry (?:contained threat pattern\(s\): (?P<ids>.*)|too large to scan \(.*\))"
    r"\. Removed from system prompt; use memory\(action=remove\) to delete the original\.\]"
)


@dataclass(frozen=True, slots=True)
class HeldEntry:
    """One entry as the session's prompt holds it."""

    text: str
    """The live entry behind a placeholder where there is one, else what the prompt shows."""
    shown: str
    """What stands in the prompt: text or placeholder."""
    is_hidden: bool = False
    """True when the chat sees a placeholder."""
    rule_ids: tuple[str, ...] = ()
    """The agent's rules that the placeholder names."""


@dataclass(frozen=True, slots=True)
class HeldView:
    """The entries on disk beside those in one session's prompt."""

    live: tuple[str, ...]
    held: tuple[HeldEntry, ...]
    rows: tuple[Row, ...]
    """`new`: not in the chat yet; `removed`: gone from disk, still in its prompt; `changed`: it holds older text."""

    def count(self, *kinds: RowKind) -> int:
        """How many rows are of these kinds."""
        return sum(row.kind in kinds for row in self.rows)


def held_view(prompt: Sequence[str], entries: Sequence[Entry], agent: Sequence[AgentEntry | None]) -> HeldView:
    """The live entries aligned with those of a session's prompt.

    `prompt`: the entries of one target as the session's stored prompt has them; `entries`: those of the file;
    `agent`: for each of these its twin in the agent's view, as `pairing.paired` gives them.
    """
    unique = [(entry, twin) for entry, twin in zip(entries, agent, strict=True) if entry.duplicate_of is None]
    texts = tuple(entry.text for entry, _ in unique)
    hidden: dict[tuple[str, ...], deque[str]] = defaultdict(deque)
    for entry, twin in unique:
        if _has_placeholder(twin):
            hidden[_rules_in(twin.shown)].append(entry.text)
    seen = {entry.text for entry, twin in unique if not _has_placeholder(twin)}
    held = tuple(_held(shown, seen, hidden) for shown in prompt)
    return HeldView(texts, held, align(texts, [one.text for one in held]))


def _has_placeholder(twin: AgentEntry | None) -> TypeGuard[AgentEntry]:
    """False, too, for an entry of a file of which the agent would read nothing now."""
    return twin is not None and twin.hidden and twin.shown != ""


def _held(shown: str, seen: set[str], hidden: dict[tuple[str, ...], deque[str]]) -> HeldEntry:
    # The agent passes on what an entry itself says, a forged placeholder included.
    if shown in seen or not _PLACEHOLDER.fullmatch(shown):
        return HeldEntry(shown, shown)
    rules = _rules_in(shown)
    behind = hidden.get(rules)
    return HeldEntry(behind.popleft() if behind else shown, shown, True, rules)


def _rules_in(shown: str) -> tuple[str, ...]:
    """The rules that a placeholder names, sorted: the agent orders those of invisible characters by chance."""
    found = _PLACEHOLDER.fullmatch(shown)
    return tuple(sorted(found["ids"].split(", "))) if found and found["ids"] else ()
