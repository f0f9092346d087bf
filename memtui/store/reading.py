"""Reads the two files of a memories folder: again only when they changed, and with every verdict on them.

It writes nothing and never raises for the state of a file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.core.budget import budget_of
from memtui.core.codec import parse
from memtui.core.drift import agent_refusal, compare, find_drift, find_merged
from memtui.core.errors import Unreadable
from memtui.core.model import FILE_NAMES, Document, MemoryFile
from memtui.core.threats import scan_joints
from memtui.core.threats.finding import Finding
from memtui.disk.files import FileState, is_stale, read_state, real_path, write_obstacle
from memtui.store.guard import Suppressing, give_way
from memtui.store.recorder import Recorder

OPENED_READ_ONLY = "opened read-only"


@dataclass(frozen=True, slots=True)
class Loaded:
    """One target as last read."""

    state: FileState
    document: Document


class Reader:
    """The files of one folder, each parsed and scanned once per content."""

    def __init__(
        self, memories: Path, limits: Mapping[str, int], flavour: str, read_only: bool, recorder: Recorder
    ) -> None:
        self._memories = memories
        self._limits = limits
        self._flavour = flavour
        self._read_only = read_only
        self._recorder = recorder
        self._loaded: dict[str, Loaded] = {}
        self._scanned: dict[str, tuple[bytes, list[list[Finding]]]] = {}

    def path_of(self, target: str) -> Path:
        """The target's file, links not followed."""
        return self._memories / FILE_NAMES[target]

    def real_path_of(self, target: str) -> Path:
        """The target's real file: the key of its history."""
        return real_path(self.path_of(target))

    def refresh(self, target: str, *, always: bool = False) -> Loaded:
        """The target as it stands, read again when the file changed (or `always`)."""
        path, known = self.path_of(target), self._loaded.get(target)
        if known is None or always or is_stale(known.state.identity, path, time.time_ns()):
            state = read_state(path)
            unchanged = known is not None and known.document.raw_bytes == state.raw_bytes
            document = known.document if known and unchanged else parse(state.raw_bytes)
            known = self._loaded[target] = Loaded(state, document)
        return known

    def examine(self, target: str, loaded: Loaded, known_texts: Sequence[str] | None) -> MemoryFile:
        """Every verdict but the scan's; `known_texts` are those an outside change is told against."""
        document, limit_chars = loaded.document, self._limits[target]
        path, real = self.path_of(target), self.real_path_of(target)
        return MemoryFile(
            target=target,
            path=str(path),
            exists=loaded.state.exists,
            document=document,
            budget=budget_of(document.texts, limit_chars),
            drift=find_drift(document, limit_chars),
            merged=find_merged(document, lambda text: self._recorder.past.wrote_whole(real, text)),
            external=compare(document.texts if known_texts is None else known_texts, document.texts),
            problem=loaded.state.problem,
            read_only=OPENED_READ_ONLY if self._read_only else write_obstacle(path),
            agent_refuses=agent_refusal(document, limit_chars) if self._flavour == "hermes" else "",
        )

    def findings(
        self, target: str, document: Document, suppressions: Suppressing
    ) -> tuple[tuple[Finding, ...], ...]:
        """The findings of every entry as it stands beside its neighbours, suppressions as they are now."""
        texts = [entry.text for entry in document.entries]
        cached = self._scanned.get(target)
        if cached is None or cached[0] != document.raw_bytes:
            cached = self._scanned[target] = (document.raw_bytes, scan_joints(texts, give_way))
        return tuple(tuple(suppressions.apply(t, found)) for t, found in zip(texts, cached[1], strict=True))

    def last_recorded(self, target: str) -> tuple[str, ...] | None:
        """The texts of the newest version that stood, as history knows it; None when it knows none."""
        newest = self._recorder.past.last_standing(self.real_path_of(target))
        try:
            return parse(newest.raw).texts if newest else None
        except Unreadable:  # damaged, or purged in this moment
            return None
