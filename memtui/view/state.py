"""Everything the screens show, as one immutable value; `reducing.py` moves it on.

It knows no widget, no file and no clock. Groups stand for whatever a store holds: how many there are and what each
can do (limit, snapshot, drift, editing) is said by its capabilities, never assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memtui.core.model import ExternalChange, MemoryFile
from memtui.view.rows import RowView, Side, SnapshotText

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice
    from memtui.core.threats.finding import Finding


class Phase(StrEnum):
    """How far the opening of a home is."""

    OPENING = "opening"
    OPEN = "open"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a group of entries can do."""

    has_limit: bool = True
    has_snapshot: bool = True
    has_drift: bool = True
    is_editable: bool = True


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home in use, in display-safe words."""

    label: str
    profile: str
    flavour: str
    rules: str
    """Which agent's rules decide what the agent sees; empty when none do."""
    read_only: str = ""
    """Why nothing can be written; empty when it can."""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """What the session holds of one group."""

    texts: tuple[SnapshotText, ...]
    frozen_words: str
    """When it was frozen, as people say it: `09:12`."""
    chat: str = ""
    """Which real session holds it, display-safe; empty for a prediction."""
    summary: str = ""
    """How a real session's entries stand to those on disk, or why there is only a prediction; may be empty."""


@dataclass(frozen=True, slots=True)
class GroupLoad:
    """One look at one group, complete: made in a worker, taken over as a whole."""

    serial: int
    """Grows with every look; an older look never replaces a newer one."""
    file: MemoryFile
    rows: tuple[RowView, ...]
    snapshot: SnapshotView | None = None
    is_scanned: bool = False
    threat_count: int = 0
    """Entries that are dangerous, seen by the agent or not."""
    unseen_count: int = 0
    """Entries that the agent hides although nothing in them looks dangerous."""
    advice: Mapping[str, AgentAdvice] = field(default_factory=dict)
    """Why the agent hides an entry and which other words it would see, by the entry's text."""
    held_findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """What is found in texts that a session holds and the file no longer, by text."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """One group of entries: today `memory` and `user`."""

    key: str
    label: str
    file_name: str
    capabilities: Capabilities = field(default_factory=Capabilities)
    load: GroupLoad | None = None
    shown: tuple[int, ...] = ()
    """Indexes of the rows that the filter lets through, in order."""
    position: int = 0
    """Index into `shown` of the selected row."""
    outside: ExternalChange = field(default_factory=ExternalChange)
    """What other programs changed since the snapshot was frozen, each text once."""

    @property
    def rows(self) -> tuple[RowView, ...]:
        """All rows, shown or not."""
        return self.load.rows if self.load else ()

    @property
    def picked(self) -> RowView | None:
        """The selected row."""
        return self.rows[self.shown[self.position]] if self.shown else None


@dataclass(frozen=True, slots=True)
class ViewState:
    """All that is on screen."""

    phase: Phase = Phase.OPENING
    home: HomeView | None = None
    groups: tuple[GroupView, ...] = ()
    current: int = 0
    side: Side = Side.LIVE
    query: str = ""
    watch: str = ""
    """How the folder is watched, in one or two words."""
    waiting: str = ""
    """What a running job waits for; empty when nothing waits."""
    problem: str = ""
    """The last failure, in words; stays until it is put away or something succeeds."""
    is_refusal: bool = False
    """True when the failure is the answer to one key: it goes with the next command."""
    staged_count: int = 0
    staged_serial: int = 0
    """Grows whenever the staged writes were counted: they may have changed."""

    @property
    def group(self) -> GroupView | None:
        """The group on screen."""
        return self.groups[self.current] if self.groups else None

    @property
    def picked(self) -> RowView | None:
        """The selected row of the group on screen."""
        return self.group.picked if self.group else None
