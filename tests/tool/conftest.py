"""A home with two notes, a store on it and the tool that a model gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.opening import open_store
from memtui.store import MemoryStore
from memtui.tool import MemoryTool, make_memory_tool


@pytest.fixture
def home(tmp_path: Path) -> Path:
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "MEMORY.md").write_text("Alpha fact\n§\nBeta fact", encoding="utf-8")
    return memories.parent


@pytest.fixture
def memory_file(home: Path) -> Path:
    return home / "memories" / "MEMORY.md"


@pytest.fixture
def store(home: Path) -> MemoryStore:
    return open_store(home)


@pytest.fixture
def tool(store: MemoryStore) -> MemoryTool:
    return make_memory_tool(store)
