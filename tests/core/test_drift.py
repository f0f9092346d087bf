"""Drift, merged entries, outside changes, and when the agent would refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.budget import budget_of
from memtui.core.change import Operation
from memtui.core.codec import parse, render
from memtui.core.drift import (
    agent_refusal,
    allowed_despite_drift,
    appended_lines,
    compare,
    describe,
    find_drift,
    find_merged,
)
from memtui.core.model import Document, DriftKind, MemoryFile


def parts_of(text: str) -> list[tuple[str, ...]]:
    return [merged.parts for merged in find_merged(parse(text.encode()))]


# ---------------------------------------------------------------------------------------------- drift


def test_an_entry_longer_than_the_whole_limit_is_placed() -> None:
    (drift,) = find_drift(parse(("a\n§\n" + "x\n" * 20 + "y\n§\nb").encode()), 30)

    assert (drift.kind, drift.entry_index, drift.line, drift.last_line) == (DriftKind.TOO_LONG, 1, 3, 23)
    assert drift.detail == "one entry is longer than the whole limit (41 > 30): lines 3–23"


def test_an_entry_as_long_as_the_limit_is_no_drift() -> None:
    assert find_drift(parse(b"x" * 30), 30) == ()
    assert find_drift(parse(b"x" * 31), 30) != ()


@pytest.mark.parametrize(
    ("raw_bytes", "kind", "said"),
    [
        (b"a\nb\xe9", DriftKind.NOT_UTF8, "byte 0xE9 at line 2, column 2 (offset 3) is not UTF-8"),
        (b"a\x00", DriftKind.NUL, "byte 0x00 at line 1, column 2 (offset 1) is no text"),
        ("abc".encode("utf-16"), DriftKind.NOT_UTF8, "looks like UTF-16"),
        ("ab語".encode()[:-1], DriftKind.NOT_UTF8, "byte 0xE8 at line 1, column 3"),
    ],
)
def test_bytes_that_are_no_text_are_placed(raw_bytes: bytes, kind: DriftKind, said: str) -> None:
    drift = find_drift(parse(raw_bytes), 100)[0]

    assert drift.kind is kind
    assert said in drift.detail


@pytest.mark.parametrize(
    "text",
    [
        "a\n", " a \n\n§\n\nb\n", "§\na\n§", "a\r\n§\r\nb", "\ufeffa", "a\n§\na", "a\n§\n§\nb",
        "x" * 100 + "\n§\n" + "y" * 99,
    ],
)
def test_layout_and_over_budget_are_no_drift(text: str) -> None:
    assert find_drift(parse(text.encode()), 100) == ()


LONG = "long " * 20
LONG_FILE = render(["a", LONG.strip(), "b"])


@pytest.mark.parametrize(
    ("operations", "allowed"),
    [
        ([Operation("remove", old_text="long")], True),
        ([Operation("replace", "short", "long")], True),
        ([Operation("replace", "long " * 15 + "x", "long"), Operation("remove", old_text="long")], True),
        ([Operation("replace", LONG + "more", "long")], False),
        ([Operation("replace", LONG.strip()[::-1], "long")], False),
        ([Operation("remove", old_text="a")], False),
        ([Operation("add", "c")], False),
        ([Operation("remove", old_text="long"), Operation("remove", old_text="a")], False),
        ([Operation("remove", old_text="zzz")], False),
    ],
)
def test_only_what_shortens_the_over_long_entry_passes(operations: list[Operation], allowed: bool) -> None:
    document = parse(LONG_FILE)

    assert allowed_despite_drift(document, find_drift(document, 60), operations) is allowed


def test_nothing_passes_while_bytes_are_no_text() -> None:
    document = parse(LONG_FILE + b"\xff")
    operations = [Operation("remove", old_text="long")]

    assert not allowed_despite_drift(document, find_drift(document, 60), operations)


# --------------------------------------------------------------------------------------------- merged


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("§ one\n\n§ two\n§\nnext", ("one", "two")),
        ("one\n§ two\n§\nnext", ("one", "two")),
        ("one§\ntwo\n§\nnext", ("one", "two")),
        ("one\n§ \ntwo", ("one", "two")),
        ("one\n \t§\ntwo\nthree", ("one", "two\nthree")),
        ("# Hosts\n- web on box1\n- db on box2\n", ("# Hosts\n- web on box1", "- db on box2")),
        ("# Notes\nalpha\nbeta", ("# Notes\nalpha", "beta")),
        ("one\n \ntwo", ("one", "two")),
        ("one\n\ntwo\nlines\n\n\nthree", ("one", "two\nlines", "three")),
        ("Title\n=====\n\none\n\ntwo", ("Title\n=====\n\none", "two")),
    ],
)
def test_several_notes_in_one_entry_are_found(text: str, parts: tuple[str, ...]) -> None:
    assert parts_of(text) == [parts]


@pytest.mark.parametrize(
    "text",
    [
        "one line",
        "plain\nlines\nin one block",
        "- a list\n- in one block",
        "## Heading\n\n- with\n- items\n\nand blocks\n§\nanother",
        "## Heading\n\nblocks\n§",
        "see § 4 of the lease\nand §8.4",
        "§ one note behind a sign",
        "a note that ends in a sign §",
        "#hashtag line\nsecond line",
        "run:\n```\n# install\n\npip install x\n```",
        "# a heading alone",
        "# A heading\nand its line",
        "",
    ],
)
def test_ordinary_notes_are_one_note(text: str) -> None:
    assert parts_of(text) == []


def test_what_was_written_whole_is_one_note_whatever_it_looks_like() -> None:
    document = parse(b"# a\n- b\n- c")

    assert find_merged(document)
    assert find_merged(document, lambda text: text == "# a\n- b\n- c") == ()


def test_a_repeated_merged_entry_is_told_once() -> None:
    assert len(parts_of("§ a\n§ b\n§\n§ a\n§ b")) == 1


# ------------------------------------------------------------------------------------ outside changes


def test_added_removed_and_changed_entries_are_told_apart() -> None:
    before = ["Deploy needs VPN", "Old CI runs on Jenkins", "same"]
    change = compare(before, ["same", "Deploy needs VPN and MFA", "cron moved"])

    assert change.added == ("cron moved",)
    assert change.removed == ("Old CI runs on Jenkins",)
    assert change.changed == (("Deploy needs VPN", "Deploy needs VPN and MFA"),)
    assert change.summary == "+1 −1 ~1"


def test_a_shell_append_is_a_changed_entry_with_its_lines() -> None:
    now = "Beta fact\n- cron moved to 03:00\n\n- disk replaced, new one is twice the size"
    change = compare(["Alpha fact", "Beta fact"], ["Alpha fact", now])

    assert change.changed == (("Beta fact", now),)
    assert appended_lines("Beta fact", now) == (
        "- cron moved to 03:00",
        "- disk replaced, new one is twice the size",
    )
    assert appended_lines("Beta fact", "Beta facts\nmore") == ()
    assert appended_lines("Beta fact", "Beta fact") == ()


def test_order_alone_is_no_change() -> None:
    assert not compare(["a", "b"], ["b", "a"])


texts = st.lists(st.text(alphabet="ab ", max_size=5), max_size=6)


@given(texts, texts)
def test_every_difference_is_told_once(before: list[str], now: list[str]) -> None:
    change = compare(before, now)

    gone = [*change.removed, *(pair[0] for pair in change.changed)]
    come = [*change.added, *(pair[1] for pair in change.changed)]
    assert sorted(gone) == sorted(set(before) - set(now))
    assert sorted(come) == sorted(set(now) - set(before))


# ------------------------------------------------------------------------------------- the agent, words


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("a\n§\nb\n", False),
        ("\ufeffa\r\n§\r\nb", False),
        ("a\n§\n§\nb", False),
        ("a\n§\na", False),
        ("a\n\n§\n\nb", True),
        ("a \n§\nb", True),
        ("a\n§\n", True),
        ("§\n" + "x" * 29, True),
        ("x" * 40, False),
    ],
)
def test_the_agents_round_trip_test(text: str, refuses: bool) -> None:
    # The last one is drift for memtui too, which says so itself.
    assert bool(agent_refusal(parse(text.encode()), 30)) is refuses


def memory_file(document: Document) -> MemoryFile:
    return MemoryFile(
        "memory", "MEMORY.md", True, document, budget_of(document.texts, 30),
        drift=find_drift(document, 30), merged=find_merged(document),
        external=compare(["\x1bBeta fact"], document.texts), problem="", read_only="no write bit",
    )  # fmt: skip


def test_sentences_are_for_people_and_safe_to_show() -> None:
    sentences = describe(memory_file(parse("\x1bBeta fact\nappended \x07\n\n§\n\nb\x00".encode())))

    assert sentences[0].startswith("Byte 0x00")
    assert any("one line was appended" in sentence for sentence in sentences)
    assert all(sentence.endswith((".", "…")) and sentence[0].isupper() for sentence in sentences)
    assert not {"\x1b", "\x07", "\x00"} & set("".join(sentences))


@given(st.binary(max_size=60))
def test_no_bytes_make_a_verdict_raise(raw_bytes: bytes) -> None:
    document = parse(raw_bytes)

    assert all(sentence.strip() for sentence in describe(memory_file(document)))
    assert agent_refusal(document, 30) == agent_refusal(document, 30).strip()
