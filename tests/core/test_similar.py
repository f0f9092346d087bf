"""Near duplicates, similarity and what comes close to a search."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.similar import NearIndex, fold, near_duplicates, nearest, similarity

FEW_WORDS = st.lists(st.sampled_from(["a", "b", "c", "d e", "F", "!", "客户", "de"]), max_size=12).map(" ".join)


def is_near(a: str, b: str) -> bool:
    return near_duplicates(a, [b]) == (0,)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Token lives in the vault", "Token  lives in the vault."),
        ("Uses “smart” quotes — and dashes", 'uses "smart" quotes - and DASHES'),
        ("Runs on box 2", "Runs on box2"),
        ("ＡＢＣ　１２３", "abc 123"),
        ("client data: check, then write", "Client\ndata\tcheck then write!"),
        ("one two three four five six seven", "one two three four five six seven eight"),
        ("客户资料先核对再写入。", "客户资料，先核对再写入"),
        ("caf\u00e9", "cafe\u0301"),
        ("ig\u00adnore", "ignore"),
    ],
)
def test_the_same_words_otherwise_written_are_near_duplicates(a: str, b: str) -> None:
    assert is_near(a, b)
    assert is_near(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Beta fact", "Beta fact, revised"),
        ("Nightly job in zone east", "Nightly job in zone west"),
        ("客户资料先核对再写入", "供应商资料后补写入"),
        ("", "word"),
        ("!!!", "???"),
    ],
)
def test_different_facts_are_no_near_duplicates(a: str, b: str) -> None:
    assert not is_near(a, b)


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_between_none_and_all(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, a) == 1


@given(st.text(), st.text())
def test_folding_twice_changes_nothing_more(text: str, more: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert is_near(text, text + "  \n") or not text.strip()


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Deploy needs VPN", "Deploy needs VPN and MFA"),
        ("Beta fact", "Beta fact, revised"),
        ("Beta fact", "Beta fact\n- cron moved to 03:00\n- and much more was appended by a shell"),
        ("Staging host: box1", "Staging host: box2"),
    ],
)
def test_an_edited_or_grown_entry_is_similar(before: str, now: str) -> None:
    assert similarity(before, now) >= 0.5


@pytest.mark.parametrize(("a", "b"), [("Alpha fact", "Beta fact"), ("lint", "Lint on each push"), ("a", "")])
def test_another_entry_is_not_similar(a: str, b: str) -> None:
    assert similarity(a, b) < 0.5


def test_the_nearest_are_found_through_dashes_quotes_spaces_and_case() -> None:
    texts = ["Something else", "Deploy — needs “VPN”", "Deploy needs MFA", "Unrelated"]

    assert nearest('deploy - needs  "vpn"', texts)[0] == 1
    assert nearest("qqqq zzzz", texts) == ()
    assert nearest("", texts) == ()


def test_near_duplicates_name_the_entries() -> None:
    assert near_duplicates("a b c.", ["x", "A b  c", "a b c", "a b"]) == (1, 2)


def test_a_draft_is_compared_with_ten_thousand_entries_between_two_keys() -> None:
    texts = [f"Note {n}: service {n % 97} runs on host box{n % 31} by proxy {n % 7}" for n in range(10_000)]
    near_duplicates("warm", texts)

    started = time.process_time()
    near_duplicates("Note 77: service 77 runs on host box15 by proxy 0 now", texts)
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize("unit", ["a ", "\u0301", "語", "§"])
def test_hostile_length_costs_no_more_than_its_reading(unit: str) -> None:
    text = unit * 500_000
    started = time.process_time()
    similarity(text, text + "x")
    near_duplicates(text, [text + "x"])
    nearest(text, [text + "x"])

    assert time.process_time() - started < 4


@given(st.lists(FEW_WORDS, max_size=8), FEW_WORDS)
def test_the_index_finds_what_comparing_with_each_text_finds(texts: list[str], text: str) -> None:
    near = near_duplicates(text, texts)

    assert NearIndex(texts).first(text) == (texts[near[0]] if near else None)


def test_the_index_marks_a_thousand_unlike_texts_among_two_thousand_in_a_second() -> None:
    words = [f"word{number}" for number in range(3_000)]
    texts = [" ".join(words[(number * 37 + at * 7) % 3_000] for at in range(110)) for number in range(2_000)]
    started = time.process_time()

    index = NearIndex(texts[:1_000], texts[1_000:])
    found = [index.first(text) for text in texts[1_000:]]

    assert time.process_time() - started < 2.0
    assert len(found) == 1_000
