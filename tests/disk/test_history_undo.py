"""The undo log, and writes that a crash left announced."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from memtui.core.change import Step
from memtui.disk.history import History, LoggedChange, Write

KEY = "/home/ada/.hermes/memories/MEMORY.md"


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def history(db_path: Path) -> History:
    return History.open(db_path)


def edit(history: History, before: str, after: str, *, confirms: bool = True) -> int:
    step = Step(before, after, 0)
    write = Write(before.encode(), after.encode(), "memtui", "Replaced", 5.0, "replace", (step,))
    write_id = history.record_write(KEY, write)
    assert write_id is not None, history.problem
    if confirms:
        history.confirm(write_id)
    return write_id


def undo(history: History, standing: str, result: str) -> None:
    logged = history.next_undo(KEY)
    assert logged is not None
    write = Write(standing.encode(), result.encode(), "memtui", "Undid", 6.0, "undo", undoes=logged.id)
    confirm(history, write)


def redo(history: History, standing: str, result: str) -> None:
    logged = history.next_redo(KEY)
    assert logged is not None
    write = Write(standing.encode(), result.encode(), "memtui", "Redid", 7.0, "redo", redoes=logged.id)
    confirm(history, write)


def confirm(history: History, write: Write) -> None:
    write_id = history.record_write(KEY, write)
    assert write_id is not None
    history.confirm(write_id)


def after_of(change: LoggedChange | None) -> str | None:
    return change.steps[0].after if change else None


def test_changes_are_undone_from_the_newest_and_redone_in_turn(history: History) -> None:
    edit(history, "0", "1")
    edit(history, "1", "2")

    undo(history, "2", "1")
    undo(history, "1", "0")
    assert (after_of(history.next_undo(KEY)), after_of(history.next_redo(KEY))) == (None, "1")

    redo(history, "0", "1")
    assert (after_of(history.next_undo(KEY)), after_of(history.next_redo(KEY))) == ("1", "2")
    redo(history, "1", "2")
    assert (after_of(history.next_undo(KEY)), after_of(history.next_redo(KEY))) == ("2", None)


def test_a_history_without_turns_gets_them_and_can_be_read_before(history: History, db_path: Path) -> None:
    first = edit(history, "0", "1")
    history.close()
    with contextlib.closing(sqlite3.connect(db_path)) as connection:
        connection.execute("ALTER TABLE changes DROP COLUMN turn")
        connection.commit()
    reopened = History.open(db_path)

    logged = reopened.next_undo(KEY)
    assert logged is not None
    assert logged.turn == first
    undo(reopened, "1", "0")
    undone = reopened.next_redo(KEY)
    assert undone is not None
    assert undone.turn > first


def test_undo_works_after_a_restart_with_every_step_as_it_was(history: History, db_path: Path) -> None:
    steps = (Step(None, "added \ud800 \x00 §", 3), Step("removed\nentry", None, 0), Step("a", "b"))
    write = Write(b"before", b"after", "tool", "Changed", 5.5, "batch", steps)
    confirm(history, write)
    history.close()

    reopened = History.open(db_path)
    logged = reopened.next_undo(KEY)

    assert logged is not None
    assert (logged.when, logged.source, logged.action, logged.steps) == (5.5, "tool", "batch", steps)
    before, after = reopened.version(logged.before_version), reopened.version(logged.id)
    assert before is not None
    assert after is not None
    assert (before.raw, after.raw) == (b"before", b"after")


def test_a_new_edit_drops_redo(history: History) -> None:
    edit(history, "0", "1")
    undo(history, "1", "0")

    edit(history, "0", "2")

    assert history.next_redo(KEY) is None
    undo(history, "2", "0")
    assert history.next_undo(KEY) is None


def test_an_edit_that_failed_does_not_drop_redo(history: History) -> None:
    edit(history, "0", "1")
    undo(history, "1", "0")

    history.abandon(edit(history, "0", "never written", confirms=False))

    assert after_of(history.next_redo(KEY)) == "1"


def test_files_have_their_own_undo(history: History) -> None:
    edit(history, "0", "1")

    assert history.next_undo("/srv/other/USER.md") is None
    assert history.next_undo("/srv/other/USER.md", b"1") is None


def test_a_write_under_way_cannot_be_undone_yet(history: History) -> None:
    edit(history, "0", "1")
    write_id = edit(history, "1", "2", confirms=False)

    assert after_of(history.next_undo(KEY)) == "1"
    version = history.version(write_id)
    assert version is not None
    assert not version.stood


def test_a_crash_after_the_replace_leaves_a_change_that_can_be_undone(history: History, db_path: Path) -> None:
    write_id = edit(history, "0", "1", confirms=False)
    history.close()

    reopened = History.open(db_path)

    assert after_of(reopened.next_undo(KEY, standing_bytes=b"1")) == "1"
    version = reopened.version(write_id)
    assert version is not None
    assert version.stood


def test_a_crash_before_the_replace_leaves_nothing_to_undo_and_both_sides_in_history(
    history: History,
) -> None:
    edit(history, "0", "1")
    edit(history, "1", "2", confirms=False)

    assert after_of(history.next_undo(KEY, standing_bytes=b"1")) == "1"
    assert [(v.raw, v.stood) for v in history.versions(KEY)] == [(b"2", False), (b"1", True), (b"0", True)]
    history.record(KEY, b"1", "outside", "seen", 9.0)
    assert len(history.versions(KEY)) == 3


def test_a_crash_followed_by_a_foreign_write_loses_no_bytes(history: History) -> None:
    edit(history, "0", "1", confirms=False)

    edit(history, "foreign", "next")

    assert [v.raw for v in history.versions(KEY)] == [b"next", b"foreign", b"1", b"0"]
    undo(history, "next", "foreign")
    assert history.next_undo(KEY) is None
    history.record(KEY, b"1", "outside", "the same bytes, by somebody else", 9.0)
    assert history.next_undo(KEY) is None


def test_a_crash_inside_an_undo_is_settled_by_what_stands(history: History) -> None:
    edit(history, "0", "1")
    logged = history.next_undo(KEY)
    assert logged is not None
    undoing = Write(b"1", b"0", "memtui", "Undid", 6.0, "undo", undoes=logged.id)

    history.record_write(KEY, undoing)
    assert after_of(history.next_undo(KEY, standing_bytes=b"1")) == "1"

    history.record_write(KEY, undoing)
    assert history.next_undo(KEY, standing_bytes=b"0") is None
    assert after_of(history.next_redo(KEY)) == "1"


def test_a_look_confirms_what_stands_and_decides_nothing_else(history: History) -> None:
    write_id = edit(history, "0", "1", confirms=False)

    history.record(KEY, b"0", "outside", "seen while the write is under way", 8.0)
    version = history.version(write_id)
    assert version is not None
    assert not version.stood

    history.record(KEY, b"1", "outside", "seen after it", 8.0)
    assert after_of(history.next_undo(KEY)) == "1"
    assert len(history.versions(KEY)) == 2


def test_steps_that_were_damaged_are_a_problem_in_words(history: History, db_path: Path) -> None:
    import sqlite3

    edit(history, "0", "1")
    history.close()
    connection = sqlite3.connect(db_path)
    connection.execute("UPDATE changes SET steps = '[[1]'")
    connection.commit()
    connection.close()

    assert history.next_undo(KEY) is None
    assert "damaged" in history.problem
    assert len(history.versions(KEY)) == 2
