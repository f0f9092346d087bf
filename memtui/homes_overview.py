"""Many homes at a glance: a row for each with budgets, verdicts, threats and what waits for a person.

Rows come as they are made, so that two hundred homes need not be read before the first is shown. It writes and
records nothing, and no home's state ends it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.core.judgement import State, state_of
from memtui.core.model import TARGETS, MemoryFile
from memtui.core.pairing import paired
from memtui.disk.files import identity_of
from memtui.disk.homes import Home
from memtui.disk.pending import PendingQueue
from memtui.opening import open_home
from memtui.store import MemoryStore


@dataclass(frozen=True, slots=True)
class ThreatCounts:
    """How many entries are in each state that is not clean."""

    dangerous: int = 0
    """The agent reads it."""
    blocked: int = 0
    hidden: int = 0
    """Harmless, and the agent cannot see it."""
    warning: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.dangerous + self.blocked + self.hidden + self.warning


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One target of one home."""

    file: MemoryFile
    """Every verdict; `findings` are empty in a row that was not scanned."""
    is_enabled: bool
    """False when the home's configuration switches this memory off."""
    threats: ThreatCounts
    changed_at: float | None
    """When the file was last changed, in seconds since 1970; None when there is none."""


@dataclass(frozen=True, slots=True)
class HomeRow:
    """One home at one moment. Paths and problems are untrusted text."""

    home: Home
    flavour: str
    exists: bool
    """False for a home that was named and that the first write would make."""
    targets: tuple[TargetRow, ...]
    staged_count: int
    has_write_approval: bool
    problems: tuple[str, ...]
    """Of the configuration, of files that cannot be read and of staged writes that cannot be listed, in words."""
    is_scanned: bool
    """False when threats were not looked for: their counts are then 0."""

    @property
    def changed_at(self) -> float | None:
        """When either file was last changed, in seconds since 1970."""
        return max((row.changed_at for row in self.targets if row.changed_at is not None), default=None)


def home_rows(homes: Iterable[Home], *, scan: bool = True, flavour: str | None = None) -> Iterator[HomeRow]:
    """A row for each home, in their order, each made when it is asked for. Never raises.

    `scan=False` leaves threats out: the first rows need not wait until the rules are compiled. `flavour` beats
    that of the homes.
    """
    return (home_row(home, scan=scan, flavour=flavour) for home in homes)


def home_row(home: Home, *, scan: bool = True, flavour: str | None = None) -> HomeRow:
    """One home's row. Never raises."""
    store = open_home(home, flavour=flavour)
    settings = store.settings
    is_on = {"memory": settings.memory_enabled, "user": settings.user_profile_enabled}
    targets = tuple(_target_row(store, target, is_on[target], scan) for target in TARGETS)
    queue = PendingQueue(home.root)
    unread = (queue.obstacle, *(row.file.problem for row in targets))
    return HomeRow(
        home=home,
        flavour=store.flavour,
        exists=os.path.isdir(home.memories),
        targets=targets,
        staged_count=queue.count(),
        has_write_approval=settings.write_approval,
        problems=(*settings.problems, *filter(None, unread)),
        is_scanned=scan,
    )


def _target_row(store: MemoryStore, target: str, is_enabled: bool, scan: bool) -> TargetRow:
    file = store.inspect(target, scan=scan, shows=False)
    identity = identity_of(Path(file.path))
    changed_at = identity.mtime_ns / 1e9 if identity else None
    return TargetRow(file, is_enabled, _threats(store, file) if scan else ThreatCounts(), changed_at)


def _threats(store: MemoryStore, file: MemoryFile) -> ThreatCounts:
    hides = store.flavour == "hermes"  # only Hermes scans what it loads
    twins = paired(file.entries, store.agent_view(file.target, live=True)) if hides else [None] * len(file.entries)
    states = Counter(
        state_of(found, twin is not None and twin.hidden) for found, twin in zip(file.findings, twins, strict=True)
    )
    return ThreatCounts(states[State.DANGEROUS], states[State.BLOCKED], states[State.HIDDEN], states[State.WARNING])
