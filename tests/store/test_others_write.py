"""Other programs write the same files: conflicts, drift, merged entries, outside changes."""

from __future__ import annotations

import contextlib
import multiprocessing
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.core import errors
from memtui.core.change import Change, Operation
from memtui.core.edit import propose
from memtui.core.model import MemoryFile, Verdict
from memtui.disk.folders import history_path
from memtui.opening import open_store
from memtui.store import MemoryStore


def test_an_entry_that_grew_is_a_conflict_once(store: MemoryStore, memory_file: Path) -> None:
    with memory_file.open("a", encoding="utf-8") as stream:
        stream.write("\n- cron moved to 03:00")

    with pytest.raises(errors.Conflict) as refusal:
        store.replace("memory", "Beta fact", "Beta fact, revised")

    assert refusal.value.data == {"shown": "Beta fact", "live": "Beta fact\n- cron moved to 03:00"}
    assert memory_file.read_text().endswith("03:00")
    store.replace("memory", "Beta fact", "Beta fact, revised")
    assert memory_file.read_text() == "Alpha fact\n§\nBeta fact, revised"
    assert any(b"cron moved" in version.raw for version in store.history("memory"))


def test_looking_again_counts_as_shown(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_text("Alpha fact\n§\nBeta fact and more", encoding="utf-8")
    assert store.entries("memory")[1] == "Beta fact and more"

    store.remove("memory", "Beta fact")

    assert memory_file.read_text() == "Alpha fact"


def test_an_outside_change_elsewhere_does_not_refuse(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_text("Alpha fact\n§\nBeta fact\n§\nFrom outside", encoding="utf-8")

    store.replace("memory", "Alpha fact", "Alpha two")

    assert memory_file.read_text() == "Alpha two\n§\nBeta fact\n§\nFrom outside"


def test_inspect_tells_outside_changes_until_they_are_observed(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_text("Alpha fact\n§\nBeta fact, longer\n§\nNew one", encoding="utf-8")

    file = store.inspect("memory")
    assert file.external.added == ("New one",)
    assert file.external.changed == (("Beta fact", "Beta fact, longer"),)
    assert file.verdict is Verdict.EXTERNAL
    assert store.inspect("memory").external == file.external

    assert store.observe("memory").external == file.external
    assert not store.inspect("memory").external


def test_own_writes_are_never_external(store: MemoryStore) -> None:
    store.observe("memory")
    store.add("memory", "Gamma fact")
    store.replace("memory", "Alpha fact", "Alpha two")
    store.remove("memory", "Beta fact")

    assert not store.inspect("memory").external


def test_an_outside_change_before_an_own_write_stays_news(store: MemoryStore, memory_file: Path) -> None:
    store.observe("memory")
    memory_file.write_text("Alpha fact\n§\nBeta fact\n§\nFrom outside", encoding="utf-8")

    store.add("memory", "Mine")

    assert store.inspect("memory").external.added == ("From outside",)


def test_a_change_made_while_memtui_was_not_running_is_told_at_the_first_look(
    store: MemoryStore, memory_file: Path, reopen: Callable[[], MemoryStore]
) -> None:
    store.observe("memory")
    memory_file.write_text("Alpha fact", encoding="utf-8")

    later = reopen()

    assert later.observe("memory").external.removed == ("Beta fact",)
    newest = later.history("memory")[0]
    assert (newest.raw, newest.source) == (b"Alpha fact", "outside")


def test_drift_refuses_that_target_only_and_keeps_one_backup(store: MemoryStore, memory_file: Path) -> None:
    drifted = ("Alpha fact\n§\n" + "x" * 2300).encode()
    memory_file.write_bytes(drifted)

    for _ in range(3):
        with pytest.raises(errors.DriftFound) as refusal:
            store.add("memory", "Gamma")
    store.add("user", "Drinks coffee too")

    assert memory_file.read_bytes() == drifted
    (backup,) = memory_file.parent.glob("MEMORY.md.bak.*")
    assert backup.read_bytes() == drifted
    assert refusal.value.data["backup"] == str(backup)
    assert "2300" in str(refusal.value) or "2,300" in str(refusal.value)


def test_the_over_long_entry_itself_may_be_removed(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_text("Alpha fact\n§\n" + "x" * 2300, encoding="utf-8")
    store.entries("memory")

    store.remove("memory", "xxxx")

    assert memory_file.read_text() == "Alpha fact"
    assert list(memory_file.parent.glob("MEMORY.md.bak.*"))


def test_bytes_that_are_not_utf8_are_read_at_best_and_never_written(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_bytes(b"Caf\xe9 opens at nine\n\xc2\xa7\nTea")

    assert store.entries("memory") == ["Caf\ufffd opens at nine", "Tea"]
    with pytest.raises(errors.DriftFound, match="0xe9|0xE9"):
        store.remove("memory", "Tea")
    assert memory_file.read_bytes() == b"Caf\xe9 opens at nine\n\xc2\xa7\nTea"


def test_one_note_of_a_merged_entry_cannot_wipe_the_others(store: MemoryStore, memory_file: Path) -> None:
    memory_file.write_text("§ router: shelf\n\n§ disk: weekly\n", encoding="utf-8")
    whole = store.entries("memory")[0]

    with pytest.raises(errors.MergedEntry) as refusal:
        store.replace("memory", "disk: weekly", "disk: daily")
    assert len(refusal.value.data["parts"]) == 2

    store.replace("memory", whole, "router and disk")
    assert memory_file.read_text().strip() == "router and disk"


def test_an_entry_written_whole_through_memtui_is_never_merged(store: MemoryStore, memory_file: Path) -> None:
    store.batch("memory", [{"action": "remove", "old_text": "Alpha"}, {"action": "remove", "old_text": "Beta"}])
    store.add("memory", "# Hosts\n\nweb on box1\n\ndb on box2")

    assert not store.inspect("memory").merged
    store.replace("memory", "db on box2", "# Hosts\n\nall on box3")
    assert memory_file.read_text() == "# Hosts\n\nall on box3"


def test_an_unreadable_file_is_refused_not_overwritten(store: MemoryStore, memory_file: Path) -> None:
    memory_file.unlink()
    memory_file.mkdir()

    assert store.inspect("memory").problem
    with pytest.raises((errors.Unreadable, errors.WriteFailed)):
        store.add("memory", "text")
    assert memory_file.is_dir()


def _add_many(home: str, worker: int, count: int) -> None:
    store = open_store(home)
    for number in range(count):
        store.add("memory", f"worker {worker} fact {number}")


def test_processes_that_write_at_once_lose_nothing(home: Path, memory_file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add_many, args=(str(home), w, 5)) for w in range(4)]

    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0] * 4
    entries = memory_file.read_text().split("\n§\n")
    assert len(entries) == 22
    assert {f"worker {w} fact {n}" for w in range(4) for n in range(5)} <= set(entries)


def test_what_a_writer_without_the_lock_wrote_at_the_same_moment_is_kept_and_told(
    store: MemoryStore, memory_file: Path
) -> None:
    def build(file: MemoryFile) -> Change:
        memory_file.write_text("Gamma fact", encoding="utf-8")
        return propose(file.document, "memory", [Operation("remove", old_text="Beta fact")], 2200)

    change = store.apply("memory", build)

    assert memory_file.read_text(encoding="utf-8") == "Alpha fact"
    assert any(version.raw == b"Gamma fact" for version in store.history("memory"))
    assert any("at the same moment" in notice for notice in change.notices)


def test_a_write_in_place_leaves_two_versions_the_newest_its_own(
    store: MemoryStore, memory_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "second_name.md").hardlink_to(memory_file)

    store.add("memory", "Ours")

    versions = store.history("memory")
    assert [version.source for version in versions] == ["memtui", "outside"]
    assert [version.raw for version in versions] == [memory_file.read_bytes(), b"Alpha fact\n\xc2\xa7\nBeta fact"]


def test_what_a_writer_without_the_lock_wrote_before_a_write_in_place_is_kept_and_told(
    store: MemoryStore, memory_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "second_name.md").hardlink_to(memory_file)

    def build(file: MemoryFile) -> Change:
        with memory_file.open("a", encoding="utf-8") as stream:
            stream.write("\n§\nLate words")
        return propose(file.document, "memory", [Operation("add", "Ours")], 2200)

    change = store.apply("memory", build)

    assert any("at the same moment" in notice for notice in change.notices)
    assert any(version.source == "displaced" and b"Late words" in version.raw for version in store.history("memory"))


def test_a_version_that_history_cannot_give_back_keeps_nobody_from_opening(
    store: MemoryStore, home: Path
) -> None:
    store.add("memory", "Gamma fact")
    with contextlib.closing(sqlite3.connect(history_path(), isolation_level=None)) as connection:
        connection.execute("UPDATE blobs SET packed = x'00'")

    reopened = open_store(home)

    assert reopened.entries("memory") == ["Alpha fact", "Beta fact", "Gamma fact"]
    assert not reopened.inspect("memory").external
