"""Every kind of file that people report: judged right, and clean after the resolver's own suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest
from reported import REPORTED, Reported

from memtui.actions import resolve
from memtui.core.drift import describe
from memtui.core.errors import DriftFound
from memtui.core.model import MemoryFile, Verdict
from memtui.opening import open_store
from memtui.store import MemoryStore

FILES = pytest.mark.parametrize("reported", REPORTED.values(), ids=list(REPORTED))
DRIFTED = [(n, r) for n, r in REPORTED.items() if r.resolved and r.verdict is Verdict.DRIFT]
REWRITTEN = [
    (n, r) for n, r in REPORTED.items() if r.resolved and r.verdict in (Verdict.DRIFT, Verdict.MERGED)
]
GROWING = [(n, r) for n, r in REPORTED.items() if r.verdict is not Verdict.OVER_BUDGET]
RESOLVED = pytest.mark.parametrize(
    "reported",
    [r for r in REPORTED.values() if r.resolved],
    ids=[n for n, r in REPORTED.items() if r.resolved],
)


@pytest.fixture
def found(home: Path, memory_file: Path, reported: Reported) -> MemoryStore:
    memory_file.write_bytes(reported.raw_bytes)
    return open_store(home, memory_char_limit=reported.limit_chars)


def _sentences(file: MemoryFile) -> str:
    return "\n".join(describe(file))


@FILES
def test_a_reported_file_gets_its_verdict_with_reason_and_place(
    found: MemoryStore, reported: Reported
) -> None:
    file = found.inspect("memory", scan=False)

    assert file.verdict is reported.verdict
    assert reported.said in _sentences(file)
    if file.drift:
        assert all(1 <= one.line <= one.last_line for one in file.drift)


@FILES
def test_looking_at_a_reported_file_changes_nothing(
    found: MemoryStore, reported: Reported, memory_file: Path
) -> None:
    found.inspect("memory")
    resolve.sources(found, "memory")
    resolve.candidates(found, resolve.open_draft(found, "memory"))

    assert sorted(path.name for path in memory_file.parent.iterdir()) == ["MEMORY.md", "USER.md"]
    assert memory_file.read_bytes() == reported.raw_bytes


@pytest.mark.parametrize("reported", [r for _, r in GROWING], ids=[n for n, _ in GROWING])
def test_only_drift_refuses_an_addition(found: MemoryStore, reported: Reported, memory_file: Path) -> None:
    if reported.verdict is Verdict.DRIFT:
        with pytest.raises(DriftFound):
            found.add("memory", "One more")
        assert memory_file.read_bytes() == reported.raw_bytes
        assert [path.read_bytes() for path in memory_file.parent.glob("*.bak.*")] == [reported.raw_bytes]
    else:
        found.add("memory", "One more")
        assert "One more" in found.entries("memory")


@RESOLVED
def test_the_suggestion_of_the_resolver_makes_the_file_clean(
    found: MemoryStore, reported: Reported, memory_file: Path
) -> None:
    change = resolve.write_resolution(found, "memory", resolve.open_draft(found, "memory"))

    file = found.inspect("memory")
    assert change.texts == tuple(found.entries("memory")) == reported.resolved
    assert set(file.verdicts) <= {Verdict.CLEAN, Verdict.LAYOUT}
    assert any(version.raw == reported.raw_bytes for version in found.history("memory")) or not change.wrote


@pytest.mark.parametrize("reported", [r for _, r in REWRITTEN], ids=[n for n, _ in REWRITTEN])
def test_a_resolution_is_taken_back_byte_for_byte_and_made_again(
    found: MemoryStore, reported: Reported, memory_file: Path
) -> None:
    change = resolve.write_resolution(found, "memory", resolve.open_draft(found, "memory"))
    assert change.wrote
    after = memory_file.read_bytes()

    found.undo("memory")
    assert memory_file.read_bytes() == reported.raw_bytes
    found.redo("memory")
    assert memory_file.read_bytes() == after


@pytest.mark.parametrize("reported", [r for _, r in DRIFTED], ids=[n for n, _ in DRIFTED])
def test_after_a_resolution_the_backup_may_go_unless_it_holds_more(
    found: MemoryStore, reported: Reported, memory_file: Path
) -> None:
    resolve.write_resolution(found, "memory", resolve.open_draft(found, "memory"))

    names = [one.name for one in resolve.deletable_backups(found, "memory")]
    deleted = resolve.delete_backups(found, "memory", names)

    assert len(deleted.removed) == (0 if reported.has_lost_bytes else 1)
    assert len(list(memory_file.parent.glob("*.bak.*"))) == (1 if reported.has_lost_bytes else 0)
    assert any(version.raw == reported.raw_bytes for version in found.history("memory"))
