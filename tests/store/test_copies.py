"""The copies beside a memory file: judged, deleted when they hold nothing more, restored byte for byte."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.actions import resolve
from memtui.actions.resolve import SourceVerdict
from memtui.core import errors
from memtui.disk.folders import history_path
from memtui.opening import open_store
from memtui.store import MemoryStore

LIVE = b"Alpha fact\n\xc2\xa7\nBeta fact"


def copy(memory_file: Path, name: str, raw_bytes: bytes) -> str:
    memory_file.with_name(name).write_bytes(raw_bytes)
    return name


def verdicts(store: MemoryStore) -> dict[str, str]:
    return {one.name: one.words for one in resolve.sources(store, "memory")}


def test_every_copy_is_judged_against_the_file(store: MemoryStore, memory_file: Path) -> None:
    copy(memory_file, "MEMORY.md.bak.1700000005", LIVE)
    copy(memory_file, "MEMORY.md.bak.1700000004", b"Beta fact\n")
    copy(memory_file, "MEMORY.md.bak.1700000003", b"Old one\n\xc2\xa7\nOlder one\n\xc2\xa7\nBeta fact")
    copy(memory_file, "MEMORY.md.bak.1700000002", b"Caf\xe9 \xff\xfe")
    copy(memory_file, "MEMORY.md.bak.1700000001", b"x" * 3000)
    copy(memory_file, "MEMORY.md~", LIVE)
    copy(memory_file, ".MEMORY.md.swp", b"b0VIM 9.0\0\0")
    copy(memory_file, "MEMORY.sync-conflict-20260101-101010-ABCDEFG.md", b"Alpha fact")
    copy(memory_file, "NOTES.md.bak.1700000001", b"not ours")

    words = verdicts(store)

    assert words.pop("file now") == "what stands there"
    assert words["MEMORY.md.bak.1700000005"].startswith("identical to the live file")
    assert words["MEMORY.md.bak.1700000004"] == "all its entries are live"
    assert words["MEMORY.md.bak.1700000003"] == "2 entries are not live"
    assert words["MEMORY.md.bak.1700000002"].startswith("drifted: byte 0xE9")
    assert words["MEMORY.md.bak.1700000001"].startswith("drifted: one entry is longer")
    assert words["MEMORY.md~"].startswith("identical to the live file")
    assert words["MEMORY.sync-conflict-20260101-101010-ABCDEFG.md"] == "all its entries are live"
    assert len(words) == 8


def test_a_backup_that_is_newer_than_the_file_stands_first_with_its_time(
    store: MemoryStore, memory_file: Path
) -> None:
    os.utime(memory_file, (1_600_000_000, 1_600_000_000))
    copy(memory_file, "MEMORY.md.bak.1700000000", b"Newer than the file")
    copy(memory_file, "MEMORY.md.bak.1500000000", b"Older than the file")

    now, newer, older = resolve.sources(store, "memory")

    assert newer.when > now.when > older.when
    assert newer.verdict is SourceVerdict.MISSING


def test_two_hundred_backups_are_judged_at_once(store: MemoryStore, memory_file: Path) -> None:
    for number in range(200):
        text = f"Alpha fact\n§\nNote {number % 50} that once stood".encode()
        copy(memory_file, f"MEMORY.md.bak.{1_700_000_000 + number}", text)
    began = time.perf_counter()

    found = resolve.sources(store, "memory")

    assert len(found) == 201
    assert time.perf_counter() - began < 5
    assert sum(bool(one.twin) for one in found) == 150


def test_giants_are_told_as_not_compared(
    store: MemoryStore, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.actions.sources.MAX_JUDGED_BYTES", 100)
    copy(memory_file, "MEMORY.md.bak.1700000001", b"small\n\xc2\xa7\nAlpha fact")
    copy(memory_file, "MEMORY.md.bak.1700000000", b"Beta fact " * 40)

    _, small, giant = resolve.sources(store, "memory")

    assert small.verdict is SourceVerdict.MISSING
    assert giant.verdict is SourceVerdict.NOT_COMPARED
    assert resolve.deletable_backups(store, "memory") == ()


def test_only_copies_that_hold_nothing_more_are_deleted_and_history_has_them_first(
    store: MemoryStore, memory_file: Path
) -> None:
    identical = copy(memory_file, "MEMORY.md.bak.1700000002", LIVE)
    live = copy(memory_file, "MEMORY.md.bak.1700000001", b"Beta fact\r\n")
    other = copy(memory_file, "MEMORY.md.bak.1700000000", b"Beta fact\n\xc2\xa7\nNowhere else")
    swap = copy(memory_file, ".MEMORY.md.swp", LIVE)

    assert {one.name for one in resolve.deletable_backups(store, "memory")} == {identical, live}
    deleted = resolve.delete_backups(store, "memory", [identical, live, other, swap, "MEMORY.md.bak.9"])

    assert set(deleted.removed) == {identical, live}
    assert {one.name: one.why for one in deleted.kept} == {
        other: "1 entry is not live",
        swap: "it belongs to an editor that may still be open",
        "MEMORY.md.bak.9": "there is no such backup",
    }
    assert not memory_file.with_name(identical).exists()
    assert memory_file.with_name(other).exists()
    kept = {version.raw for version in store.history("memory") if version.source == "backup"}
    assert kept == {LIVE, b"Beta fact\r\n"}
    assert str(deleted).startswith("Deleted 2 backups")


def test_a_deleted_backup_is_no_version_of_the_file(
    store: MemoryStore, memory_file: Path, home: Path
) -> None:
    store.observe("memory")
    name = copy(memory_file, "MEMORY.md.bak.1700000001", b"Beta fact")
    resolve.delete_backups(store, "memory", [name])

    later = open_store(home)

    assert not later.inspect("memory").external


def test_history_does_not_say_removed_of_a_backup_that_stays(
    store: MemoryStore, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = copy(memory_file, "MEMORY.md.bak.1700000001", LIVE)
    unlink = os.unlink

    def refuse(path: object, **options: Any) -> None:
        if str(path).endswith(name):
            raise PermissionError(1, "Operation not permitted")  # what an immutable file answers
        unlink(path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "unlink", refuse)

    deleted = resolve.delete_backups(store, "memory", [name])

    assert deleted.removed == ()
    assert [version.summary for version in store.history("memory")] == [f"backup {name}"]


def test_what_history_cannot_take_is_not_deleted(store: MemoryStore, memory_file: Path) -> None:
    name = copy(memory_file, "MEMORY.md.bak.1700000001", LIVE)
    history_path().mkdir(parents=True)

    deleted = resolve.delete_backups(store, "memory", [name])

    assert deleted.removed == ()
    assert "history could not take its bytes" in deleted.kept[0].why
    assert memory_file.with_name(name).read_bytes() == LIVE


def test_a_backup_is_restored_byte_for_byte_with_what_speaks_against_it(
    store: MemoryStore, memory_file: Path
) -> None:
    old = b"\xef\xbb\xbfCaf\xe9\r\n\xc2\xa7\r\n\r\nTea\r\n"
    name = copy(memory_file, "MEMORY.md.bak.1700000000", old)

    change = resolve.restore_backup(store, "memory", name)

    assert memory_file.read_bytes() == old
    assert any("drifted" in notice for notice in change.notices)
    store.undo("memory")
    assert memory_file.read_bytes() == LIVE
    with pytest.raises(errors.NotFound):
        resolve.restore_backup(store, "memory", "../USER.md")


def test_auto_tidies_and_deletes_only_equal_bytes(store: MemoryStore, memory_file: Path) -> None:
    untidy = b"\xc2\xa7\nAlpha fact\n\n\xc2\xa7\nBeta fact\n"
    memory_file.write_bytes(untidy)
    copy(memory_file, "MEMORY.md.bak.1700000003", untidy)
    copy(memory_file, "MEMORY.md.bak.1700000002", b"Once\n")
    copy(memory_file, "MEMORY.md.bak.1700000001", b"Once\n")
    copy(memory_file, "MEMORY.md.bak.1700000000", b"Alpha fact")

    would = resolve.resolve_auto(store, "memory", dry_run=True)
    assert memory_file.read_bytes() == untidy
    assert len(list(memory_file.parent.glob("*.bak.*"))) == 4
    report = resolve.resolve_auto(store, "memory")

    assert len(would.did) == len(report.did) == 3
    assert report.left == ()
    assert memory_file.read_bytes() == LIVE
    left = {path.name for path in memory_file.parent.glob("*.bak.*")}
    assert left == {"MEMORY.md.bak.1700000002", "MEMORY.md.bak.1700000000"}
    assert resolve.resolve_auto(store, "memory").did == ()


@pytest.mark.parametrize(
    "raw_bytes",
    [
        b"Caf\xe9\n",
        b"x" * 3000,
        "§ one\n\n§ two\n".encode(),
        "Alpha\n".encode("utf-16"),
        b"# A\n\nb\n\n# C\n\nd",
    ],
)
def test_auto_leaves_to_a_person_what_needs_judgement(
    store: MemoryStore, memory_file: Path, raw_bytes: bytes
) -> None:
    memory_file.write_bytes(raw_bytes)
    texts = store.entries("memory")

    report = resolve.resolve_auto(store, "memory")

    assert report.left
    assert store.entries("memory") == texts
    if store.inspect("memory").drift:
        assert memory_file.read_bytes() == raw_bytes
