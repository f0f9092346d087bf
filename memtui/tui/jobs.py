"""The only code of the app that touches the store: every call runs on the store's thread.

Jobs return view events; they know no widget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.core.change import Change
from memtui.core.codec import parse
from memtui.core.errors import Conflict, MemoryRefused, NoMatch
from memtui.core.model import FILE_NAMES, MemoryFile
from memtui.core.visible import visible_text
from memtui.disk.homes import Home
from memtui.store.guard import findings_of
from memtui.tui.store_thread import StoreThread
from memtui.view.events import (
    ChangeCommitted,
    ChangeRefused,
    Event,
    FileLoaded,
    FindingsArrived,
    HomeNotFound,
    HomeOpened,
    LockAwaited,
    SnapshotChosen,
    SnapshotFrozen,
    WaitEnded,
)
from memtui.view.looks import AgentSight, Chat, Material, Session, advice_for, build_load
from memtui.view.outside import Outside
from memtui.view.state import GroupLoad, GroupView, HomeView

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice
    from memtui.store import MemoryStore


class StoreJobs(StoreThread):
    """A store and the thread that alone uses it."""

    def __init__(self, opening: Callable[[], MemoryStore], post: Callable[[Event], None]) -> None:
        """`opening` opens the store (on the thread); `post` is told, from the thread, of waits for a lock."""
        super().__init__(lambda: post(WaitEnded()))
        self._opening = opening
        self._post = post
        self._store: MemoryStore | None = None
        self._serial = 0
        self._latest: dict[str, GroupLoad] = {}
        self._known: dict[str, frozenset[str]] = {}
        """By group: what was known and fine at its last scan."""
        self._sessions: dict[str, Session] = {}
        self.chats: Mapping[str, Chat] = {}
        """By group: the real session that the snapshot shows; empty while it shows the prediction."""
        self.no_chat = ""
        """Why no real session can be shown although the agent keeps a record of them; empty otherwise."""
        self.outside = Outside()
        """What other programs wrote while this session was shown."""

    @property
    def store(self) -> MemoryStore:
        """The open store, for jobs."""
        assert self._store is not None, "no job runs before a home is open"
        return self._store

    @property
    def home(self) -> Home:
        """The home that the store is on."""
        from memtui.opening import home_of

        return home_of(self.store)

    @property
    def home_or_none(self) -> Home | None:
        """The home that the store is on; None before one is open, and when none was found."""
        return None if self._store is None else self.home

    # ------------------------------------------------------------------------------- jobs, on the thread

    def open(self) -> tuple[Event, ...]:
        """Open the home and look at every group, without a scan."""
        try:
            store = self._opening()
        except MemoryRefused as refusal:
            return (HomeNotFound(str(refusal)),)
        self._store = store
        store.waiting, store.cancelled = lambda words: self._post(LockAwaited(words)), self.given_up
        self._begin_session()
        groups = tuple(GroupView(key, Path(name).stem, name) for key, name in FILE_NAMES.items())
        looks = (self.look(group.key) for group in groups)
        return (HomeOpened(home_view(store), groups), *(look for look in looks if look))

    def look(self, key: str) -> FileLoaded | None:
        """Read a group's file when it changed; None when it stands as last seen."""
        file = self.store.inspect(key, scan=False)
        latest = self._latest.get(key)
        if latest is not None and _is_same(latest.file, file):
            return None
        self._note(key, file)
        return FileLoaded(key, self._load(key, file), file.external)

    def observe(self, key: str) -> FileLoaded | None:
        """Take what stands there as seen and record it in history; a still newer change comes back."""
        seen = self.store.observe(key, scan=False)
        latest = self._latest.get(key)
        if latest is not None and seen.raw != latest.file.raw:
            self._note(key, seen)
            return FileLoaded(key, self._load(key, seen), seen.external)
        return None

    def scan(self, key: str) -> FindingsArrived | None:
        """The same look with findings and the agent's view; None when that is known, and the same is fine."""
        latest, known = self._latest.get(key), self.store.suppressions.keys
        if latest is None or (latest.is_scanned and known == self._known.get(key)):
            return None
        self._known[key] = known
        file = self.store.inspect(key, scan=True)
        sight, advice = None, {}
        if self.store.flavour == "hermes":
            sight = AgentSight(self.store.agent_view(key), self.store.agent_view(key, live=True))
            advice = advice_for(file, sight.live, self.store.settings.hermes_rules)
        return FindingsArrived(key, self._load(key, file, sight, advice, is_scanned=True))

    def show_chats(self, chats: Mapping[str, Chat], no_chat: str = "") -> SnapshotChosen:
        """Show a real session, or the prediction again when there is none, as complete as the last look was."""
        self.chats, self.no_chat = chats, no_chat
        loads = []
        for key, latest in tuple(self._latest.items()):
            self._latest[key] = replace(latest, is_scanned=False)
            looked = self.scan(key) if latest.is_scanned else None
            loads.append((key, looked.load if looked else self._load(key, latest.file)))
        return SnapshotChosen(tuple(loads))

    def freeze(self) -> SnapshotFrozen:
        """Begin a new session: freeze memtui's view of every group again, and show it."""
        self.chats = {}
        self.store.load_from_disk()
        self._begin_session()
        self.outside.begin_session()
        return SnapshotFrozen(tuple((key, self._load(key, self.store.inspect(key, scan=False))) for key in FILE_NAMES))

    def commit(self, key: str, write: Callable[[], Change], before: str | None = None) -> tuple[Event, ...]:
        """Let something write and look at what came of it: the events of a change, or of its refusal."""
        try:
            change = write()
        except MemoryRefused as refusal:
            return self._refused(key, refusal, before)
        file = self.store.inspect(key, scan=False)
        self._note(key, file)
        load = self._load(key, file)
        committed = ChangeCommitted(key, change, load)
        return (committed, FileLoaded(key, load, file.external)) if file.external else (committed,)

    # --------------------------------------------------------------------------------------------- inside

    def _note(self, key: str, file: MemoryFile) -> None:
        latest = self._latest.get(key)
        self.outside.note(key, file.external, latest.file.document.texts if latest else (), file.document.texts)

    def _refused(self, key: str, refusal: MemoryRefused, before: str | None) -> tuple[Event, ...]:
        """The refusal after a fresh look; when the entry `before` is not there any more, it is a conflict."""
        look = self.look(key)
        code, details = refusal.code, dict(refusal.data)
        if before is not None and code in (Conflict.code, NoMatch.code):
            theirs = self.outside.became(key, before, self.store.entries(key))
            code, details = Conflict.code, {"shown": before, "live": theirs}
        refused = ChangeRefused(key, code, str(refusal), details)
        return (look, refused) if look else (refused,)

    def _load(
        self,
        key: str,
        file: MemoryFile,
        sight: AgentSight | None = None,
        advice: Mapping[str, AgentAdvice] | None = None,
        *,
        is_scanned: bool = False,
    ) -> GroupLoad:
        self._serial += 1
        outside, chat = self.outside.written(key), self.chats.get(key)
        judge = partial(findings_of, suppressions=self.store.suppressions) if is_scanned else None
        material = Material(
            file, self._sessions.get(key), sight, outside, is_scanned, advice or {}, chat,
            self.store.agent_view(key, live=True) if chat else (), judge, self.no_chat,
        )  # fmt: skip
        load = self._latest[key] = build_load(self._serial, material)
        return load

    def _begin_session(self) -> None:
        snapshot = self.store.snapshot
        words = time.strftime("%H:%M", time.localtime(snapshot.frozen_at))
        self._sessions = {key: Session(parse(raw_bytes), words) for key, raw_bytes in snapshot.raw.items()}
        self._latest.clear()


def home_view(store: MemoryStore) -> HomeView:
    """The home in words for the header."""
    home = store.home
    folder = home.root if home else store.memories
    is_hermes = store.flavour == "hermes"
    return HomeView(
        label=visible_text(short_path(folder)),
        profile=visible_text(home.profile) if home else "",
        flavour=store.flavour,
        rules=f"hermes {store.settings.hermes_rules} rules" if is_hermes else store.flavour,
        read_only="it was opened read-only" if store.read_only else "",
        problems=tuple(visible_text(problem) for problem in store.settings.problems),
    )


def short_path(folder: Path) -> str:
    """The folder as people write it: `~/…` inside the user's home. Untrusted text."""
    try:
        return f"~/{folder.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(folder)


def _is_same(one: MemoryFile, other: MemoryFile) -> bool:
    same_state = (one.exists, one.problem, one.read_only) == (other.exists, other.problem, other.read_only)
    return same_state and one.raw == other.raw
