"""Folding: exactly what Python's `re` sees in NFKC text, offsets kept, bounded in time."""

from __future__ import annotations

import re
import string
import time
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.core.threats.hermes_fold import OTHER, OTHER_WORD, bounded_nfkc, fold, raw_offsets

MARKS = "\u0301\u0316\u0345\u0344\u3099\uff9e\u0f73\u0327"
STARTERS = "aei \n漢가\u1100\u1161\u11a8\u0dd9\u0dcaﷺｉé\u0958\u1b35"


def test_every_character_folds_to_what_python_takes_it_for() -> None:
    stable = "".join(c for c in map(chr, range(0x110000)) if normalize("NFKC", c) == c)
    folded = fold("\n".join(stable)).decode("ascii")[::2]  # apart, so that no two melt
    of = dict(zip(stable, folded, strict=True))

    def folding_to(signs: str) -> set[str]:
        return {character for character, sign in of.items() if sign in signs}

    assert folding_to(" \n") == set(re.findall(r"\s", stable))
    word_signs = string.ascii_lowercase + string.digits + "_" + OTHER_WORD
    assert folding_to(word_signs) == set(re.findall(r"\w", stable))
    for letter in string.ascii_lowercase:
        assert folding_to(letter) == set(re.findall(letter, stable, re.IGNORECASE))
    plain = string.digits + string.punctuation + "\n"
    assert {sign: of[sign] for sign in plain} == dict(zip(plain, plain, strict=True))
    assert folding_to(OTHER) == {"\x1a"} | {c for c in re.findall(r"[^\w\s]", stable) if not c.isascii()}


@settings(deadline=None)
@given(st.text(st.sampled_from(MARKS + STARTERS), min_size=1, max_size=6), st.integers(513, 900))
def test_bounded_nfkc_is_nfkc(piece: str, size_chars: int) -> None:
    text = (piece[:1] * 40 + piece * size_chars)[:size_chars] + piece

    assert bounded_nfkc(text) == normalize("NFKC", text)


@settings(deadline=None)
@given(st.text(st.sampled_from(MARKS + STARTERS), max_size=900) | st.text(max_size=900))
def test_bounded_nfkc_is_nfkc_for_any_text(text: str) -> None:
    assert bounded_nfkc(text) == normalize("NFKC", text)


@pytest.mark.parametrize("unit", ["\u0301\u0316", "\uff9e\u0316", "\u0344\u0316", "\u0f73\u0316\u0301"])
def test_alternating_marks_cost_linear_time(unit: str) -> None:
    text = "a" + unit * (65_536 // len(unit))

    began = time.process_time()
    bounded_nfkc(text)

    assert time.process_time() - began < 0.5


@settings(deadline=None)
@given(st.text(st.sampled_from(MARKS + STARTERS)) | st.text())
def test_raw_offsets_cover_every_folded_character_in_order(text: str) -> None:
    offsets = raw_offsets(text)

    assert len(offsets) == len(bounded_nfkc(text)) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)


def test_raw_offsets_point_to_the_group_a_character_came_from() -> None:
    assert raw_offsets("aﬅe\u0301x") == [0, 1, 1, 2, 4, 5]
    assert raw_offsets("ｉｇ") == [0, 1, 2]
