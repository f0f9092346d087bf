"""The display door: what it must never let through, what it must leave alone, and widths."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.cells import cell_width, clusters
from memtui.core.visible import MAX_STACKED, clip, preview, visible_spans, visible_text

HOSTILE = (
    "\x1b]0;x\x07", "\x9b2J", "a\u202eb", "\u2066a\u2069", "\u200b" * 9, "\U000e0041", "a\ufe0f\U000e0100",
    "\u00ad", "\ud800", "\u2028", "\x85", "\ue000", "\uffff", "\U0010ffff", "\u3164", "\t", "\r\n",
    "e" + "\u0301" * 30, "\u0301", "👩\u200d", "👨\u200d👩\u200d👧", "❤\ufe0f", "क्\u200dष", "日本",
    "🇩🇪", "1\ufe0f\u20e3", "\u1161" * 20, "[/x]", "⟦U+202E⟧",
)  # fmt: skip
hostile_text = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=3))).map("".join)
ACTING = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


@given(hostile_text, st.booleans())
def test_nothing_that_acts_or_hides_gets_through(text: str, keep_newlines: bool) -> None:
    shown = visible_text(text, keep_newlines=keep_newlines)

    for character in shown:
        allowed = character in "\u200c\u200d" or (keep_newlines and character == "\n")
        assert allowed or unicodedata.category(character) not in ACTING
    shown.encode("utf-8")


@given(hostile_text, st.booleans())
def test_marks_are_made_once(text: str, keep_newlines: bool) -> None:
    shown = visible_text(text, keep_newlines=keep_newlines)

    assert visible_text(shown, keep_newlines=keep_newlines) == shown


@given(hostile_text)
def test_spans_cover_the_raw_text_in_order_and_agree_with_the_text(text: str) -> None:
    spans = visible_spans(text)

    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(text)
    assert "".join(span.text for span in spans) == visible_text(text)
    assert all(span.text == text[span.start : span.end] for span in spans if not span.is_mark)


def test_every_character_that_acts_on_a_terminal_becomes_a_mark() -> None:
    acting = [char for code in range(0x110000) if unicodedata.category(char := chr(code)) in ACTING]

    assert [hex(ord(char)) for char in acting if visible_text("a" + char) == "a" + char] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;x\x07", "␛]0;x␇"),
        ("a\x00b\x7f", "a␀b␡"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\tb", "a␉ b"),
        ("a\r\nb", "a␍⏎b"),
        ("\x9b", "⟦U+009B⟧"),
        ("ig\u00adnore", "ig⟦U+00AD⟧nore"),
        ("x\U000e0041", "x⟦U+E0041⟧"),
        ("x" + "\u200b" * 500, "x⟦U+200B×500⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("a\u200db", "a⟦U+200D⟧b"),
        ("👩\u200d", "👩⟦U+200D⟧"),
        ("a\ufe0f", "a⟦U+FE0F⟧"),
        ("\u0301x", "◌\u0301x"),
        ("a" + "\u0301" * 20 + "b", "a" + "\u0301" * MAX_STACKED + "⟦+12 combining⟧b"),
    ],
)
def test_marks(text: str, shown: str) -> None:
    assert visible_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain", "naïve café", "日本語のメモ", "👨‍👩‍👧 ticket", "❤️‍🔥", "👍🏽",
        "🇩🇪", "1️⃣", "©️", "🏳️‍🌈", "नाम: श्री‍मान क्‍ष", "می‌خواهم", "র‍্য",
        "§ 4 [/x] <b>", "e\u0301", "…—“”" * 9, "😀" * 12 + "❤️",
    ],
)  # fmt: skip
def test_ordinary_writing_in_any_script_stays_as_it_is(text: str) -> None:
    assert visible_text(text) == text


def test_a_chain_of_joined_pictographs_ends_where_unicode_ends_it() -> None:
    assert "⟦U+200D⟧" in visible_text("\u200d".join("👩" * 12))


def test_newlines_are_kept_only_on_request() -> None:
    assert visible_text("a\nb") == "a⏎b"
    assert visible_text("a\nb\x1b", keep_newlines=True) == "a\nb␛"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3), ("日本", 4), ("ｱ", 1), ("👨‍👩‍👧", 2), ("❤️", 2), ("❤", 1),
        ("👍🏽", 2), ("🇩🇪", 2), ("1️⃣", 2), ("e\u0301", 1), ("क्‍ष", 2), ("━╸", 2), ("⟦U+202E⟧", 8), ("한글", 4),
        ("ᄒ\u1161\u11ab", 2), ("", 0), ("\U0001fae8", 2),
    ],
)  # fmt: skip
def test_widths(text: str, cells: int) -> None:
    assert cell_width(text) == cells


def test_widths_agree_with_the_terminal_emulators_table() -> None:
    wcwidth = pytest.importorskip("wcwidth")
    differing = [
        hex(code)
        for code in range(0x20, 0x110000)
        if unicodedata.category(char := chr(code)) != "Cn"
        and not 0x1F1E6 <= code <= 0x1F1FF  # a lone half of a flag
        and visible_text("a" + char) == "a" + char
        and cell_width(char) != wcwidth.wcwidth(char)
    ]

    assert len(differing) < 300  # the table may be of a later Unicode than this Python's


@given(hostile_text, st.integers(0, 30))
def test_clipped_text_fits_and_says_that_something_is_missing(text: str, width: int) -> None:
    for shorten in (clip, preview):
        shown = shorten(text, width)

        assert cell_width(shown) <= width
        assert "\n" not in shown
    if width and clip(text, width) != visible_text(text):
        assert clip(text, width).endswith("…")


def test_what_was_not_looked_at_counts_as_missing() -> None:
    unseen = "\u200b" * 5_000

    assert clip(unseen, 40).endswith("⟧…")
    assert preview(unseen, 40).endswith("⟧…")


def test_marks_that_stack_and_joined_emoji_are_one_cluster_with_their_base() -> None:
    text = "e\u0301x👨‍👩‍👧ก\u0e34"

    assert [cluster.text for cluster in clusters(text)] == ["e\u0301", "x", "👨‍👩‍👧", "ก\u0e34"]


@given(hostile_text, st.integers(0, 30))
def test_nothing_drawn_as_one_thing_is_cut(text: str, width: int) -> None:
    shown = clip(text, width)
    whole = [cluster.text for cluster in clusters(visible_text(text))]

    uncut = shown if shown == visible_text(text) else shown.removesuffix("…")
    kept = [cluster.text for cluster in clusters(uncut)]

    assert whole[: len(kept)] == kept


def test_a_preview_is_one_line_without_empty_lines() -> None:
    assert preview("  # Hosts\n\n  - web \n- db", 80) == "# Hosts ⏎ - web ⏎ - db"
    assert preview("one\ntwo three", 9) == "one ⏎ tw…"


@pytest.mark.parametrize("character", ["a", "\u0301", "\x1b", "日", "\n"])
def test_shortening_looks_at_the_start_of_a_long_text_only(character: str) -> None:
    text = character * 3_000_000
    started = time.process_time()
    clip(text, 60)
    preview(text, 60)

    assert time.process_time() - started < 0.05
