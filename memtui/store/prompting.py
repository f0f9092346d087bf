"""The frozen snapshot and the prompt blocks made of it: the agent's own, and those under memtui's guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    """A frozen snapshot and its blocks, each rendered once: the same bytes until a new session."""

    def __init__(self, snapshot: Snapshot, flavour: str, suppressions: Suppressing) -> None:
        self.snapshot = snapshot
        self._flavour = flavour
        self._suppressions = suppressions
        self._blocks: dict[tuple[str, ...], str] = {}

    def blocks(self, targets: tuple[str, ...]) -> str:
        """The blocks of these targets, a placeholder for every entry with a `block` finding; empty when none."""
        if targets not in self._blocks:
            self._blocks[targets] = _render(self.snapshot, targets, self._flavour, self._suppressions)
        return self._blocks[targets]


def agent_prompt(snapshot: Snapshot, flavour: str, rules: str, targets: Sequence[str] = TARGETS) -> str:
    """What the agent itself puts into its prompt for these targets, holes included; "" when there is no entry.

    `rules` is the release of Hermes; an agent of the `pi` flavour scans nothing, so it gets every text.
    """
    if flavour == "pi":
        return pi_block({target: snapshot.entries[target] for target in targets}, {})
    blocks = (agent_block(target, snapshot.raw[target], snapshot.limits[target], rules) for target in targets)
    return "\n\n".join(filter(None, blocks))


def _render(snapshot: Snapshot, targets: Sequence[str], flavour: str, suppressions: Suppressing) -> str:
    blocked = {t: _blocked(snapshot.entries[t], suppressions) for t in targets}
    if flavour == "pi":
        return pi_block({t: snapshot.entries[t] for t in targets}, blocked)
    blocks = (guarded_block(t, snapshot.entries[t], blocked[t], snapshot.limits[t]) for t in targets)
    return "\n\n".join(filter(None, blocks))


def _blocked(texts: Sequence[str], suppressions: Suppressing) -> dict[int, tuple[str, ...]]:
    rules = map(blocking_rules, findings_of(texts, suppressions))
    return {i: ids for i, ids in enumerate(rules) if ids}
