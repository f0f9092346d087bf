"""A home with two small files, and stores on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.opening import open_store
from memtui.store import MemoryStore


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Hermes home whose MEMORY.md holds two entries."""
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "MEMORY.md").write_text("Alpha fact\n§\nBeta fact", encoding="utf-8")
    (memories / "USER.md").write_text("Likes tea", encoding="utf-8")
    return memories.parent


@pytest.fixture
def memory_file(home: Path) -> Path:
    """The home's MEMORY.md."""
    return home / "memories" / "MEMORY.md"


@pytest.fixture
def store(home: Path) -> MemoryStore:
    """A loaded store on the home."""
    return open_store(home)


@pytest.fixture
def reopen(home: Path) -> Callable[[], MemoryStore]:
    """Another session on the same home."""
    return lambda: open_store(home)
