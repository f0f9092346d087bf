"""The history screen as one immutable value, and the one function that moves it on.

Versions are listed without their bytes; only the chosen one is read and compared. It knows no widget, no file and no
clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from memtui.core.diff import DiffLine
from memtui.view.cursor import clamped

if TYPE_CHECKING:
    from memtui.disk.history import Version

SIDE_SOURCES: Final = frozenset({"displaced", "left_over", "backup", "staged"})
"""Sources of bytes that history keeps although they are not what stood in the file afterwards."""


class Track(StrEnum):
    """One of the two lists; the value is its widget's id."""

    VERSIONS = "versions"
    ENTRIES = "entries"


class Against(StrEnum):
    """What a version is compared with."""

    NOW = "now"
    BEFORE = "before"


class Standing(StrEnum):
    """How an entry of a version stands to the file now."""

    LIVE = "live"
    CHANGED = "changed"
    GONE = "not live"


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One entry of the chosen version."""

    text: str
    standing: Standing
    now: str = ""
    """The text that the file holds instead, for a changed one."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The chosen version, read and compared."""

    version_id: int
    against: Against
    counts: str = ""
    """`+a −r ~c` entries."""
    lines: tuple[DiffLine, ...] = ()
    entries: tuple[VersionEntry, ...] = ()
    problem: str = ""
    """Why it could not be read; empty when it could."""


@dataclass(frozen=True, slots=True)
class TimelineState:
    """All that the history screen shows."""

    group: str
    file_name: str
    now_s: float
    versions: tuple[Version, ...] | None = None
    """Newest first; None before they are known."""
    now_sha256: str = ""
    """Of what stands in the file; empty when there is no file."""
    history_problem: str = ""
    """Why history is not kept or not whole; empty when all is well."""
    track: Track = Track.VERSIONS
    position: int = 0
    entry_position: int = 0
    against: Against = Against.NOW
    comparison: Comparison | None = None
    counts: Mapping[tuple[int, Against], str] = field(default_factory=lambda: MappingProxyType({}))
    """How the versions that were chosen so far differ."""

    @property
    def version(self) -> Version | None:
        """The chosen version."""
        return self.versions[self.position] if self.versions else None

    @property
    def version_before(self) -> Version | None:
        """What stood before the chosen version."""
        older = (self.versions or ())[self.position + 1 :]
        return next((one for one in older if one.source not in SIDE_SOURCES), None)

    @property
    def entries(self) -> tuple[VersionEntry, ...]:
        """The entries of the chosen version; () before it was read."""
        return self.comparison.entries if self.comparison else ()

    @property
    def entry(self) -> VersionEntry | None:
        """The chosen entry of the chosen version."""
        return self.entries[self.entry_position] if self.entries else None

    @property
    def needs_comparison(self) -> bool:
        """True when what is on screen was not compared yet."""
        known, version = self.comparison, self.version
        return version is not None and (
            known is None or (known.version_id, known.against) != (version.id, self.against)
        )


@dataclass(frozen=True, slots=True)
class TimelineLoaded:
    """The versions were listed."""

    versions: tuple[Version, ...]
    now_sha256: str
    history_problem: str = ""


@dataclass(frozen=True, slots=True)
class VersionCompared:
    """A version was read and compared."""

    comparison: Comparison


@dataclass(frozen=True, slots=True)
class RowChosen:
    """Another row of a list was chosen."""

    track: Track
    position: int


@dataclass(frozen=True, slots=True)
class TrackCalled:
    """Another list was called."""

    track: Track


@dataclass(frozen=True, slots=True)
class AgainstSwitched:
    """Versions are compared with the other thing now."""


TimelineEvent = TimelineLoaded | VersionCompared | RowChosen | TrackCalled | AgainstSwitched


def reduce_timeline(state: TimelineState, event: TimelineEvent) -> TimelineState:
    """The state after an event."""
    step: Callable[[TimelineState, Any], TimelineState] = _STEPS[type(event)]
    return step(state, event)


def _timeline_loaded(state: TimelineState, event: TimelineLoaded) -> TimelineState:
    chosen = state.version.id if state.version and state.position else None
    places = (at for at, one in enumerate(event.versions) if one.id == chosen)
    # Counts against the file now hold no longer when something else stands there.
    counts = {key: told for key, told in state.counts.items() if key[1] is Against.BEFORE}
    return replace(
        state,
        versions=event.versions,
        now_sha256=event.now_sha256,
        comparison=None,
        counts=counts,
        history_problem=event.history_problem,
        position=next(places, 0),
        entry_position=0,
    )


def _version_compared(state: TimelineState, event: VersionCompared) -> TimelineState:
    known = event.comparison
    version = state.version
    if version is None or (version.id, state.against) != (known.version_id, known.against):
        return state
    counts = {**state.counts, (known.version_id, known.against): known.counts}
    at = clamped(state.entry_position, len(known.entries))
    return replace(state, comparison=known, counts=counts, entry_position=at)


def _row_chosen(state: TimelineState, event: RowChosen) -> TimelineState:
    count = len(state.versions or ()) if event.track is Track.VERSIONS else len(state.entries)
    at = clamped(event.position, count)
    if event.track is Track.ENTRIES:
        return replace(state, track=event.track, entry_position=at)
    if at == state.position:
        return replace(state, track=event.track)
    return replace(state, track=event.track, position=at, entry_position=0, comparison=None)


def _track_called(state: TimelineState, event: TrackCalled) -> TimelineState:
    return replace(state, track=event.track)


def _against_switched(state: TimelineState, event: AgainstSwitched) -> TimelineState:
    other = Against.BEFORE if state.against is Against.NOW else Against.NOW
    return replace(state, against=other, comparison=None)


_STEPS: Final[dict[type, Callable[[TimelineState, Any], TimelineState]]] = {
    TimelineLoaded: _timeline_loaded,
    VersionCompared: _version_compared,
    RowChosen: _row_chosen,
    TrackCalled: _track_called,
    AgainstSwitched: _against_switched,
}
