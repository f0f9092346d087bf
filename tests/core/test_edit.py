"""Checking arguments and working out what a file would hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.budget import budget_of, project, used_chars
from memtui.core.change import Change, Operation, Step
from memtui.core.codec import joined, parse, render
from memtui.core.edit import (
    check_budget,
    clean_old_text,
    clean_target,
    clean_text,
    layout_notices,
    propose,
)
from memtui.core.errors import Ambiguous, InvalidArgument, MergedEntry, NoMatch, OverBudget
from memtui.core.model import MAX_TEXT_CHARS, Merged, entry_name


def proposed(texts: list[str], *operations: Operation, merged: tuple[Merged, ...] = ()) -> Change:
    return propose(parse(render(texts)), "memory", operations, 2200, merged=merged)


def add(content: str) -> Operation:
    return Operation("add", content)


def replace(old_text: str, content: str) -> Operation:
    return Operation("replace", content, old_text)


def remove(old_text: str) -> Operation:
    return Operation("remove", old_text=old_text)


# ------------------------------------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (5, "a number"),
        (None, "nothing"),
        (True, "true or false"),
        (["a"], "a list"),
        ({}, "an object"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("\ufeff", "empty"),
        ("a\ud800", "U+D800"),
        ("a\n§\nb", "delimiter"),
        ("a\n \t§ \nb", "§"),
        ("§", "delimiter"),
        ("x\x1b[2J", "U+001B"),
        ("x\rb", "U+000D"),
        ("x\x00b", "U+0000"),
        ("x\x7fb", "U+007F"),
        ("x\x9bb", "U+009B"),
        ("x" * (MAX_TEXT_CHARS + 1), "10,000,001"),
    ],
)
def test_text_that_no_entry_may_hold_is_refused_in_words(value: object, said: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        clean_text(value, "content")

    assert said in str(refused.value)
    assert "content" in str(refused.value)
    assert len(str(refused.value)) < 400
    assert not {"\x1b", "\x9b", "\x00", "\ud800"} & set(str(refused.value))


def test_the_place_of_a_refused_character_is_told() -> None:
    with pytest.raises(InvalidArgument, match="line 2, column 3"):
        clean_text("ab\ncd\x07", "content")


@pytest.mark.parametrize(
    ("given_text", "cleaned"),
    [(" a\r\nb ", "a\nb"), ("\ufeffa", "a"), ("§ 4", "§ 4"), ("a\tb", "a\tb"), ("a\u2028b", "a\u2028b")],
)
def test_text_is_taken_as_an_entry_holds_it(given_text: str, cleaned: str) -> None:
    assert clean_text(given_text, "content") == cleaned


@given(st.text())
def test_cleaned_text_reads_back_as_one_entry(text: str) -> None:
    try:
        cleaned = clean_text(text, "content")
    except InvalidArgument:
        return

    assert clean_text(cleaned, "content") == cleaned
    assert parse(render(["<before>", cleaned])).texts == tuple(dict.fromkeys(["<before>", cleaned]))


def test_an_entry_can_be_named_whatever_it_holds() -> None:
    assert clean_old_text(" x\x1b[2J\n§ \ny ") == "x\x1b[2J\n§ \ny"


@pytest.mark.parametrize("value", ["Memory", "", None, 3, "notes\x1b"])
def test_an_unknown_target_is_refused_with_the_known_ones(value: object) -> None:
    with pytest.raises(InvalidArgument, match="memory or user"):
        clean_target(value)


# ----------------------------------------------------------------------------------------- operations


def test_adding_appends() -> None:
    change = proposed(["a"], add("b"))

    assert change.texts == ("a", "b")
    assert change.steps == (Step(None, "b", 1),)
    assert (change.used_chars, change.wrote, change.notices) == (5, True, ())
    assert str(change) == "Added to memory (5/2200 chars used)."


def test_adding_what_is_there_writes_nothing_and_says_so() -> None:
    change = proposed(["a", "b"], add("a"))

    assert (change.texts, change.steps, change.wrote) == (("a", "b"), (), False)
    assert "already there" in change.notices[0]


def test_a_similar_entry_is_pointed_out() -> None:
    change = proposed(["Token lives in the vault"], add("Token  lives in the vault."))

    assert change.wrote
    assert "similar" in change.notices[0]
    assert "Token lives in the vault" in change.notices[0]


def test_replacing_by_a_part_says_that_the_whole_entry_went() -> None:
    change = proposed(["Box A\nBox B\nBox C", "x"], replace("Box B", "Box B2"))

    assert change.texts == ("Box B2", "x")
    assert change.steps == (Step("Box A\nBox B\nBox C", "Box B2", 0),)
    assert "whole entry was replaced" in change.notices[0]
    assert "Box A ⏎ Box B" in change.notices[0]


@pytest.mark.parametrize("named", ["a b", f"#{entry_name('a b')}"])
def test_naming_the_whole_entry_needs_no_notice(named: str) -> None:
    assert proposed(["a b", "x"], replace(named, "c")).notices == ()
    assert proposed(["a b", "x"], remove(named)).notices == ()


def test_replacing_by_the_same_text_writes_nothing() -> None:
    change = proposed(["a b"], replace("a", "a b"))

    assert (change.wrote, change.steps) == (False, ())


def test_replacing_by_another_entrys_text_leaves_one() -> None:
    change = proposed(["a", "b", "c"], replace("c", "a"))

    assert change.texts == ("a", "b")
    assert change.steps == (Step("c", None, 2),)
    assert "already" in change.notices[0]


def test_removing_takes_the_one_entry() -> None:
    change = proposed(["a", "b"], remove("b"))

    assert (change.texts, change.steps) == (("a",), (Step("b", None, 1),))


def test_duplicates_on_disk_are_folded_by_a_change() -> None:
    change = propose(parse("a\n§\nb\n§\na".encode()), "memory", [remove("a")], 2200)

    assert change.texts == ("b",)


def test_a_batch_sees_its_earlier_operations_and_is_one_change() -> None:
    change = proposed(["a"], add("b"), replace("b", "c"), remove("a"))

    assert change.texts == ("c",)
    assert change.action == "batch"
    assert change.steps == (Step(None, "b", 1), Step("b", "c", 1), Step("a", None, 0))


def test_a_batch_is_all_or_nothing_and_names_the_operation() -> None:
    with pytest.raises(NoMatch, match="Operation 2 of 2") as refused:
        proposed(["a"], add("b"), remove("zzz"))
    assert refused.value.data["operation"] == 2
    with pytest.raises(Ambiguous):
        proposed(["one a", "two a"], remove("a"))


def test_a_batch_that_ends_where_it_began_writes_nothing() -> None:
    change = proposed(["a"], add("b"), remove("b"))

    assert (change.wrote, change.steps) == (False, ())


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="wipe"):
        proposed(["a"], Operation("wipe"))


MERGED_TEXT = "# Hosts\n- web\x1b runs on box1\n\n## More\n- db runs on box2"
MERGED = Merged(0, ("# Hosts\n- web\x1b runs on box1", "## More\n- db runs on box2"), "headings")


@pytest.mark.parametrize("operation", [remove("web"), replace("## More\n- db runs on box2", "x")])
def test_naming_one_note_of_a_merged_entry_is_refused_with_the_notes(operation: Operation) -> None:
    with pytest.raises(MergedEntry) as refused:
        proposed([MERGED_TEXT, "other"], operation, merged=(MERGED,))

    assert "2 notes" in str(refused.value)
    assert "db runs on box2" in str(refused.value)
    assert "\x1b" not in str(refused.value)
    assert refused.value.data["parts"] == list(MERGED.parts)


@pytest.mark.parametrize("named", [MERGED_TEXT, f"#{entry_name(MERGED_TEXT)}"])
def test_naming_the_whole_merged_entry_or_another_entry_passes(named: str) -> None:
    assert proposed([MERGED_TEXT, "other"], remove(named), merged=(MERGED,)).texts == ("other",)
    assert proposed([MERGED_TEXT, "other"], remove("other"), merged=(MERGED,)).texts == (MERGED_TEXT,)


one_entry = (
    st.text(alphabet="ab \n§x", min_size=1, max_size=6)
    .map(lambda text: f"e{text.strip()}e")
    .filter(lambda text: all(line.strip() != "§" for line in text.split("\n")))
)
entry_texts = st.lists(one_entry, unique=True)


action_picks = st.lists(st.tuples(st.sampled_from(["add", "replace", "remove"]), st.integers(0, 9)))


@given(entry_texts, action_picks)
def test_steps_account_for_every_text(texts: list[str], picks: list[tuple[str, int]]) -> None:
    named = texts or ["ee"]
    operations = [Operation(action, f"new {pick}", named[pick % len(named)]) for action, pick in picks]
    if not operations:
        return
    try:
        change = proposed(texts, *operations)
    except (NoMatch, Ambiguous):
        return

    balance = list(texts)
    for step in change.steps:
        if step.before is not None:
            balance.remove(step.before)
        if step.after is not None:
            balance.append(step.after)
    assert sorted(balance) == sorted(change.texts)
    assert change.used_chars == len(joined(change.texts))


# --------------------------------------------------------------------------------------------- budget


def test_exactly_full_fits_and_one_more_does_not() -> None:
    full = ["語" * 100, "x" * 97]
    check_budget(propose(parse(b""), "memory", [add(text) for text in full], 200), ())

    with pytest.raises(OverBudget) as refused:
        check_budget(propose(parse(render(full)), "memory", [replace("x", "x" * 98)], 200), full)
    assert "201 of 200" in str(refused.value)
    assert [one["chars"] for one in refused.value.data["entries"]] == [100, 97]
    assert f"#{entry_name(full[0])}" in str(refused.value)


def test_an_over_full_target_may_shrink_and_not_grow() -> None:
    texts = ["a" * 150, "b" * 150]
    document = parse(render(texts))

    check_budget(propose(document, "memory", [replace("b", "b" * 149)], 200), texts)
    check_budget(propose(document, "memory", [add("a" * 150)], 200), texts)
    for length in (150, 151):
        with pytest.raises(OverBudget):
            check_budget(propose(document, "memory", [replace("b", "c" * length)], 200), texts)


@given(entry_texts, entry_texts)
def test_projected_budget_is_that_of_the_result(texts: list[str], more: list[str]) -> None:
    assert used_chars(texts) == len(joined(texts))
    assert project(texts, None, "new", 50) == budget_of([*texts, "new"], 50)
    if texts:
        assert project(texts, texts[0], None, 50) == budget_of(texts[1:], 50)
        assert project(texts, texts[0], "", 50) == budget_of(texts[1:], 50)


# --------------------------------------------------------------------------------------------- layout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\ufeffa\n§\nb", "Hermes hid the first entry"),
        ("a\r\n§\nb", "line endings"),
        ("a\n§\na", "1 repeated entry was folded"),
        ("a\n\n§\n\nb", "blank lines"),
        ("§\na", "§ before the first entry"),
        ("a\n§", "§ after the last entry"),
        ("a\n§\n§\nb", "empty entry"),
        ("a \n§\nb", "blanks round"),
    ],
)
def test_what_a_write_tidies_is_said(text: str, said: str) -> None:
    assert said in " ".join(layout_notices(parse(text.encode())))


@pytest.mark.parametrize("text", ["a\n§\nb\n", "a\r\n§\r\nb", "a", ""])
def test_what_a_write_keeps_is_not_spoken_of(text: str) -> None:
    assert layout_notices(parse(text.encode())) == ()
