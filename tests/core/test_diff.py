"""Aligned entries, line diffs and word spans."""

from __future__ import annotations

import random
import time
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.anchors import anchors
from memtui.core.diff import Row, RowKind, align, line_diff, word_spans

texts = st.lists(st.text(alphabet="abc ", max_size=4), max_size=12)


def test_rows_stand_side_by_side() -> None:
    live = ["Uses uv", "Same", "Staging moved to box2", "Deploy needs VPN and MFA", "Moved note", "Last"]
    snapshot = ["Moved note", "Uses uv", "Same", "Deploy needs VPN", "Old CI runs on Jenkins", "Last"]

    assert align(live, snapshot) == (
        Row(0, 1, RowKind.SAME),
        Row(1, 2, RowKind.SAME),
        Row(2, None, RowKind.NEW),
        Row(3, 3, RowKind.CHANGED),
        Row(None, 4, RowKind.REMOVED),
        Row(4, 0, RowKind.MOVED),
        Row(5, 5, RowKind.SAME),
    )


def test_unlike_texts_at_one_place_are_removed_and_new() -> None:
    assert align(["x", "alpha"], ["x", "omega"]) == (
        Row(0, 0, RowKind.SAME),
        Row(None, 1, RowKind.REMOVED),
        Row(1, None, RowKind.NEW),
    )


@given(texts, texts)
def test_every_entry_is_in_exactly_one_row(live: list[str], snapshot: list[str]) -> None:
    rows = align(live, snapshot)

    assert [row.live_index for row in rows if row.live_index is not None] == list(range(len(live)))
    held = sorted(row.snapshot_index for row in rows if row.snapshot_index is not None)
    assert held == list(range(len(snapshot)))
    for row in rows:
        both = row.live_index is not None and row.snapshot_index is not None
        assert both == (row.kind in (RowKind.SAME, RowKind.CHANGED, RowKind.MOVED))
        if row.kind in (RowKind.SAME, RowKind.MOVED):
            assert live[row.live_index or 0] == snapshot[row.snapshot_index or 0]


@given(texts)
def test_equal_states_are_the_same_in_every_row(live: list[str]) -> None:
    assert {row.kind for row in align(live, live)} <= {RowKind.SAME}


@given(st.lists(st.integers(0, 40), unique=True), st.lists(st.integers(0, 40), unique=True))
def test_anchors_of_distinct_items_are_a_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    found = anchors([str(item) for item in a], [str(item) for item in b])

    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, item in enumerate(a):
        for j, other in enumerate(b):
            best = max(lengths[i][j + 1], lengths[i + 1][j])
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if item == other else best
    assert len(found) == lengths[-1][-1]
    assert all(a[i] == b[j] for i, j in found)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in zip(found, found[1:], strict=False))


@given(texts, texts)
def test_anchors_of_repeated_items_rise_on_both_sides(a: list[str], b: list[str]) -> None:
    found = anchors(a, b)

    assert all(a[i] == b[j] for i, j in found)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in zip(found, found[1:], strict=False))


@given(st.text(alphabet="ab\n§"), st.text(alphabet="ab\n§"))
def test_a_line_diff_holds_both_texts(before: str, after: str) -> None:
    lines = line_diff(before, after)

    assert "\n".join(line.text for line in lines if line.sign != "+") == before
    assert "\n".join(line.text for line in lines if line.sign != "-") == after


def test_repeated_delimiters_do_not_confuse_a_line_diff() -> None:
    before = "\n§\n".join(f"note {n}" for n in range(50))
    lines = line_diff(before, "new\n§\n" + before)

    assert [(line.sign, line.text) for line in lines if line.sign != " "] == [("+", "new"), ("+", "§")]


@given(st.text(alphabet="ab ,語"), st.text(alphabet="ab ,語"))
def test_word_spans_are_sorted_and_leave_the_same_text_in_both(before: str, after: str) -> None:
    gone, come = word_spans(before, after)

    assert _without(before, gone) == _without(after, come)


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept, at = "", 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        kept, at = kept + text[at:start], end
    return kept + text[at:]


def test_word_spans_mark_what_changed() -> None:
    assert word_spans("Deploy needs VPN", "Deploy needs VPN and MFA") == ((), ((16, 24),))
    assert word_spans("核对再写入", "核对后写入") == (((2, 3),), ((2, 3),))


def test_long_texts_are_compared_by_lines() -> None:
    lines = [f"line {n} of a long entry" for n in range(40_000)]
    before, after = "\n".join(lines), "\n".join([*lines[:20_000], "new", *lines[20_000:]])

    started = time.process_time()
    gone, come = word_spans(before, after)
    assert time.process_time() - started < 0.5
    assert gone == ()
    assert [after[start:end] for start, end in come] == ["new\n"]


def note(rng: random.Random) -> str:
    return " ".join(f"word{rng.randrange(3000)}" for _ in range(9))


def edited(rng: random.Random, base: list[str]) -> list[str]:
    live = list(base)
    for _ in range(50):
        at = rng.randrange(len(live))
        match rng.randrange(4):
            case 0:
                live[at] += " and more"
            case 1:
                live.insert(at, note(rng))
            case 2:
                del live[at]
            case _:
                live.insert(rng.randrange(len(live)), live.pop(at))
    return live


def elapsed_ms(live: list[str], snapshot: list[str]) -> float:
    started = time.process_time()
    align(live, snapshot)
    return (time.process_time() - started) * 1000


def test_ten_thousand_rows_with_fifty_changes_are_aligned_at_once() -> None:
    rng = random.Random(7)
    base = [note(rng) for _ in range(10_000)]
    live = edited(rng, base)

    assert min(elapsed_ms(live, base) for _ in range(3)) < 100
    kinds = [row.kind for row in align(live, base)]
    assert kinds.count(RowKind.SAME) > 9_900


@pytest.mark.parametrize("shape", ["reversed", "shuffled", "all different", "two texts", "cycles"])
def test_hostile_states_are_aligned_in_bounded_time(shape: str) -> None:
    rng = random.Random(7)
    base = [note(rng) for _ in range(10_000)]
    live = {
        "reversed": base[::-1],
        "shuffled": rng.sample(base, len(base)),
        "all different": [note(rng) for _ in range(10_000)],
        "two texts": ["a", "b"] * 5_000,
        "cycles": [str(n * 7 % 100) for n in range(10_000)],
    }[shape]
    if shape in ("two texts", "cycles"):
        base = [str(n % 100) for n in range(5_000)] + ["b", "c", "a"] * 1_600

    assert elapsed_ms(live, base) < 2_000


def test_anchors_that_show_up_one_by_one_are_given_up_in_bounded_time() -> None:
    # Each number is unique only once the next one has cut the gap: 10,000 levels of a few thousand looks.
    numbers = range(2, 10_000)
    a = ["p", *(str(item) for n in numbers for item in (n, n - 1))]
    b = ["q", *(item for n in numbers for item in (str(n), f"other {n}"))]

    started = time.process_time()
    found = anchors(a, b)
    assert time.process_time() - started < 2
    assert found


def test_few_repeated_items_are_matched_as_well_as_the_standard_library_does() -> None:
    a, b = list("abcabba"), list("cbabac")

    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    assert len(anchors(a, b)) >= sum(block.size for block in blocks)
