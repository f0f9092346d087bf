"""The filter of the lists."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memtui.core.search import Hit, filter_indexes


def test_every_word_must_be_there_in_any_case_and_order() -> None:
    texts = ["Deploy needs VPN", "vpn for deploys", "Deploy only"]

    assert [hit.index for hit in filter_indexes(texts, "VPN dep")] == [0, 1]
    assert filter_indexes(texts, "only deploy") == (Hit(2, ((0, 6), (7, 11))),)


def test_a_blank_query_keeps_all() -> None:
    assert filter_indexes(["a", "b"], "  ") == (Hit(0, ()), Hit(1, ()))


def test_overlapping_words_make_one_span() -> None:
    assert filter_indexes(["xabcdx"], "abcd bc") == (Hit(0, ((1, 5),)),)


def test_spans_point_into_the_raw_text() -> None:
    assert filter_indexes(["Große STRASSE ß"], "strasse") == (Hit(0, ((6, 13),)),)
    assert filter_indexes(["ßß x"], "ss") == (Hit(0, ((0, 2),)),)


@given(st.lists(st.text()), st.text(max_size=3))
def test_spans_are_sorted_and_within_the_text(texts: list[str], query: str) -> None:
    for hit in filter_indexes(texts, query):
        at = -1
        for start, end in hit.spans:
            assert at < start < end <= len(texts[hit.index])
            at = end


@given(st.text(min_size=1), st.data())
def test_a_part_of_a_text_finds_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))

    assert [hit.index for hit in filter_indexes([text], text[start:])] == [0]


def test_ten_thousand_texts_are_filtered_between_two_keys() -> None:
    texts = [f"Note {n}: the service runs on host box{n % 31}" for n in range(10_000)]

    started = time.process_time()
    filter_indexes(texts, "service box3")
    assert time.process_time() - started < 0.15
