"""The frozen snapshot and the prompt blocks made of it: the agent's own, and those under memtui's guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui.core.codec import parse
from memtui.core.model import TARGETS
from memtui.core.snapshot import agent_block, guarded_block, pi_block
from memtui.store.guard import Suppressing, blocking_rules, findings_of


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a session's prompt holds: captured once, the same until it is captured again."""

    entries: Mapping[str, tuple[str, ...]]
    """Per target the texts, exact duplicates folded."""
    raw: Mapping[str, bytes]
    """Per target the bytes the texts were read from."""
    limits: Mapping[str, int]
    frozen_at: float
    """Unix seconds."""


class SessionPrompt:
    """A frozen snapshot and its blocks, each target judged once: the same bytes until a new session."""

    def __init__(self, snapshot: Snapshot, flavour: str, suppressions: Suppressing) -> None:
        self.snapshot = snapshot
        self._flavour = flavour
        self._suppressions = suppressions
        self._blocked: dict[str, Mapping[int, tuple[str, ...]]] = {}

    def blocks(self, targets: Sequence[str]) -> str:
        """The blocks of these targets, a placeholder for every entry with a `block` finding; empty when none."""
        entries = {t: self.snapshot.entries[t] for t in targets}
        blocked = {t: self._judged(t) for t in targets}
        if self._flavour == "pi":
            return pi_block(entries, blocked)
        blocks = (guarded_block(t, entries[t], blocked[t], self.snapshot.limits[t]) for t in targets)
        return "\n\n".join(filter(None, blocks))

    def _judged(self, target: str) -> Mapping[int, tuple[str, ...]]:
        """By position the rules that block an entry, as they and the suppressions were at the first question."""
        if target not in self._blocked:
            rules = map(blocking_rules, findings_of(self.snapshot.entries[target], self._suppressions))
            self._blocked[target] = {i: ids for i, ids in enumerate(rules) if ids}
        return self._blocked[target]


def unread_targets(snapshot: Snapshot, flavour: str, targets: Sequence[str] = TARGETS) -> tuple[str, ...]:
    """The targets of which the agent reads nothing although there are entries: their bytes are not UTF-8."""
    if flavour == "pi":
        return ()
    return tuple(target for target in targets if parse(snapshot.raw[target]).bad_byte is not None)


def agent_prompt(snapshot: Snapshot, flavour: str, rules: str, targets: Sequence[str] = TARGETS) -> str:
    """What the agent itself puts into its prompt for these targets, holes included; "" when there is no entry.

    `rules` is the release of Hermes; an agent of the `pi` flavour scans nothing, so it gets every text.
    """
    if flavour == "pi":
        return pi_block({target: snapshot.entries[target] for target in targets}, {})
    blocks = (agent_block(target, snapshot.raw[target], snapshot.limits[target], rules) for target in targets)
    return "\n\n".join(filter(None, blocks))
