"""Commands that judge and mend the form of a file: drift, backups, resolve, tidy, split, history, restore."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.disk.folders import history_path
from memtui.disk.lock import hold_locks

UNTIDY = b"\xc2\xa7\nAlpha fact\n\n\xc2\xa7\n\nBeta fact\n"
LATIN_1 = b"Caf\xe9 opens at nine\n\xc2\xa7\nTea on Friday"
MERGED = "§ router: shelf\n\n§ disk: weekly".encode()
WRITING = (
    ["tidy", "memory", "--yes"],
    ["split", "memory", "router", "--yes"],
    ["resolve", "memory", "--auto"],
    ["backups", "memory", "--delete-live"],
    ["history", "memory", "--purge", "--yes"],
    ["restore", "memory", "MEMORY.md.bak.1700000000"],
)


@pytest.fixture
def memory_file(home: Path) -> Path:
    return home / "memories" / "MEMORY.md"


def test_drift_is_silent_about_a_clean_home(memtui: Any, home: Path) -> None:
    answer = memtui("drift", "--home", home)

    assert answer.code == 0
    assert answer.out.count("clean") == 2


def test_drift_names_reason_place_bytes_and_encodings(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(LATIN_1)

    answer = memtui("drift", "--home", home)

    assert answer.code == 1
    assert "Byte 0xE9 at line 1, column 4" in answer.out
    assert "43 61 66 [E9] 20" in answer.out
    assert "read as UTF-8, broken lines as Windows-1252: Café opens at nine" in answer.out


def test_drift_lists_the_notes_of_a_merged_entry(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(MERGED)

    answer = memtui("drift", "memory", "--home", home)

    assert answer.code == 1
    assert "note 1: router: shelf" in answer.out
    assert "note 2: disk: weekly" in answer.out


def test_drift_calls_nobody_for_a_final_newline_but_for_an_agent_that_refuses(
    memtui: Any, home: Path, memory_file: Path
) -> None:
    memory_file.write_bytes(b"Alpha fact\n")
    assert memtui("drift", "--home", home).code == 0

    memory_file.write_bytes(UNTIDY)
    answer = memtui("drift", "--home", home)
    assert answer.code == 1
    assert "Hermes 0.19 refuses" in answer.out


def test_drift_json_has_every_verdict(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(LATIN_1)

    found = memtui("drift", "--json", "--home", home).json

    assert found["clean"] is False
    memory = found["targets"][0]
    assert memory["verdict"] == "drift"
    assert (memory["drift"][0]["kind"], memory["drift"][0]["line"]) == ("not_utf8", 1)
    assert memory["encodings"][0]["encoding"] == "utf-8+windows-1252"
    assert found["targets"][1]["encodings"] == []


def test_looking_writes_nothing(memtui: Any, home: Path, memory_file: Path, tree_of: Any) -> None:
    memory_file.write_bytes(LATIN_1)
    before = tree_of(home)

    for words in (["drift"], ["backups"], ["history"], ["resolve", "--dry-run"]):
        memtui(*words, "--home", home)

    assert tree_of(home) == before


def test_drift_refuses_what_cannot_be_read(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.unlink()
    memory_file.mkdir()

    answer = memtui("drift", "--home", home)

    assert answer.code == 2
    assert "is a folder" in answer.err


def test_backups_are_listed_judged_and_deleted_when_identical(memtui: Any, home: Path, memory_file: Path) -> None:
    same = memory_file.with_name("MEMORY.md.bak.1700000001")
    same.write_bytes(memory_file.read_bytes())
    other = memory_file.with_name("MEMORY.md.bak.1700000000")
    other.write_text("Alpha fact")

    listed = memtui("backups", "memory", "--json", "--home", home).json["targets"][0]["backups"]
    assert [(one["name"], one["verdict"]) for one in listed] == [
        (same.name, "identical"), (other.name, "all_live"),
    ]  # fmt: skip
    assert "all its entries are live" in memtui("backups", "--home", home).out

    answer = memtui("backups", "--delete-identical", "--home", home)
    assert answer.code == 0
    assert "Deleted 1 backup" in answer.out
    assert not same.exists()
    assert other.exists()
    assert memtui("backups", "--delete-live", "--json", "--home", home).json["targets"][0]["deleted"] == [other.name]


def test_a_hostile_backup_name_is_shown_safely(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.with_name("MEMORY.md.bak.\x1b]0;owned\x07").write_text("Old one")

    answer = memtui("backups", "memory", "--home", home)

    assert "\x1b" not in answer.out
    assert "\x07" not in answer.out
    assert "1 entry is not live" in answer.out


def test_resolve_without_a_terminal_explains(memtui: Any, home: Path) -> None:
    answer = memtui("resolve", "--home", home)

    assert answer.code == 2
    assert "--auto" in answer.err


def test_resolve_auto_does_what_loses_nothing_and_says_what_is_left(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(UNTIDY)
    memory_file.with_name("MEMORY.md.bak.1700000000").write_bytes(UNTIDY)

    would = memtui("resolve", "--dry-run", "--home", home)
    assert (would.code, memory_file.read_bytes()) == (0, UNTIDY)
    assert "would tidy the layout" in would.out

    answer = memtui("resolve", "--auto", "--home", home)
    assert answer.code == 0
    assert memory_file.read_text() == "Alpha fact\n§\nBeta fact"
    assert list(memory_file.parent.glob("*.bak.*")) == []

    memory_file.write_bytes(LATIN_1)
    answer = memtui("resolve", "memory", "--auto", "--json", "--home", home)
    assert answer.code == 1
    assert "0xE9" in answer.json["targets"][0]["left"][0]
    assert memory_file.read_bytes() == LATIN_1


def test_resolve_dry_run_leaves_what_the_real_run_leaves(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(b"\xef\xbb\xbf" + f"Alpha fact\n\n§\n\n{MERGED.decode()}\n".replace("\n", "\r\n").encode())

    would = memtui("resolve", "memory", "--dry-run", "--json", "--home", home)
    did = memtui("resolve", "memory", "--auto", "--json", "--home", home)

    left = [answer.json["targets"][0]["left"] for answer in (would, did)]
    assert left[0] == left[1]
    assert len(left[1]) == 1
    assert "notes" in left[1][0]
    assert (would.code, did.code) == (1, 1)


def test_tidy_shows_the_difference_first_and_undo_takes_it_back(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(UNTIDY)

    asked = memtui("tidy", "--home", home)
    assert (asked.code, memory_file.read_bytes()) == (2, UNTIDY)
    assert "- §" in asked.out
    assert "--yes" in asked.err

    done = memtui("tidy", "--yes", "--home", home)
    assert done.code == 0
    assert "Tidied memory" in done.out
    assert memory_file.read_text() == "Alpha fact\n§\nBeta fact"
    assert memtui("tidy", "--yes", "--home", home).out == "Nothing to tidy: the layout is canonical.\n"

    memtui("undo", "--home", home)
    assert memory_file.read_bytes() == UNTIDY


@pytest.mark.parametrize(
    ("raw_bytes", "told"),
    [
        (b"Alpha\r\n\xc2\xa7\r\nBeta\n\xc2\xa7\nGamma\r\nx\r\n", ["endings were all made LF.", "at the end"]),
        (b"Alpha\r\n\xc2\xa7\r\nBeta\r\n", ["CRLF line endings were made LF.", "at the end"]),
        (b"Alpha\r\xc2\xa7\rBeta", ["CR line endings were made LF."]),
        (b"Alpha\n\xc2\xa7\nBeta\n", ["at the end"]),
    ],
)
def test_tidy_tells_the_line_endings_that_it_wrote(
    memtui: Any, home: Path, memory_file: Path, raw_bytes: bytes, told: list[str]
) -> None:
    memory_file.write_bytes(raw_bytes)

    notices = memtui("tidy", "memory", "--yes", "--json", "--home", home).json["changes"][0]["notices"]

    assert b"\r" not in memory_file.read_bytes()
    assert len(notices) == len(told)
    assert all(words in notice for words, notice in zip(told, notices, strict=True))


def test_tidy_refuses_a_drifted_file(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(LATIN_1)

    answer = memtui("tidy", "memory", "--yes", "--json", "--home", home)

    assert (answer.code, answer.json["code"]) == (1, "drift")
    assert memory_file.read_bytes() == LATIN_1


def test_tidy_tells_what_it_did_to_one_file_when_the_other_refuses(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(UNTIDY)
    (home / "memories" / "USER.md").write_bytes(LATIN_1)

    answer = memtui("tidy", "--yes", "--json", "--home", home)

    assert memory_file.read_text() == "Alpha fact\n§\nBeta fact"
    assert answer.code == 1
    assert (answer.json["ok"], answer.json["code"]) == (False, "drift")
    assert [change["target"] for change in answer.json["changes"]] == ["memory"]
    assert [one["target"] for one in answer.json["refusals"]] == ["user"]
    assert "0xE9" in answer.err


def test_a_file_that_refuses_keeps_no_other_from_being_tidied(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(LATIN_1)
    (home / "memories" / "USER.md").write_bytes(UNTIDY)

    answer = memtui("tidy", "--yes", "--home", home)

    assert answer.code == 1
    assert "Tidied user" in answer.out
    assert (home / "memories" / "USER.md").read_text() == "Alpha fact\n§\nBeta fact"


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("words", [["resolve", "--auto"], ["backups", "--delete-identical"]])
def test_a_held_lock_hides_nothing_of_what_was_done_to_the_other_file(
    memtui: Any, home: Path, memory_file: Path, words: list[str], as_json: bool
) -> None:
    memory_file.write_bytes(UNTIDY)
    user = home / "memories" / "USER.md"
    for path in (memory_file, user):
        path.with_name(f"{path.name}.bak.1700000000").write_bytes(path.read_bytes())

    with hold_locks(user):
        answer = memtui(*words, "--wait", "0", *(["--json"] if as_json else []), "--home", home)

    gone = "MEMORY.md.bak.1700000000"
    assert not memory_file.with_name(gone).exists()
    assert user.with_name("USER.md.bak.1700000000").exists()
    assert answer.code == 1
    assert "USER.md.lock" in answer.err
    if as_json:
        done = answer.json["targets"][0]
        assert gone in " ".join(done["did"] if words[0] == "resolve" else done["deleted"])
        assert [(one["target"], one["code"]) for one in answer.json["refusals"]] == [("user", "locked")]
    else:
        assert "deleted MEMORY.md" in answer.out or "Deleted 1 backup" in answer.out


def test_a_refused_tidying_hides_no_backup_that_was_deleted_before(
    memtui: Any, home: Path, memory_file: Path
) -> None:
    memory_file.write_bytes(UNTIDY)
    same = memory_file.with_name("MEMORY.md.bak.1700000000")
    same.write_bytes(UNTIDY)
    memory_file.chmod(0o444)

    answer = memtui("resolve", "memory", "--auto", "--home", home)

    assert answer.code == 2
    assert not same.exists()
    assert f"deleted {same.name}" in answer.out
    assert "MEMORY.md" in answer.err


def test_split_shows_the_parts_and_the_new_size_first(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.write_bytes(MERGED)

    asked = memtui("split", "memory", "router", "--home", home)
    assert (asked.code, memory_file.read_bytes()) == (2, MERGED)
    assert "memory will hold 28 of 2,200 characters (now 31)." in asked.out

    done = memtui("split", "memory", "router", "--yes", "--json", "--home", home)
    assert (done.code, done.json["ok"]) == (0, True)
    assert memory_file.read_text() == "router: shelf\n§\ndisk: weekly"


DRIFTED_ELSEWHERE = "§ router: shelf\n\n§ disk: weekly\n§\n".encode() + LATIN_1


def test_a_split_that_drift_elsewhere_refuses_leaves_a_backup_and_says_where(
    memtui: Any, home: Path, memory_file: Path
) -> None:
    memory_file.write_bytes(DRIFTED_ELSEWHERE)

    refusal = memtui("split", "memory", "router", "--yes", "--json", "--home", home)

    data = refusal.json["data"]
    assert (refusal.code, refusal.json["code"]) == (1, "drift")
    assert (data["kind"], data["line"], data["column"]) == ("not_utf8", 5, 4)
    assert Path(data["backup"]).read_bytes() == DRIFTED_ELSEWHERE
    assert memory_file.read_bytes() == DRIFTED_ELSEWHERE


def test_a_read_only_split_of_a_drifted_file_makes_no_backup(
    memtui: Any, home: Path, memory_file: Path, tree_of: Any
) -> None:
    memory_file.write_bytes(DRIFTED_ELSEWHERE)
    before = tree_of(home)

    answer = memtui("split", "memory", "router", "--yes", "--read-only", "--home", home)

    assert answer.code == 2
    assert "read-only" in answer.err
    assert tree_of(home) == before


def test_history_lists_shows_and_restore_brings_back(memtui: Any, home: Path, memory_file: Path) -> None:
    before = memory_file.read_bytes()
    memtui("remove", "memory", "Beta fact", "--home", home)
    memtui("add", "memory", "Delta fact", "--home", home)

    listed = memtui("history", "--json", "--home", home).json
    assert listed["count"] == 3
    oldest = listed["versions"][-1]["id"]
    assert base64.b64decode(memtui("history", "--show", oldest, "--json", "--home", home).json["base64"]) == before
    assert "in two lines" in memtui("history", "--show", oldest, "--home", home).out
    assert "add: Delta fact" in memtui("history", "memory", "--home", home).out
    assert "and 2 older ones" in memtui("history", "--limit", "1", "--home", home).out

    memtui("restore", "memory", oldest, "--entry", "Beta", "--home", home)
    assert memory_file.read_text() == "Alpha fact\n§\nGamma fact\n§\nDelta fact\n§\nBeta fact\nin two lines"
    memtui("restore", "memory", oldest, "--home", home)
    assert memory_file.read_bytes() == before
    memtui("undo", "--home", home)
    assert memory_file.read_text().endswith("in two lines")


def test_restore_names_what_it_cannot_find(memtui: Any, home: Path) -> None:
    for words in (["restore", "memory", "77"], ["restore", "memory", "nothing"], ["history", "--show", "77"]):
        answer = memtui(*words, "--home", home)
        assert answer.code == 2
        assert "There is no" in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ["restore", "memory", "77"],
        ["history", "--show", "77"],
        ["history"],
        ["history", "--json"],
        ["purge", "#0123abcd", "--yes"],
    ],
)
def test_a_history_that_cannot_be_read_is_no_empty_one(memtui: Any, home: Path, words: list[str]) -> None:
    history_path().mkdir(parents=True)

    answer = memtui(*words, "--home", home)

    assert answer.code == 2
    assert "history.db" in answer.err or "history.db" in answer.json["problem"]
    assert "There is no version" not in answer.err
    assert "0 versions" not in answer.out
    assert "is in the files, their history" not in answer.err


def test_a_file_that_cannot_be_read_may_hold_the_entry_to_be_purged(memtui: Any, home: Path, memory_file: Path) -> None:
    memory_file.unlink()
    memory_file.mkdir()

    answer = memtui("purge", "#0123abcd", "--yes", "--home", home)

    assert answer.code == 2
    assert "is a folder" in answer.err


def test_restore_takes_a_version_of_that_target_only(memtui: Any, home: Path) -> None:
    memtui("add", "user", "Likes tea", "--home", home)
    version = memtui("history", "user", "--json", "--home", home).json["versions"][0]["id"]

    assert memtui("restore", "memory", version, "--home", home).code == 2


def test_history_is_purged_for_good_when_it_is_wanted(memtui: Any, home: Path) -> None:
    memtui("add", "memory", "Delta fact", "--home", home)

    assert memtui("history", "--purge", "--home", home).code == 2
    assert memtui("history", "--older-than", "3", "--home", home).code == 2
    assert memtui("history", "--purge", "--older-than", "1", "--yes", "--json", "--home", home).json["purged"] == 0
    assert memtui("history", "--purge", "--yes", "--json", "--home", home).json["purged"] == 2
    assert memtui("history", "--json", "--home", home).json["versions"] == []


@pytest.mark.parametrize("words", WRITING, ids=[words[0] for words in WRITING])
def test_read_only_refuses_every_one_that_writes(
    memtui: Any, home: Path, memory_file: Path, tree_of: Callable[[Path], object], words: list[str]
) -> None:
    memory_file.write_bytes(UNTIDY if words[0] in ("tidy", "resolve") else MERGED)
    memory_file.with_name("MEMORY.md.bak.1700000000").write_bytes(memory_file.read_bytes())
    before = tree_of(home)

    answer = memtui(*words, "--read-only", "--home", home)

    assert answer.code == 2
    assert "read-only" in answer.err
    assert tree_of(home) == before


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_the_command_asks(home: Path, memory_file: Path, answer: str, is_done: bool) -> None:
    pexpect = pytest.importorskip("pexpect")
    memory_file.write_bytes(UNTIDY)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}

    asking = pexpect.spawn(
        sys.executable, ["-m", "memtui", "tidy", "memory", "--home", str(home)], env=environment, timeout=20
    )
    asking.expect_exact("Tidy memory? [y/N]")
    asking.sendline(answer)
    asking.expect(pexpect.EOF)
    asking.close()

    assert asking.exitstatus == 0
    assert (memory_file.read_bytes() != UNTIDY) is is_done
