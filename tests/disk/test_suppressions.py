"""Known and fine: for one rule in exactly one text, private, revocable, not lost with a damaged file."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.core.errors import InvalidArgument, WriteFailed
from memtui.core.threats.finding import Finding, Severity, suppression_key
from memtui.disk.suppressions import Suppressions, render

TEXT = "Deploy keys lie in ~/.ssh/config\nzwölf § \u202e"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "memtui" / "suppressions.json"


def finding(rule_id: str) -> Finding:
    return Finding(rule_id, "secrets", Severity.WARN, ((0, 3),), "raw", "Dep", "", "why", "what", "1")


def covers(suppressions: Suppressions, text: str, rule_id: str) -> bool:
    (marked,) = suppressions.apply(text, [finding(rule_id)])
    return marked.suppressed


def aside(path: Path) -> list[bytes]:
    return [other.read_bytes() for other in sorted(path.parent.glob(f"{path.name}.damaged-*"))]


def test_without_a_file_nothing_is_covered_and_none_is_made(path: Path) -> None:
    suppressions = Suppressions.load(path)

    assert not covers(suppressions, TEXT, "ssh_access")
    assert suppressions.items == ()
    assert suppressions.problem == ""
    assert not path.parent.exists()


def test_a_suppression_says_who_when_and_why(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ada")

    added = Suppressions.load(path).add(TEXT, "ssh_access", reason="it is a fact")

    (read,) = Suppressions.load(path).items
    assert read == added
    assert (read.rule_id, read.who, read.reason) == ("ssh_access", "ada", "it is a fact")
    assert read.key == suppression_key(TEXT, "ssh_access")
    assert 1.6e9 < read.when < 1e11
    assert "\u202e" not in read.preview
    assert read.preview.startswith("Deploy keys")


def test_it_covers_that_rule_in_that_very_text_only(path: Path) -> None:
    suppressions = Suppressions.load(path)

    suppressions.add(TEXT, "ssh_access", reason="known")

    assert covers(suppressions, TEXT, "ssh_access")
    assert not covers(suppressions, TEXT, "other_rule")
    assert not covers(suppressions, TEXT + " ", "ssh_access")
    assert not covers(suppressions, TEXT.replace("zwölf", "zwolf"), "ssh_access")


def test_a_text_that_stands_for_unreadable_bytes_is_never_known(path: Path) -> None:
    text = b"Caf\xff is fine".decode("utf-8", "replace")
    suppressions = Suppressions.load(path)

    with pytest.raises(InvalidArgument, match="U\\+FFFD"):
        suppressions.allow(text, ["ssh_access"], reason="known")

    assert suppressions.items == ()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render([replace(suppressions.add(TEXT, "ssh_access", reason="x"), **marked(text))]))
    assert Suppressions.load(path).items
    assert not covers(Suppressions.load(path), text, "ssh_access")


def marked(text: str) -> dict[str, str]:
    key = suppression_key(text, "ssh_access")
    return {"key": key, "sha256": key.partition(":")[0]}


def test_findings_are_marked_and_none_is_left_out(path: Path) -> None:
    suppressions = Suppressions.load(path)
    suppressions.allow(TEXT, ["known", "known too"], reason="written by a person")

    marked = suppressions.apply(TEXT, [finding("known"), finding("new"), finding("known too")])

    assert [(one.id, one.suppressed) for one in marked] == [
        ("known", True),
        ("new", False),
        ("known too", True),
    ]
    assert [one.suppressed for one in suppressions.apply("another text", [finding("known")])] == [False]


def test_what_was_revoked_is_shown_again(path: Path) -> None:
    suppressions = Suppressions.load(path)
    kept = suppressions.add(TEXT, "kept", reason="known")
    gone = suppressions.add(TEXT, "gone", reason="known")

    assert suppressions.revoke(gone.key)

    assert not covers(suppressions, TEXT, "gone")
    assert Suppressions.load(path).items == (kept,)
    assert not suppressions.revoke(gone.key)


def test_marking_twice_keeps_the_first_reason(path: Path) -> None:
    suppressions = Suppressions.load(path)
    first = suppressions.add(TEXT, "rule", reason="first")

    assert suppressions.add(TEXT, "rule", reason="second") == first


def test_another_programs_suppression_is_seen_and_kept(path: Path) -> None:
    ours, theirs = Suppressions.load(path), Suppressions.load(path)

    theirs.add(TEXT, "theirs", reason="known")
    assert covers(ours, TEXT, "theirs")
    ours.add(TEXT, "ours", reason="known")

    assert [one.rule_id for one in theirs.items] == ["theirs", "ours"]


def test_marks_made_at_once_are_all_kept(path: Path) -> None:
    def mark(number: int) -> None:
        Suppressions.load(path).add(TEXT, f"rule {number}", reason="known")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(mark, range(18)))

    assert {one.rule_id for one in Suppressions.load(path).items} == {
        f"rule {number}" for number in range(18)
    }


@pytest.mark.parametrize("umask", [0, 0o777])
def test_file_and_folders_are_private_whatever_the_umask(path: Path, umask: int) -> None:
    old_umask = os.umask(umask)
    try:
        Suppressions.load(path).add(TEXT, "rule", reason="known")
    finally:
        os.umask(old_umask)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    Suppressions.load(path).add(TEXT, "one", reason="known")
    path.chmod(0o644)

    Suppressions.load(path).add(TEXT, "two", reason="known")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_texts_that_no_encoding_holds_can_be_marked(path: Path) -> None:
    suppressions = Suppressions.load(path)

    suppressions.add("lone \ud800 surrogate", "rule", reason="odd \udcff reason")

    assert covers(Suppressions.load(path), "lone \ud800 surrogate", "rule")
    assert path.read_bytes().isascii()


@pytest.mark.parametrize(
    "damaged",
    [
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'{"format": 2, "suppressions": []}',
        b'{"format": 1}',
        b"[" * 100_000,
        b'{"format": 1' + b"0" * 5_000 + b"}",
    ],
)
def test_a_damaged_file_covers_nothing_and_is_kept_by_the_next_change(path: Path, damaged: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(damaged)

    suppressions = Suppressions.load(path)
    assert suppressions.items == ()
    assert str(path) in suppressions.problem
    assert path.read_bytes() == damaged

    suppressions.add(TEXT, "rule", reason="known")
    assert aside(path) == [damaged]
    assert suppressions.problem == ""
    assert covers(suppressions, TEXT, "rule")


def test_records_that_can_be_read_are_applied_beside_those_that_cannot(path: Path) -> None:
    suppressions = Suppressions.load(path)
    good = suppressions.add(TEXT, "good", reason="known")
    content = json.loads(path.read_bytes())
    (record,) = content["suppressions"]
    forged = {**record, "rule_id": "another rule"}
    content["suppressions"] += [7, None, {}, {**record, "when": "soon"}, {**record, "who": 5}, forged]
    path.write_text(json.dumps(content))

    loaded = Suppressions.load(path)

    assert loaded.items == (good,)
    assert "6 suppressions cannot be read" in loaded.problem
    loaded.add(TEXT, "more", reason="known")
    assert [json.loads(raw_bytes) for raw_bytes in aside(path)] == [content]


@pytest.mark.parametrize("when", ["1" + "0" * 400, "NaN", "Infinity", "-1e999", '"nan"'])
def test_a_time_that_is_no_finite_number_is_a_fault_of_its_record_alone(path: Path, when: str) -> None:
    suppressions = Suppressions.load(path)
    good = suppressions.add(TEXT, "good", reason="known")
    (record,) = json.loads(path.read_bytes())["suppressions"]
    bad = json.dumps(record | {"when": 0}).replace('"when": 0', f'"when": {when}')
    path.write_text(f'{{"format": 1, "suppressions": [{json.dumps(record)}, {bad}]}}')

    loaded = Suppressions.load(path)

    assert loaded.items == (good,)
    assert "1 suppression cannot be read" in loaded.problem


def test_a_folder_in_the_way_is_said_and_nothing_is_marked(path: Path) -> None:
    path.mkdir(parents=True)

    suppressions = Suppressions.load(path)
    assert suppressions.problem

    with pytest.raises(WriteFailed, match="Nothing was marked"):
        suppressions.add(TEXT, "rule", reason="known")
    assert not covers(suppressions, TEXT, "rule")


def test_a_fifo_in_the_way_does_not_hang(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)

    assert Suppressions.load(path).problem


def test_a_linked_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    real = tmp_path / "dotfiles.json"
    real.touch()
    path.symlink_to(real)

    Suppressions.load(path).add(TEXT, "rule", reason="known")

    assert path.is_symlink()
    assert covers(Suppressions.load(real), TEXT, "rule")
