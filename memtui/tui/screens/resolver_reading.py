"""The part of the resolver's screen that asks for what is not known yet: read, cut, judged, compared.

It draws nothing and writes nothing.
"""

from __future__ import annotations

import time
from functools import partial

from memtui.core.resolve import Draft
from memtui.tui.resolver_jobs import ResolverJobs
from memtui.tui.screens.place import PlaceScreen
from memtui.view import resolver_texts as words
from memtui.view import texts
from memtui.view.resolver import ResolverState
from memtui.view.resolver_events import DraftChanged, ResolverEvent, StepFailed
from memtui.view.resolver_reducing import reduce_resolver
from memtui.view.state import GroupView


class ResolverReading(PlaceScreen, inherit_bindings=False):
    """Holds the resolver's state and moves it on."""

    def __init__(self, group: GroupView) -> None:
        super().__init__()
        self.group = group
        self.begin_anew()
        self.is_writing = False
        """True while the resolver itself changes the file: no other program did."""
        self._followed = b""
        """The bytes that were read anew last because another program wrote them."""

    def begin_anew(self) -> None:
        """Forget what was picked: the file was just written."""
        self.resolver = ResolverState(self.group.key, self.group.file_name, time.time())

    @property
    def jobs(self) -> ResolverJobs:
        """What can be asked of the store."""
        return ResolverJobs(self.memtui.jobs, self.group.key)

    def apply(self, event: ResolverEvent) -> None:
        """Take over an event, and let be read and compared what is not known yet."""
        self.resolver = reduce_resolver(self.resolver, event)
        self.redraw()
        state = self.resolver
        if state.draft is None:
            return
        if state.cut is None:
            self.memtui.start(self._cut(state.draft, state.source), "cut", exclusive=True)
        elif state.unmarked:
            self.memtui.start(self._mark(state.draft, state.unmarked), "mark", exclusive=True)

    def change(self, draft: Draft, follow: str | None = None) -> None:
        """Take over another draft."""
        self.apply(DraftChanged(draft, follow))

    def fail(self, problem: str) -> None:
        """Say above the footer why something was not done."""
        self.apply(StepFailed(problem))

    def reopen(self, *, keeps_picks: bool = False, encoding: str = "") -> None:
        """Read and cut the file anew, then judge its copies."""
        self.memtui.start(self.read_anew(keeps_picks=keeps_picks, encoding=encoding), "open", exclusive=True)

    async def read_anew(self, *, keeps_picks: bool = False, encoding: str = "") -> None:
        """Read and cut the file, and show it; then judge its copies, which may be many."""
        run = self.memtui.jobs.run
        self.apply(await run(partial(self.jobs.open, encoding, keeps_picks=keeps_picks)))
        self.apply(await run(self.jobs.judge))

    def state_changed(self) -> None:
        """Follow the file when another program wrote it."""
        super().state_changed()
        load = next((group.load for group in self.state.groups if group.key == self.group.key), None)
        draft = self.resolver.draft
        if self.is_writing or load is None or draft is None:
            return
        if load.file.raw in (draft.base.raw_bytes, self._followed):
            return
        self._followed = load.file.raw
        if self.resolver.is_touched:
            self.memtui.tell(
                texts.Notice(words.changed_underneath(self.group.file_name), texts.Level.WARNING)
            )
        self.reopen(keeps_picks=self.resolver.is_touched)

    async def _cut(self, draft: Draft, source: str) -> None:
        self.apply(await self.memtui.jobs.run(partial(self.jobs.cut, draft, source)))

    async def _mark(self, draft: Draft, texts_made: tuple[str, ...]) -> None:
        job = partial(self.jobs.mark, draft, self.resolver.source, texts_made)
        self.apply(await self.memtui.jobs.run(job))
