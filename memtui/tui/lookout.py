"""Opens the home and keeps what is on screen up to date: watches, reads again, lets scan, matches the filter.

Everything it awaits runs on other threads; it decides in which order, and shows what came.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.model import Verdict
from memtui.core.search import filter_indexes
from memtui.tui.asides import own_faults
from memtui.view import texts
from memtui.view.events import Event, FilterMatched, ProblemSeen, TargetSwitched, WatchChanged
from memtui.view.rows import RowView

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.chat_jobs import ChatJobs


FRAME_WAIT_S = 0.25


class Lookout:
    """One app's eyes on its home."""

    def __init__(self, app: MemtuiApp) -> None:
        """Begin to open the home at once: by the time the first frame is drawn, its rows are there."""
        self._app = app
        self._jobs = app.jobs
        self._opening = self._jobs.submit(self._jobs.open)
        self._chats: ChatJobs | None = None
        self._told: tuple[str, ...] = ()
        """What is wrong with a person's own records, as last said."""

    async def open(self, then: Callable[[], object] = lambda: None) -> None:
        """Show the home, and only then compile rules, record what was seen, and watch; `then` runs in between."""
        for event in await asyncio.wrap_future(self._opening):
            self._app.apply(event)
        then()
        await self._next_frame()
        # What was built so far stays, and need not be looked through again and again.
        gc.freeze()
        gc.enable()
        if self._app.state.groups:
            self._app.start(self._watch(), "watch", exclusive=True)
            await self.look_again()
        if self._app.resolves is not None:
            await self._begin_to_resolve(self._app.resolves)
        elif self._app.chooses:
            await self._offer_homes()

    async def _begin_to_resolve(self, key: str) -> None:
        from memtui.tui.actions.mending import resolve

        verdicts = list(Verdict)
        loads = [(group.load, place) for place, group in enumerate(self._app.state.groups) if key in ("", group.key)]
        worst = max(((verdicts.index(load.file.verdict), -place) for load, place in loads if load), default=None)
        if worst is not None:
            self._app.apply(TargetSwitched(-worst[1]))
        await resolve(self._app.review, "")

    async def _offer_homes(self) -> None:
        """Nobody named a home: where there are several, a person chooses."""
        from memtui.tui.home_jobs import are_several
        from memtui.tui.screens.homes import HomesScreen

        if await asyncio.to_thread(are_several):
            await self._app.push_screen(HomesScreen())

    async def look_again(self) -> None:
        """Read every group again and show what others changed; then record it and scan."""
        await self._read(self._jobs.look)
        await self._read(self._jobs.observe)
        await self._count_staged()
        await self.scan_all()
        await self._follow_chat()

    async def _read(self, job: Callable[[str], Event | None]) -> None:
        for group in self._app.state.groups:
            event = await self._jobs.run(partial(job, group.key))
            if event is not None:
                self._app.apply(event)
                self.match_filter()

    @property
    def chats(self) -> ChatJobs:
        """The agent's sessions as sources of the snapshot."""
        from memtui.tui.chat_jobs import ChatJobs

        if self._chats is None:
            self._chats = ChatJobs(self._jobs)
        return self._chats

    async def _count_staged(self) -> None:
        """Count what the agent waits to have approved."""
        from memtui.tui.staged_jobs import StagedJobs

        known = self._app.state.staged_count if self._app.state.staged_serial else None
        self._app.apply(await self._jobs.run(lambda: StagedJobs(self._jobs).count(known)))

    async def _follow_chat(self) -> None:
        """Follow the session that the snapshot shows. Before the scan its placeholders would stand for nothing."""
        chosen = await self._jobs.run(self.chats.follow)
        if chosen is not None:
            self._app.apply(chosen)

    async def scan_all(self) -> None:
        """Let the scanner and the agent's rules look at every group that changed, or had something marked fine."""
        for group in self._app.state.groups:
            event = await self._jobs.run(partial(self._jobs.scan, group.key))
            if event is not None:
                self._app.apply(event)
        told = await self._jobs.run(lambda: own_faults(self._jobs.store))
        if told and told != self._told:
            home = self._app.state.home
            self._app.apply(ProblemSeen(" ".join((*(home.problems if home else ()), *told))))
        self._told = told

    def match_filter(self) -> None:
        """Find in a thread which rows the filter lets through."""
        if self._app.state.query.strip():
            self._app.start(self._match(), "filter", exclusive=True)

    async def _next_frame(self) -> None:
        """Let what changed be drawn first: work on the other thread delays it by some 15 ms.

        A screen that is going away never says that it was drawn, so the wait is bounded.
        """
        painted = asyncio.Event()
        self._app.screen.call_after_refresh(painted.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(painted.wait(), FRAME_WAIT_S)

    async def _watch(self) -> None:
        from memtui.disk.watch import watch_home

        async with aclosing(watch_home(self._jobs.home, (self._jobs.store.suppressions.path,))) as beats:
            async for beat in beats:
                words = texts.watch_words(beat.mode.value)
                # A frame drawn for nothing puts off the one that shows the change by two frames.
                if words != self._app.state.watch:
                    self._app.apply(WatchChanged(words))
                if beat.names:
                    await self.look_again()

    async def _match(self) -> None:
        query = self._app.state.query
        for group in self._app.state.groups:
            if group.load is not None:
                indexes = await asyncio.to_thread(_matching, group.rows, query)
                self._app.apply(FilterMatched(group.key, group.load.serial, query, indexes))


def _matching(rows: tuple[RowView, ...], query: str) -> tuple[int, ...]:
    texts_of_rows = [" ".join(half.text for half in (row.live, row.snapshot) if half) for row in rows]
    return tuple(hit.index for hit in filter_indexes(texts_of_rows, query))
