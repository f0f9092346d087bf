"""Bytes to entries and back: what is tolerated, what is remembered, what is written."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.core.codec import parse, render
from memtui.core.model import Difference, DifferenceKind, Document

PIECES = ("§", "\n", "\r\n", "\r", " ", "\t", "a", "語", "\ufeff", "\u0085", "\u2028", "\x1c", "§ b", "b§")
memory_text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=2))).map("".join)
memory_bytes = st.one_of(
    memory_text.map(lambda text: text.encode("utf-8", "ignore")),
    st.binary(max_size=40),
    st.lists(st.sampled_from([b"\xc2\xa7", b"\n", b"\r", b"a", b"\xff", b"\x00", b"\xc2"])).map(b"".join),
)


def kinds(document: Document) -> list[DifferenceKind]:
    return [difference.kind for difference in document.differences]


def canonical(document: Document) -> bytes:
    return render(document.texts, document.newline, document.final_newline)


@given(memory_bytes)
@example("a\n§ \n§\nb".encode())
@example(" §\na".encode())
def test_what_is_written_is_read_back_as_the_same_texts(raw_bytes: bytes) -> None:
    document = parse(raw_bytes)

    assert parse(canonical(document)).texts == document.texts
    assert parse(render(document.texts)).texts == document.texts


@given(memory_bytes)
def test_a_second_write_changes_nothing(raw_bytes: bytes) -> None:
    once = canonical(parse(raw_bytes))

    assert canonical(parse(once)) == once


@given(memory_bytes)
@example(b"\n")
@example(b"a\n")
@example("§".encode())
def test_only_canonical_bytes_have_no_difference(raw_bytes: bytes) -> None:
    document = parse(raw_bytes)
    is_canonical = document.bad_byte is None and raw_bytes == render(document.texts)

    if document.bad_byte is None:
        assert (document.differences == ()) == is_canonical


@given(memory_bytes)
def test_spans_and_lines_point_into_the_text_as_decoded(raw_bytes: bytes) -> None:
    document = parse(raw_bytes)
    text = raw_bytes.decode("utf-8", "replace")

    for entry in document.entries:
        start, end = entry.span
        before = text[:start].replace("\r\n", "\n").replace("\r", "\n")
        assert text[start:end].replace("\r\n", "\n").replace("\r", "\n") == entry.text
        assert entry.line == before.count("\n") + 1
        assert entry.text == entry.text.strip() != ""


@given(memory_bytes)
def test_every_difference_has_a_line_of_the_file(raw_bytes: bytes) -> None:
    document = parse(raw_bytes)
    text = raw_bytes.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")

    assert all(1 <= difference.line <= text.count("\n") + 1 for difference in document.differences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n§\nb\n", [DifferenceKind.FINAL_NEWLINE]),
        ("\ufeffa", [DifferenceKind.BOM]),
        ("a\r\n§\r\nb", [DifferenceKind.CRLF]),
        ("a\r§\rb", [DifferenceKind.CR]),
        ("a\r\n§\nb", [DifferenceKind.MIXED_NEWLINES]),
        ("a \n§\nb", [DifferenceKind.ENTRY_BLANKS]),
        ("a\n§\n  b", [DifferenceKind.ENTRY_BLANKS]),
        ("a\n\n§\n\nb", [DifferenceKind.BLANK_LINES, DifferenceKind.BLANK_LINES]),
        ("§\na", [DifferenceKind.LEADING_SIGN]),
        ("a\n§", [DifferenceKind.CLOSING_SIGN]),
        ("a\n§\n", [DifferenceKind.CLOSING_SIGN, DifferenceKind.FINAL_NEWLINE]),
        ("a\n§\n§\nb", [DifferenceKind.EMPTY_ENTRY]),
        ("a\n§\na", [DifferenceKind.DUPLICATE]),
        ("  \n", [DifferenceKind.BLANK_LINES, DifferenceKind.FINAL_NEWLINE]),
        ("", []),
        ("a\n§\nb", []),
        ("**What:** x  \n1. one  \n\n| a |\n§\nb", []),
    ],
)
def test_each_layout_difference_is_named(text: str, expected: list[DifferenceKind]) -> None:
    assert kinds(parse(text.encode())) == expected


def test_differences_carry_their_line() -> None:
    document = parse("a\n§\n§\nb \n§\n\nc\n§\na\n".encode())

    assert document.differences == (
        Difference(DifferenceKind.EMPTY_ENTRY, 3, "nothing between two § lines"),
        Difference(DifferenceKind.ENTRY_BLANKS, 4, "blanks after the entry"),
        Difference(DifferenceKind.BLANK_LINES, 6, "blank line before the entry"),
        Difference(DifferenceKind.DUPLICATE, 9, "repeats the entry on line 1"),
        Difference(DifferenceKind.FINAL_NEWLINE, 9, "newline at the end of the file"),
    )


def test_only_a_line_that_is_exactly_the_sign_parts_entries() -> None:
    assert parse("see § 4\n§ x\n §\ny§\n§§\nz".encode()).texts == ("see § 4\n§ x\n §\ny§\n§§\nz",)


def test_only_newlines_end_a_line() -> None:
    text = "a\u2028§\u2028b\x0b§\x0bc\u0085§\u0085d"

    assert parse(text.encode()).texts == (text,)


def test_duplicates_are_marked_and_folded_to_the_first() -> None:
    document = parse("a\n§\nb\n§\na".encode())

    assert [entry.duplicate_of for entry in document.entries] == [None, None, 0]
    assert document.texts == ("a", "b")


def test_a_byte_order_mark_before_any_entry_is_layout() -> None:
    document = parse("\ufeff\ufeffa\n§\n\ufeffb".encode())

    assert document.texts == ("a", "b")
    assert kinds(document) == [DifferenceKind.BOM] * 3


def test_spans_count_the_byte_order_mark_and_every_carriage_return() -> None:
    document = parse("\ufeffab\r\n§\r\ncd\r\nef\r\n".encode())

    assert [entry.span for entry in document.entries] == [(1, 3), (8, 14)]
    assert [entry.line for entry in document.entries] == [1, 3]


def test_a_write_keeps_the_majority_line_ending_and_the_final_newline() -> None:
    document = parse("a\r\n§\r\nb\n".encode())

    assert canonical(document) == "a\r\n§\r\nb\r\n".encode()
    assert canonical(parse(b"a\rb\rc")) == b"a\rb\rc"
    assert canonical(parse(b"\n\n")) == b""


@pytest.mark.parametrize(
    ("raw_bytes", "place"),
    [
        (b"Caf\xe9 x", (3, 1, 4, 0xE9)),
        ("é\r\n日本".encode() + b"\xff", (10, 2, 3, 0xFF)),
        ("\ufeffa\n§\nb".encode() + b"\xc2", (9, 3, 2, 0xC2)),
        ("a\n§\nb".encode("utf-16"), (0, 1, 1, 0xFF)),
        ("語".encode()[:2], (0, 1, 1, 0xE8)),
    ],
)
def test_the_first_byte_that_is_not_utf8_is_placed(raw_bytes: bytes, place: tuple[int, ...]) -> None:
    document = parse(raw_bytes)

    assert document.bad_byte is not None
    bad = document.bad_byte
    assert (bad.offset, bad.line, bad.column, bad.value) == place
    assert "\ufffd" in "".join(document.texts)


def test_a_nul_byte_is_placed() -> None:
    nul = parse(b"a\nb\x00").nul_byte

    assert nul is not None
    assert (nul.offset, nul.line, nul.column, nul.value) == (3, 2, 2, 0)


def best_ms(raw_bytes: bytes, rounds: int = 7) -> float:
    """Processor time, not the clock's: the suite runs on both cores at once."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        parse(raw_bytes)
        times.append(time.process_time() - started)
    return min(times) * 1000


def test_ten_thousand_entries_are_read_at_once() -> None:
    raw_bytes = render([f"entry {number} " + "x" * 46 for number in range(10_000)])

    assert len(raw_bytes) > 580_000
    assert best_ms(raw_bytes) < 50


@pytest.mark.parametrize("unit", ["§\n", "§ \n", " §\n", " \n", "\r\n", "a\n§ \n", "§\r", "\ufeff"])
def test_reading_takes_time_linear_in_any_file(unit: str) -> None:
    once, tenfold = unit.encode() * 20_000, unit.encode() * 200_000

    assert best_ms(tenfold, 2) < 60 * best_ms(once) + 20
