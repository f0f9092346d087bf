"""Versions: what is recorded, what is listed, and how long contents are kept short."""

from __future__ import annotations

import os
import random
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.errors import Unreadable
from memtui.disk.history import History, Write
from memtui.disk.history_blobs import DELTA_FROM_BYTES, MAX_DEPTH, common_head, common_tail

KEY = "/home/ada/.hermes/memories/MEMORY.md"


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "memtui" / "history.db"


@pytest.fixture
def history(db_path: Path) -> History:
    return History.open(db_path)


def write_of(before: bytes, after: bytes, when: float = 1.0) -> Write:
    return Write(before, after, "memtui", "Replaced an entry", when, "replace")


def written(history: History, before: bytes, after: bytes) -> int:
    write_id = history.record_write(KEY, write_of(before, after))
    assert write_id is not None
    history.confirm(write_id)
    return write_id


def test_looking_makes_no_file(history: History, db_path: Path) -> None:
    assert history.versions(KEY) == []
    assert history.version(1) is None
    assert history.next_undo(KEY) is None
    assert not history.written_whole(KEY, "text")
    assert history.purging.versions() == 0

    assert not db_path.parent.exists()
    assert history.problem == ""


def test_versions_come_newest_first_with_their_bytes(history: History) -> None:
    assert history.record(KEY, b"one", "outside", "first seen", 10.0)
    assert history.record(KEY, b"two\xff\x00", "outside", "+1 \u22120 ~0", 20.0)

    newest, oldest = history.versions(KEY)

    assert (newest.raw, newest.when, newest.source, newest.summary) == (
        b"two\xff\x00",
        20.0,
        "outside",
        "+1 −0 ~0",
    )
    assert (oldest.raw, oldest.size_bytes, oldest.stood) == (b"one", 3, True)
    assert oldest.sha256 == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert history.version(oldest.id) == oldest
    assert [version.id for version in history.versions(KEY, limit=1)] == [newest.id]


def test_what_stands_already_is_not_recorded_twice(history: History) -> None:
    for _ in range(3):
        assert history.record(KEY, b"same", "outside", "seen", 1.0)
    assert len(history.versions(KEY)) == 1

    history.record(KEY, b"other", "outside", "seen", 2.0)
    history.record(KEY, b"same", "outside", "seen", 3.0)

    assert [version.raw for version in history.versions(KEY)] == [b"same", b"other", b"same"]


def test_files_do_not_see_each_other(history: History) -> None:
    history.record(KEY, b"text", "outside", "seen", 1.0)
    history.record("/srv/other/MEMORY.md", b"text", "outside", "seen", 1.0)

    assert len(history.versions(KEY)) == len(history.versions("/srv/other/MEMORY.md")) == 1


def test_a_key_and_a_summary_of_undecodable_bytes_are_kept(history: History) -> None:
    key = os.fsdecode(b"/home/\xff\xfe/MEMORY.md")

    assert history.record(key, b"text", "outside", "odd \udcff name", 1.0)

    assert history.versions(key)[0].summary == "odd ? name"


def test_displaced_bytes_are_kept_and_do_not_count_as_what_stands(history: History) -> None:
    written(history, b"old", b"new")
    history.record(KEY, b"displaced", "displaced", "written meanwhile", 2.0)
    history.record(KEY, b"displaced", "displaced", "written meanwhile", 2.0)
    history.record(KEY, b"new", "outside", "seen", 3.0)

    assert [version.raw for version in history.versions(KEY)] == [b"displaced", b"new", b"old"]


def test_a_write_holds_what_stood_before_and_what_stands_after(history: History) -> None:
    history.record(KEY, b"old", "outside", "seen", 1.0)

    written(history, b"old", b"new")

    assert [(v.raw, v.source, v.stood) for v in history.versions(KEY)] == [
        (b"new", "memtui", True),
        (b"old", "outside", True),
    ]


def test_a_write_over_unseen_bytes_records_them_first(history: History) -> None:
    history.record(KEY, b"old", "outside", "seen", 1.0)

    written(history, b"changed meanwhile", b"new")

    raws = [(version.raw, version.source) for version in history.versions(KEY)]
    assert raws == [(b"new", "memtui"), (b"changed meanwhile", "outside"), (b"old", "outside")]


def test_our_own_write_is_not_recorded_again_as_outside(history: History) -> None:
    write_id = history.record_write(KEY, write_of(b"old", b"new"))
    history.record(KEY, b"new", "outside", "seen by a watcher before the confirmation", 2.0)
    assert write_id is not None
    history.confirm(write_id)

    assert [version.source for version in history.versions(KEY)] == ["memtui", "outside"]


def test_what_stood_is_told_from_what_was_kept_beside_it(history: History) -> None:
    written(history, b"old", b"new")
    for number in range(600):
        history.record(KEY, b"copy %d" % number, "backup", "deleted copy", 2.0)
    history.record_write(KEY, write_of(b"new", b"under way"))

    assert [version.raw for version in history.versions(KEY, 1, standing_only=True)] == [b"new"]
    assert [version.raw for version in history.versions(KEY, standing_only=True)] == [b"new", b"old"]


