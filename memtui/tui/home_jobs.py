"""Finds and reads homes, on threads of their own: two hundred of them must not hold up the store's.

It writes and records nothing in any home.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from memtui.core.errors import MemoryRefused
from memtui.disk.homes import PROFILES, Home, Refused, ignored, known_homes, with_profiles
from memtui.disk.whereabouts import user_home, working_folder
from memtui.homes_overview import home_row
from memtui.tui.jobs import short_path
from memtui.view.homes import HomesCame, ListedHome

if TYPE_CHECKING:
    from memtui.homes_overview import HomeRow

SLICE_S: Final = 0.05
"""Rows are handed over so often: each picture of the list costs a few milliseconds."""


def are_several() -> bool:
    """True when more than one home can be found without a name."""
    return len(list(islice(homes_around(None), 2))) > 1


def homes_around(home: Home | None, *, is_demo: bool = False) -> Iterator[Home]:
    """The home in use, the other profiles of its agent and, but for a demo, every home that is known; each once."""
    found = () if is_demo else known_homes(os.environ, working_folder(), user_home())
    seen: set[str] = set()
    for one in chain(family_of(home), found):
        if (key := key_of(one)) not in seen:
            seen.add(key)
            yield one


def key_of(home: Home) -> str:
    """What a home is known by: where its memories really lie."""
    return os.path.realpath(home.memories)


def listed(row: HomeRow) -> ListedHome:
    """A row with its name."""
    return ListedHome(row, short_path(row.home.root), key_of(row.home))


def family_of(home: Home | None, refused: Refused = ignored) -> Iterator[Home]:
    """The home in use, the root of its agent and that agent's other profiles; one of them may come twice."""
    if home is None:
        return
    yield home
    if home.flavour == "hermes":
        is_profile = home.root.parent.name == PROFILES
        yield from with_profiles(home.root.parent.parent if is_profile else home.root, refused)


class HomesReading:
    """One reading of every home: quickly first, then, unless that is not wanted, each with its threats."""

    def __init__(self, home: Home | None, *, scans: bool = True, is_demo: bool = False) -> None:
        self.problem = ""
        self._homes: list[Home] = []
        looks = self._looks(homes_around(home, is_demo=is_demo))
        self._rows = chain(looks, self._scans()) if scans else looks

    def next_slice(self) -> HomesCame | None:
        """The homes read within a moment, on the caller's thread; None when all were read."""
        came, until = [], time.monotonic() + SLICE_S
        for row in self._rows:
            came.append(listed(row))
            if time.monotonic() >= until:
                break
        return HomesCame(tuple(came)) if came else None

    def _looks(self, homes: Iterator[Home]) -> Iterator[HomeRow]:
        try:
            for one in homes:
                self._homes.append(one)
                yield home_row(one, scan=False)
        except MemoryRefused as refusal:
            self.problem = str(refusal)

    def _scans(self) -> Iterator[HomeRow]:
        return (home_row(one, scan=True) for one in self._homes)


