"""The archive of dropped entries: every line is shown, whatever it holds, and an entry comes back whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.disk.archive import Archive, ArchivedEntry, read_archive


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "memories"
    folder.mkdir(parents=True)
    return folder


def write_lines(memories: Path, *records: Any) -> None:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    (memories / "ARCHIVE.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def only(memories: Path, record: Any) -> ArchivedEntry:
    write_lines(memories, record)
    (entry,) = read_archive(memories).entries
    return entry


def test_a_home_without_an_archive_has_an_empty_one(memories: Path) -> None:
    assert read_archive(memories) == Archive()


def test_a_record_of_hermes_is_read_whole(memories: Path) -> None:
    record = {"id": "a1", "ts": "2026-08-02T10:00:00Z", "store": "memory", "action": "superseded",
              "reason": "consolidated", "entry": "Uses uv\nand ruff"}  # fmt: skip

    assert only(memories, record) == ArchivedEntry(
        "memory", "Uses uv\nand ruff", 1785664800.0, 1, "superseded", "consolidated"
    )


@pytest.mark.parametrize(
    ("record", "target", "text"),
    [
        ({"target": "user", "content": "A", "evicted_at": 5}, "user", "A"),
        ({"file": "USER.md", "text": "A", "archived_at": 5}, "user", "A"),
        ({"file": "/home/ada/.hermes/memories/MEMORY.md", "entry": "A", "timestamp": "5"}, "memory", "A"),
        ({"file": "C:\\Users\\Ada\\memories\\USER.md", "entry": "A", "when": 5.0}, "user", "A"),
        ({"store": "MEMORY", "old_content": " A\r\nB \n", "time": 5}, "memory", "A\nB"),
        ({"store": None, "target": "user", "entry": "", "content": "A", "ts": None, "when": 5}, "user", "A"),
    ],
)
def test_other_names_of_the_same_things_are_understood(
    memories: Path, record: dict[str, Any], target: str, text: str
) -> None:
    entry = only(memories, record)

    assert (entry.target, entry.text, entry.when, entry.problem) == (target, text, 5.0, "")


@pytest.mark.parametrize(
    ("when", "seconds"),
    [
        ("1970-01-01T00:01:00", 60.0),
        ("1970-01-01T02:01:00+02:00", 60.0),
        ("1970-01-01 00:01:00Z", 60.0),
        (1785664800, 1785664800.0),
        (1785664800123, 1785664800.123),
        ("1785664800.5", 1785664800.5),
        ("soon", None),
        (True, None),
        (-5, None),
        (0, None),
        (10**400, None),
        ([1], None),
        ({"$date": 1}, None),
        ("9" * 400, None),
        ("nan", None),
        ("0001-01-01T00:00:00", None),
    ],
)
def test_times_of_many_kinds_are_seconds_or_nothing(
    memories: Path, when: object, seconds: float | None
) -> None:
    assert only(memories, {"entry": "A", "target": "user", "ts": when}).when == seconds


def test_the_newest_come_first_and_lines_without_a_time_keep_their_place(memories: Path) -> None:
    write_lines(
        memories,
        {"entry": "first", "ts": 10},
        {"entry": "second"},
        {"entry": "merged in late", "ts": 5},
        {"entry": "last", "ts": 20},
        "cut off",
    )

    lines = [entry.line for entry in read_archive(memories).entries]

    assert lines == [5, 4, 2, 1, 3]


def test_only_the_newest_lines_are_read_and_the_others_counted(memories: Path) -> None:
    write_lines(
        memories, *({"entry": str(number), "target": "user", "ts": number + 1} for number in range(50))
    )

    archive = read_archive(memories, limit=3)

    assert [entry.text for entry in archive.entries] == ["49", "48", "47"]
    assert archive.left_out == 47
    assert read_archive(memories, limit=0) == Archive(left_out=50)
    assert read_archive(memories, limit=10**9).left_out == 0


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b'{"entry": "A", "target": "us', "not JSON"),
        (b"plain text", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"9" * 5000, "not JSON"),
        (b'{"entry": "\xff"}', "not UTF-8"),
        (b"[1, 2]", "no record"),
        (b"null", "no record"),
        (b"{}", "no text"),
        (b'{"target": "user", "entry": 7, "content": ["A"]}', "no text"),
        (b'{"target": "user", "entry": "  \\n "}', "no text"),
        (b'{"target": "user", "entry": "A\\n\xc2\xa7\\nB"}', "delimiter"),
        (b'{"target": "user", "entry": "A\\u001b[2J"}', "control character"),
        (b'{"target": "user", "entry": "A\\ud800"}', "half of a character"),
        (b'{"target": "../../etc/passwd", "entry": "A"}', "which file"),
        (b'{"target": {"a": 1}, "entry": "A"}', "which file"),
    ],
)
def test_a_bad_line_is_shown_as_such_and_the_others_are_read(
    memories: Path, raw: bytes, problem: str
) -> None:
    good = b'{"target": "user", "entry": "Good"}'
    (memories / "ARCHIVE.jsonl").write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\n" + raw + b"\n" + good)

    last, bad, first = read_archive(memories).entries

    assert (first.text, last.text, bad.line) == ("Good", "Good", 3)
    assert problem in bad.problem


def test_text_that_cannot_be_restored_as_it_is_is_still_shown(memories: Path) -> None:
    entry = only(memories, {"target": "user", "entry": "A\n§\nB"})

    assert entry.text == "A\n§\nB"
    assert entry.problem


def test_what_is_no_file_is_a_problem_in_words(memories: Path) -> None:
    os.mkfifo(memories / "ARCHIVE.jsonl")

    archive = read_archive(memories)

    assert archive.entries == ()
    assert "named pipe" in archive.problem


@given(st.binary(max_size=300))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    folder = tmp_path_factory.mktemp("memories")
    (folder / "ARCHIVE.jsonl").write_bytes(raw)

    archive = read_archive(folder)

    assert len(archive.entries) == sum(1 for line in raw.split(b"\n") if line.strip())
    assert all(entry.problem or entry.text for entry in archive.entries)


KEYS = st.sampled_from(["entry", "target", "ts", "action", "reason"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text()))


@given(st.dictionaries(KEYS, VALUES))
def test_any_record_is_read(tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("memories")
    write_lines(folder, record)

    (entry,) = read_archive(folder).entries

    assert isinstance(entry.action + entry.reason + entry.text + entry.target, str)
    assert entry.when is None or 0 < entry.when < 1e11
