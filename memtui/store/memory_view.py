"""MemoryView: what stands in an agent's two memory files, every verdict on it, and the prompt made of it.

It reads tolerantly, never raises for the state of a file, and writes nothing into one.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from memtui.core import snapshot as prompt
from memtui.core.codec import parse
from memtui.core.edit import clean_target
from memtui.core.errors import InvalidArgument
from memtui.core.given import told
from memtui.core.model import DEFAULT_LIMITS, FILE_NAMES, TARGETS, MemoryFile
from memtui.core.pairing import unread
from memtui.disk.folders import history_path, suppressions_path
from memtui.disk.history import Version
from memtui.disk.homes import Home, flavour_of
from memtui.disk.own_rules import use_own_rules
from memtui.disk.settings import Settings
from memtui.disk.suppressions import Suppressions
from memtui.disk.whereabouts import openable
from memtui.store.prompting import SessionPrompt, Snapshot
from memtui.store.reading import Reader
from memtui.store.recorder import Recorder
from memtui.store.seen import Seen

LOCK_WAIT_S = 10.0
"""How long a write waits for the lock before it refuses and names who holds it."""


class MemoryView:
    """The memory of one home as it stands: two files, their verdicts, and what an agent is given of them."""

    def __init__(
        self,
        mem_dir: Path | str,
        memory_char_limit: int = DEFAULT_LIMITS["memory"],
        user_char_limit: int = DEFAULT_LIMITS["user"],
        *,
        home: Home | None = None,
        settings: Settings | None = None,
        flavour: str | None = None,
        history_db: Path | None = None,
        read_only: bool = False,
        wait_s: float = LOCK_WAIT_S,
    ) -> None:
        """A store on the folder `mem_dir`; nothing is read before `load_from_disk`.

        It stays bound to that folder whatever the process's working folder or environment become. `flavour`
        beats the rule: `pi` under `.my_agent_core`, else `hermes`. `history_db` beats the database in the user's
        state folder. `read_only` refuses every write. Raises InvalidArgument for what is no path and
        for a limit that is not a positive whole number.
        """
        self.memories = Path(os.path.abspath(os.path.expanduser(openable(mem_dir))))
        limits = {"memory": _limit(memory_char_limit), "user": _limit(user_char_limit)}
        self.limits: Mapping[str, int] = MappingProxyType(limits)
        self.home = home
        self.settings = settings or Settings(limits=limits)
        self.flavour = flavour or flavour_of(self.memories)
        self.read_only = read_only
        self.wait_s = wait_s
        self.waiting: Callable[[str], None] | None = None
        """Told who holds the lock, by every write that names no other listener."""
        self.cancelled: threading.Event | None = None
        """Ends the wait for a held lock, in every write that names no other event."""
        self.recorder = Recorder(history_db or history_path())
        self.suppressions = Suppressions.load(suppressions_path())
        use_own_rules()
        self._reader = Reader(self.memories, self.limits, self.flavour, read_only, self.recorder)
        self._seen = Seen()
        self._prompt: SessionPrompt | None = None
        self._guard = threading.RLock()

    # ---------------------------------------------------------------------------------------------- reading

    def path_of(self, target: str) -> Path:
        """The target's file. Raises InvalidArgument for an unknown target."""
        return self._reader.path_of(clean_target(target))

    def load_from_disk(self) -> None:
        """Read both files and freeze the snapshot: the start of a session. Never raises for a file's state."""
        with self._guard:
            documents = {target: self._reader.refresh(target).document for target in TARGETS}
            snapshot = Snapshot(
                entries=MappingProxyType({t: d.texts for t, d in documents.items()}),
                raw=MappingProxyType({t: d.raw_bytes for t, d in documents.items()}),
                limits=self.limits,
                frozen_at=time.time(),
            )
            self._prompt = SessionPrompt(snapshot, self.flavour, self.suppressions)
            for target, document in documents.items():
                self._seen.show(target, document.texts)
                if self._seen.known(target) is None:
                    recorded = self._reader.last_recorded(target)
                    self._seen.know(target, document.texts if recorded is None else recorded)

    @property
    def snapshot(self) -> Snapshot:
        """What the last `load_from_disk` froze (the first use calls it)."""
        return self._session().snapshot

    def entries(self, target: str) -> list[str]:
        """The live texts, duplicates folded; read again when the file changed on disk."""
        target = clean_target(target)
        with self._guard:
            texts = self._reader.refresh(target).document.texts
            self._seen.show(target, texts)
            return list(texts)

    def inspect(self, target: str, *, scan: bool = True, shows: bool = True) -> MemoryFile:
        """Every verdict on the target's file as it stands now; writes and records nothing.

        `external` is what changed since the last `observe` (before the first: since the newest version that history
        knows). `scan=False` leaves `findings` empty, for a first look that must not wait for the rules.
        `shows=False`: the caller does not pass on what stands there, so that it does not count as shown.
        """
        target = clean_target(target)
        with self._guard:
            loaded = self._reader.refresh(target)
            if shows:
                self._seen.show(target, loaded.document.texts)
            file = self._reader.examine(target, loaded, self._seen.known(target))
            if not scan:
                return file
            return replace(file, findings=self._reader.findings(target, loaded.document, self.suppressions))

    def observe(self, target: str, *, scan: bool = True) -> MemoryFile:
        """`inspect`, then take what stands there as seen: an outside change is recorded in history, once."""
        with self._guard:
            file = self.inspect(target, scan=scan)
            if file.exists and not file.problem:
                summary = f"changed outside: {file.external.summary}" if file.external else "first seen"
                self.recorder.observe(self._reader.real_path_of(file.target), file.raw, summary)
                self._seen.know(file.target, file.document.texts)
            return file

    def history(self, target: str) -> list[Version]:
        """Versions of the target's file, newest first: `.raw`, `.when`, `.source`, `.summary`."""
        return self.recorder.past.versions(self._reader.real_path_of(clean_target(target)))

    # ----------------------------------------------------------------------------------------------- prompt

    def agent_view(self, target: str, *, live: bool = False) -> tuple[prompt.AgentEntry, ...]:
        """The entries as the agent that owns this home sees them, of the snapshot or the live file.

        Only Hermes hides entries from its model; an agent of the `pi` flavour reads them all. Of bytes that are not
        UTF-8 Hermes reads nothing: every entry is hidden, with `not_utf8` in place of a rule.
        """
        raw_bytes = self._prompt_bytes(target, live)
        if self.flavour == "pi":
            return prompt.plain_view(parse(raw_bytes))
        view = prompt.agent_view(raw_bytes, FILE_NAMES[target], self.settings.hermes_rules)
        return view or unread(parse(raw_bytes).entries)

    def agent_block(self, target: str, *, live: bool = False) -> str:
        """The target's prompt block as the agent renders it; empty when there is no entry."""
        raw_bytes = self._prompt_bytes(target, live)
        if self.flavour == "pi":
            return prompt.pi_block({target: parse(raw_bytes).texts}, {})
        return prompt.agent_block(target, raw_bytes, self.limits[target], self.settings.hermes_rules)

    def format_for_system_prompt(self, target: str) -> str:
        """The target's block of the frozen snapshot under memtui's own guard; empty when there is no entry."""
        target = clean_target(target)
        with self._guard:
            return self._session().blocks((target,))

    def format_all_for_system_prompt(self) -> str:
        """All blocks of the frozen snapshot: byte-identical until the next `load_from_disk`."""
        with self._guard:
            return self._session().blocks(TARGETS)

    def _session(self) -> SessionPrompt:
        if self._prompt is None:
            self.load_from_disk()
        assert self._prompt is not None
        return self._prompt

    def _prompt_bytes(self, target: str, live: bool) -> bytes:
        target = clean_target(target)
        if not live:
            return self.snapshot.raw[target]
        with self._guard:
            return self._reader.refresh(target).document.raw_bytes


def _limit(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise InvalidArgument(f"A character limit must be a positive whole number, not {told(value, 40)}.")
    return value
