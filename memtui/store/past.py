"""What history knows of the memory files: their versions, what was written whole, what undo and redo would take.

It looks only: where there is no history none is made, and it then knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memtui.disk.history import History, LoggedChange, Version, Wanted, is_any


@dataclass(frozen=True, slots=True)
class Past:
    """The past of every file; a file is named by its real path."""

    _looking: Callable[[], History | None]
    """The history, if there is one by now."""

    def versions(self, path: Path, limit: int | None = None) -> list[Version]:
        """Versions of a file, newest first."""
        history = self._looking()
        return history.versions(str(path), limit) if history else []

    def version(self, version_id: int) -> Version | None:
        """One version; None when history has it not (any more)."""
        history = self._looking()
        return history.version(version_id) if history else None

    def last_standing(self, path: Path) -> Version | None:
        """The newest version that stood in the file; bytes kept from beside it are none."""
        history = self._looking()
        return next(iter(history.versions(str(path), 1, standing_only=True)), None) if history else None

    def wrote_whole(self, path: Path, text: str) -> bool:
        """True when a guarded operation wrote this very text as one entry."""
        history = self._looking()
        return history.written_whole(str(path), text) if history else False

    def next_undo(
        self, path: Path, standing_bytes: bytes | None = None, wanted: Wanted = is_any
    ) -> LoggedChange | None:
        """The change that undo would take back; `standing_bytes`: what stands in the file, under its lock."""
        history = self._looking()
        return history.next_undo(str(path), standing_bytes, wanted) if history else None

    def next_redo(
        self, path: Path, standing_bytes: bytes | None = None, wanted: Wanted = is_any
    ) -> LoggedChange | None:
        """The change that redo would do again; `standing_bytes`: what stands in the file, under its lock."""
        history = self._looking()
        return history.next_redo(str(path), standing_bytes, wanted) if history else None
