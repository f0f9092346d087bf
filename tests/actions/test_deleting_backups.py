"""No backup is deleted but the very bytes that were judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.actions import backups, sources
from memtui.opening import open_store
from memtui.store import MemoryStore

LIVE = b"Alpha fact\n\xc2\xa7\nBeta fact"
OTHER = b"An entry that stands nowhere else"


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "MEMORY.md").write_bytes(LIVE)
    return open_store(memories)


@pytest.fixture
def copy(store: MemoryStore) -> Path:
    """A copy whose every entry is live."""
    path = store.memories / "MEMORY.md.bak.1700000000"
    path.write_bytes(b"Alpha fact")
    return path


def before(call: Callable[..., Any], path: Path, raw_bytes: bytes) -> Callable[..., Any]:
    """The same call, before which another program rewrites the copy."""

    def called(*arguments: Any) -> Any:
        path.write_bytes(raw_bytes)
        return call(*arguments)

    return called


def test_a_copy_rewritten_after_it_was_judged_stays(
    store: MemoryStore, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "backups_of", before(backups.backups_of, copy, OTHER))

    done = backups.delete_backups(store, "memory", [copy.name])

    assert copy.read_bytes() == OTHER
    assert done.removed == ()
    assert "has changed" in done.kept[0].why


def test_a_copy_rewritten_between_its_listing_and_its_reading_stays(
    store: MemoryStore, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.write_bytes(OTHER)
    monkeypatch.setattr(sources, "read_backup", before(sources.read_backup, copy, b"Alpha fact"))
    monkeypatch.setattr(backups, "backups_of", before(backups.backups_of, copy, OTHER))

    done = backups.delete_backups(store, "memory", [copy.name])

    assert copy.read_bytes() == OTHER
    assert done.removed == ()


def test_a_copy_that_says_nothing_more_goes_once_history_holds_it(store: MemoryStore, copy: Path) -> None:
    done = backups.delete_backups(store, "memory", [copy.name])

    assert not copy.exists()
    assert done.removed == (copy.name,)
    assert any(version.raw == b"Alpha fact" for version in store.history("memory"))
