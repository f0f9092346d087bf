"""History is bounded, and a write tells what the bounds dropped."""

from __future__ import annotations

from memtui.disk.history import Bounds
from memtui.store import MemoryStore


def test_a_write_tells_once_that_old_versions_were_dropped(store: MemoryStore) -> None:
    store.add("memory", "Gamma")
    history = store.recorder.looking()
    assert history is not None
    history.bounds = Bounds(max_versions=2)

    notices = [" ".join(store.add("memory", f"Fact number {number}").notices) for number in range(3)]

    assert "dropped" in notices[0]
    assert not any("dropped" in notice for notice in notices[1:])
    assert len(store.history("memory")) == 2