def test_an_abandoned_write_leaves_no_version(history: History) -> None:
    write_id = history.record_write(KEY, write_of(b"old", b"never"))
    assert write_id is not None

    history.abandon(write_id)

    assert [version.raw for version in history.versions(KEY)] == [b"old"]
    assert history.next_undo(KEY) is None


def test_ids_are_never_used_twice(history: History) -> None:
    first = written(history, b"a", b"b")
    history.purging.versions(KEY)

    assert written(history, b"a", b"b") > first
    assert history.version(first) is None


def test_reading_a_purged_version_is_refused_in_words(history: History) -> None:
    history.record(KEY, b"secret", "outside", "seen", 1.0)
    (version,) = history.versions(KEY)
    history.purging.versions()

    with pytest.raises(Unreadable, match="not in the history any more"):
        _ = version.raw


def test_it_works_from_many_threads(history: History) -> None:
    def record_many(number: int) -> None:
        for step in range(20):
            assert history.record(f"file {number}", f"{number} {step}".encode(), "outside", "seen", 1.0)
            assert history.versions(f"file {number}")[0].raw == f"{number} {step}".encode()

    threads = [threading.Thread(target=record_many, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [len(history.versions(f"file {number}")) for number in range(4)] == [20] * 4


@pytest.mark.parametrize("umask", [0, 0o777])
def test_folder_and_files_are_private_whatever_the_umask(history: History, db_path: Path, umask: int) -> None:
    old_umask = os.umask(umask)
    try:
        assert history.record(KEY, b"text", "outside", "seen", 1.0), history.problem
    finally:
        os.umask(old_umask)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in db_path.parent.iterdir()}
    assert modes == dict.fromkeys(["history.db", "history.db-wal", "history.db-shm"], 0o600)
    assert stat.S_IMODE(db_path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(db_path.parent.parent.stat().st_mode) == 0o700


def test_a_database_that_others_could_read_is_closed_to_them(history: History, db_path: Path) -> None:
    history.record(KEY, b"text", "outside", "seen", 1.0)
    history.close()
    db_path.chmod(0o644)

    History.open(db_path).record(KEY, b"more", "outside", "seen", 2.0)

    assert stat.S_IMODE(db_path.stat().st_mode) == 0o600


def test_history_is_there_after_closing(history: History, db_path: Path) -> None:
    written(history, b"old", b"new")
    history.close()

    assert [version.raw for version in History.open(db_path).versions(KEY)] == [b"new", b"old"]
    assert [version.raw for version in history.versions(KEY)] == [b"new", b"old"]


def test_one_changed_line_of_a_long_file_takes_little_space(history: History, db_path: Path) -> None:
    lines = [random.Random(number).randbytes(50).hex() for number in range(6000)]
    contents = []
    for number in range(3 * MAX_DEPTH):
        lines[number * 61] = f"line {number} was edited"
        contents.append("\n".join(lines).encode())

    for before, after in zip(contents, contents[1:], strict=False):
        written(history, before, after)

    versions = history.versions(KEY)
    assert [version.raw for version in versions] == contents[::-1]
    history.close()
    # 96 versions of 600 kB, packed 330 kB each: a whole one per 32 differences.
    assert db_path.stat().st_size < 5 * 340_000


def test_the_whole_entries_of_a_write_are_remembered_for_that_file_alone(history: History) -> None:
    text = "# Heading\n\nfirst block\n\nsecond block \ud800"
    history.remember_whole(KEY, [text])

    assert history.written_whole(KEY, text)
    assert not history.written_whole(KEY, text + "!")
    assert not history.written_whole("/srv/other/MEMORY.md", text)


def test_a_write_can_remember_its_whole_entries(history: History) -> None:
    write = Write(b"", b"a\n\nb", "memtui", "Added", 1.0, "add", whole_texts=("a\n\nb",))

    history.record_write(KEY, write)

    assert history.written_whole(KEY, "a\n\nb")


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
def test_common_ends_are_what_a_byte_by_byte_look_finds(head: bytes, one: bytes, other: bytes, tail: bytes) -> None:
    left, right = head + one + tail, head + other + tail

    found_head = common_head(left, right)
    assert left[:found_head] == right[:found_head]
    assert found_head in (len(left), len(right)) or left[found_head] != right[found_head]

    limit = min(len(left), len(right)) - found_head
    found_tail = common_tail(left, right, limit)
    assert found_tail <= limit
    assert left[len(left) - found_tail :] == right[len(right) - found_tail :]
    assert found_tail == limit or left[-found_tail - 1] != right[-found_tail - 1]


def test_long_contents_come_back_whatever_was_changed(history: History) -> None:
    chosen = random.Random(5)
    contents = [chosen.randbytes(DELTA_FROM_BYTES + 100)]
    for _ in range(60):
        raw_bytes = contents[-1]
        start = chosen.randrange(len(raw_bytes))
        end = start + chosen.randrange(3000)
        contents.append(raw_bytes[:start] + chosen.randbytes(chosen.randrange(3000)) + raw_bytes[end:])

    for before, after in zip(contents, contents[1:], strict=False):
        written(history, before, after)

    assert [version.raw for version in history.versions(KEY)] == contents[::-1]
