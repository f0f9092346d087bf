"""Copies and moves between files of any home, for the store's thread.

The home in use is always written through the app's own store, which would otherwise take its own write for another
program's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.actions.transfer import Place, Transfer, copy_entry, move_entry
from memtui.core.change import Change, Exactly
from memtui.core.errors import MemoryRefused
from memtui.core.model import FILE_NAMES, MemoryFile
from memtui.tui.home_jobs import key_of
from memtui.tui.reopening import open_store_on
from memtui.view.events import ChangeRefused, Event
from memtui.view.transfers import Order, Spot

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.store import MemoryStore
    from memtui.tui.app import MemtuiApp


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a copy or a move ended."""

    events: tuple[Event, ...]
    done: Transfer | None = None
    """None when it was refused; the refusal is among the events."""
    is_near: bool = False
    """True when the receiving file is of the home in use."""


class TransferJobs:
    """The jobs on two homes."""

    def __init__(self, app: MemtuiApp) -> None:
        self.app = app
        self.jobs = app.jobs

    def store_on(self, home: Home) -> MemoryStore:
        """The store on a home: the app's own when that is the home in use."""
        if self._is_near(home):
            return self.jobs.store
        store = open_store_on(self.app, home)
        store.waiting, store.cancelled = self.jobs.store.waiting, self.jobs.store.cancelled
        return store

    def files(self, home: Home) -> tuple[MemoryFile, ...]:
        """Both files of a home, without a scan."""
        store = self.store_on(home)
        return tuple(store.inspect(target, scan=False) for target in FILE_NAMES)

    def transfer(self, order: Order, to: Spot, allow: Sequence[str] = ()) -> Outcome:
        """Copy or move; what the home in use shows of it."""
        done: list[Transfer] = []
        origin = Place(self.store_on(order.origin.home), order.origin.file.target)
        receiving = origin.store if order.origin.key == to.key else self.store_on(to.home)
        is_near_origin, is_near = self._is_near(order.origin.home), self._is_near(to.home)

        def write() -> Change:
            act = move_entry if order.is_move else copy_entry
            done.append(act(origin, Exactly(order.text), Place(receiving, to.file.target), tuple(allow)))
            removed = done[0].removed if is_near_origin else None
            return removed or done[0].added

        if is_near_origin and order.is_move:
            events = self.jobs.commit(order.origin.file.target, write, order.text)
        elif is_near:
            events = self.jobs.commit(to.file.target, write)
        else:
            events = _elsewhere(write, order)
        looks = (self.jobs.look(key) for key in FILE_NAMES) if is_near and done else ()
        return Outcome((*events, *filter(None, looks)), done[0] if done else None, is_near)

    def _is_near(self, home: Home) -> bool:
        return key_of(home) == key_of(self.jobs.home)


def _elsewhere(write: Callable[[], Change], order: Order) -> tuple[Event, ...]:
    """Write where the app shows nothing of it."""
    try:
        write()
    except MemoryRefused as refusal:
        return (ChangeRefused(order.origin.file.target, refusal.code, str(refusal), dict(refusal.data)),)
    return ()
