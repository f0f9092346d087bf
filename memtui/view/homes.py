"""The home chooser as one immutable value, and the one function that moves it on.

Rows come as they are read, then once more with their threats. It knows no widget, no file and no clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memtui.core.search import filter_indexes
from memtui.view.cursor import clamped

if TYPE_CHECKING:
    from memtui.homes_overview import HomeRow


@dataclass(frozen=True, slots=True)
class ListedHome:
    """One home of the list."""

    row: HomeRow
    label: str
    """Its path as people write it. Untrusted."""
    key: str
    """Where its memories really lie: what it is known by."""


@dataclass(frozen=True, slots=True)
class HomesState:
    """All that the chooser shows."""

    homes: tuple[ListedHome, ...] = ()
    shown: tuple[int, ...] = ()
    """Indexes of the homes that the filter lets through."""
    position: int = 0
    """Index into `shown`."""
    query: str = ""
    marked: str = ""
    """Key of the home that is one side of a comparison; empty for none."""
    current: str = ""
    """Key of the home in use; empty when none is open."""
    is_reading: bool = True
    now_s: float = 0.0
    problem: str = ""

    @property
    def home(self) -> ListedHome | None:
        """The home under the cursor."""
        return self.homes[self.shown[self.position]] if self.shown else None

    def known_as(self, key: str) -> ListedHome | None:
        """The home of a key."""
        return next((one for one in self.homes if one.key == key), None)


class ReadingBegan(NamedTuple):
    """Every home is being read anew."""

    current: str
    now_s: float


class HomesCame(NamedTuple):
    """Homes were read, or read again with their threats."""

    homes: tuple[ListedHome, ...]


class ReadingEnded(NamedTuple):
    """All were read."""

    problem: str = ""


class HomePicked(NamedTuple):
    """The cursor was put on a home, by its place among the shown ones."""

    position: int


class HomeMarked(NamedTuple):
    """The home under the cursor was marked, or its mark taken back."""


class HomesFiltered(NamedTuple):
    """The filter's words changed."""

    query: str


HomesEvent = ReadingBegan | HomesCame | ReadingEnded | HomePicked | HomeMarked | HomesFiltered


def reduce_homes(state: HomesState, event: HomesEvent) -> HomesState:
    """The state after an event."""
    match event:
        case ReadingBegan(current, now_s):
            return HomesState(query=state.query, marked=state.marked, current=current, now_s=now_s)
        case HomesCame(homes):
            return _filtered(replace(state, homes=_merged(state.homes, homes)))
        case ReadingEnded(problem):
            return replace(state, is_reading=False, problem=problem)
        case HomePicked(position):
            return replace(state, position=clamped(position, len(state.shown)))
        case HomeMarked():
            key = state.home.key if state.home else ""
            return replace(state, marked="" if key == state.marked else key)
        case HomesFiltered(query):
            return _filtered(replace(state, query=query), otherwise=0)


def _merged(homes: tuple[ListedHome, ...], came: tuple[ListedHome, ...]) -> tuple[ListedHome, ...]:
    """Known ones in their place, new ones at the end."""
    fresh = {one.key: one for one in came}
    known = tuple(fresh.pop(one.key, one) for one in homes)
    return (*known, *fresh.values())


def _filtered(state: HomesState, otherwise: int | None = None) -> HomesState:
    """The rows that the words let through; the cursor stays on its home while that is shown."""
    names = [f"{one.label} {one.row.home.profile} {one.row.flavour}" for one in state.homes]
    shown = tuple(hit.index for hit in filter_indexes(names, state.query))
    picked = state.home.key if state.home and state.position else ""
    keys = [state.homes[index].key for index in shown]
    place = state.position if otherwise is None else otherwise
    position = keys.index(picked) if picked in keys else place
    return replace(state, shown=shown, position=clamped(position, len(shown)))
