"""The real sessions of the agent as sources of the snapshot, for the store's thread.

Reads the agent's `state.db` and never writes there; what cannot be read falls back to the prediction, with words.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memtui.core.held import held_view
from memtui.core.model import FILE_NAMES
from memtui.core.pairing import paired
from memtui.core.visible import clip
from memtui.disk.sessions import SessionPrompt, SessionsFound, read_sessions
from memtui.view.amounts import moment_words
from memtui.view.chats import Sources
from memtui.view.events import SnapshotChosen
from memtui.view.looks import Chat

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs

RECENT_S: Final = 7 * 86_400
"""A session that began longer ago and whose end nobody recorded was rather killed than runs still."""
NAME_CELLS: Final = 24
NEWEST: Final = "newest"
PREDICTION: Final = "prediction"


class ChatJobs:
    """Which session the snapshot shows, and the jobs that find and show it."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs
        self.wanted = NEWEST
        """NEWEST for the newest running session, PREDICTION, or a session's id after `id:`."""
        self._shown: tuple[Mapping[str, Chat], str] | None = None

    def follow(self) -> SnapshotChosen | None:
        """Show what is wanted as the record stands now; None when nothing else is to be shown."""
        if self.jobs.store.flavour != "hermes" or self.wanted == PREDICTION:
            return None
        found = self._found()
        chats = _chats(self._wanted(found), time.time())
        # Without a session that runs the prediction is right; without a record that can be read it may not be.
        no_chat = "no real session to show · s says why"
        shown = chats, no_chat if found.problem and not found.sessions and not chats else ""
        if shown == (self._shown or ({}, "")):
            return None
        self._shown = shown
        return self.jobs.show_chats(*shown)

    def sources(self) -> Sources:
        """All that the snapshot can show."""
        found = self._found() if self.jobs.store.flavour == "hermes" else SessionsFound()
        now_s = time.time()
        files = {key: self.jobs.store.inspect(key, scan=False).entries for key in FILE_NAMES}
        twins = {key: paired(files[key], self.jobs.store.agent_view(key, live=True)) for key in FILE_NAMES}
        held = {
            one.id: {key: held_view(texts, files[key], twins[key]) for key, texts in one.blocks.items()}
            for one in found.sessions
        }
        frozen = moment_words(self.jobs.store.snapshot.frozen_at, now_s)
        shown = self._wanted(found) if self.jobs.chats else None
        return Sources(found.sessions, found.problem, frozen, shown.id if shown else "", held, now_s)

    def show(self, session: SessionPrompt) -> SnapshotChosen:
        """Show one session from now on."""
        self.wanted = f"id:{session.id}"
        self._shown = _chats(session, time.time()), ""
        return self.jobs.show_chats(*self._shown)

    def show_prediction(self) -> SnapshotChosen:
        """Show what memtui froze from now on."""
        self.forget()
        return self.jobs.show_chats({}, self.jobs.no_chat)

    def forget(self) -> None:
        """From now on the prediction is wanted."""
        self.wanted, self._shown = PREDICTION, None

    def _found(self) -> SessionsFound:
        return read_sessions(self.jobs.home.root)

    def _wanted(self, found: SessionsFound) -> SessionPrompt | None:
        if self.wanted == NEWEST:
            since_s = time.time() - RECENT_S
            return next((one for one in found.sessions if _runs(one) and one.started_at >= since_s), None)
        return next((one for one in found.sessions if f"id:{one.id}" == self.wanted), None)


def _runs(session: SessionPrompt) -> bool:
    return session.ended_at is None and bool(session.blocks)


def _chats(session: SessionPrompt | None, now_s: float) -> dict[str, Chat]:
    """What the session holds, by group; nothing for a session without any block."""
    if session is None or not session.blocks:
        return {}
    source = f" ({clip(session.source, 12)})" if session.source else ""
    name = f"session {clip(session.id, NAME_CELLS)}{source}"
    frozen = moment_words(session.started_at, now_s)
    return {key: Chat(name, frozen, session.blocks.get(key)) for key in FILE_NAMES}
