"""Copy and move an entry to another file or home: a picker shows both budgets, then one guarded write."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import ThreatFound
from memtui.tui.asking import ask
from memtui.view import questions, texts
from memtui.view.events import ChangeRefused
from memtui.view.homes_rows import DEMO_ALONE
from memtui.view.transfers import Order, Spot, answers_to_a_threat, done_words, place_choice, places_question, spots_of

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.app import MemtuiApp
    from memtui.tui.screens.comparing import CompareScreen
    from memtui.tui.screens.review import ReviewScreen


def from_review(screen: ReviewScreen, *, is_move: bool) -> None:
    """Copy or move the selected entry of the home in use."""
    from memtui.tui.home_jobs import key_of
    from memtui.view.homes_rows import shown_name

    app, group, row = screen.memtui, screen.state.group, screen.state.picked
    if group is None or group.load is None or row is None:
        return
    if row.live is None:
        app.tell(texts.Notice(texts.NOT_ON_DISK, texts.Level.WARNING))
        return
    home, view = app.jobs.home, screen.state.home
    name = shown_name(view.label, home.profile) if view else ""
    file, text = group.load.file, row.live.text

    async def begun() -> None:
        origin = Spot(home, await asyncio.to_thread(key_of, home), name, file)
        await transfer(app, Order(text, origin, is_move))

    app.start(begun())


async def transfer(app: MemtuiApp, order: Order, first: Sequence[Spot] = ()) -> bool:
    """Ask where to, with `first` at the top, and do it; True when it was done."""
    to = await _ask_where(app, order, first)
    return to is not None and await _write(app, order, to)


async def _ask_where(app: MemtuiApp, order: Order, first: Sequence[Spot]) -> Spot | None:
    from memtui.tui.home_jobs import HomesReading
    from memtui.tui.screens.pick import PickScreen

    spots: list[Spot] = []
    picker = PickScreen(places_question(order, DEMO_ALONE if app.is_demo else ""))

    def take(found: Sequence[Spot]) -> None:
        fresh = [spot for spot in found if not any(spot.is_same(other) for other in (order.origin, *spots))]
        spots.extend(fresh)
        picker.extend(tuple(place_choice(order, spot) for spot in fresh))

    async def feed() -> None:
        reading = HomesReading(app.jobs.home, scans=False, is_demo=app.is_demo)
        while (came := await asyncio.to_thread(reading.next_slice)) is not None and not is_over.is_set():
            take([spot for listed in came.homes for spot in spots_of(listed)])

    is_over = asyncio.Event()
    take(first)
    app.start(feed(), "places", exclusive=True)
    try:
        picked = await app.push_screen_wait(picker)
    finally:
        is_over.set()
    return None if picked is None else spots[picked]


async def _write(app: MemtuiApp, order: Order, to: Spot, allow: Sequence[str] = ()) -> bool:
    from memtui.tui.transfer_jobs import TransferJobs

    outcome = await app.jobs.write(partial(TransferJobs(app).transfer, order, to, allow))
    await app.change(lambda: outcome.events, quiet=(ThreatFound.code,))
    if outcome.done is not None:
        was_there = not outcome.done.added.wrote
        app.tell(texts.Notice(done_words(order, to, was_there=was_there, is_near=outcome.is_near)))
        return True
    refusal = next(event for event in outcome.events if isinstance(event, ChangeRefused))
    if refusal.code != ThreatFound.code:
        return False
    if await ask(app, questions.threat_question(refusal.details, *answers_to_a_threat(order))) != "allow":
        return False
    return await _write(app, order, to, tuple(refusal.details["rules"]))


async def _act(screen: ReviewScreen | CompareScreen, is_move: bool) -> None:
    from memtui.tui.screens.comparing import CompareScreen

    if isinstance(screen, CompareScreen):
        screen.transfer(is_move=is_move)
    else:
        from_review(screen, is_move=is_move)


HANDLERS: Mapping[str, Handler] = {
    "entry.copy_to": lambda screen, key: _act(screen, is_move=False),
    "entry.move_to": lambda screen, key: _act(screen, is_move=True),
}
