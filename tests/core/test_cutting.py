"""What holds a text, and what is left without it, whatever the line ends and whatever is no text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.codec import parse
from memtui.core.cutting import entries_around, holds, is_entry, without, without_entry


@pytest.mark.parametrize(
    ("raw_bytes", "text"),
    [
        (b"one\r\ntwo", "one\ntwo"),
        (b"one\rtwo", "one\r\ntwo"),
        (b"Caf\xe9 key", "Caf\ufffd key"),
        (b"cut \xe2\x82 short", "cut \ufffd short"),
        (b"both \xff\xfe", "both \ufffd\ufffd"),
        ("a real \ufffd sign".encode(), "a real \ufffd sign"),
    ],
)
def test_a_text_is_found_as_it_is_shown_and_cut_out_whole(raw_bytes: bytes, text: str) -> None:
    beside = b"Tea\n\xc2\xa7\n" + raw_bytes

    assert holds(beside, text)
    assert not holds(without(beside, text), text)
    assert b"Tea" in without(beside, text)


def test_a_letter_is_not_taken_for_bytes_that_are_no_text() -> None:
    raw_bytes = "Café key".encode()

    assert not holds(raw_bytes, "Caf\ufffd key")
    assert without(raw_bytes, "Caf\ufffd key") == raw_bytes


def test_the_rest_is_a_canonical_file_or_the_very_bytes() -> None:
    assert without(b"one\r\n\xc2\xa7\r\ntwo\r\n\xc2\xa7\r\nthree", "two") == b"one\r\n\xc2\xa7\r\nthree"
    assert without(b"\xff one\r\ntwo", "two") == b"\xff one\r\n"
    assert without(b"two\n", "two") == b""


@given(st.binary(max_size=60))
def test_every_entry_that_is_shown_is_found_and_goes(raw_bytes: bytes) -> None:
    for text in parse(raw_bytes).texts:
        assert holds(raw_bytes, text)
        assert text not in parse(without(raw_bytes, text)).texts


@pytest.mark.timeout(20)
@pytest.mark.parametrize("count", [34, 400])
def test_a_row_of_bytes_that_are_no_text_is_cut_out_at_once(count: int) -> None:
    row = b"\xc4" * count
    text = f"Table {row.decode('utf-8', 'replace')}"

    assert without(b"Uses uv\n\xc2\xa7\nTable " + row + b"\n", text).strip() == b"Uses uv"
    assert not holds(without(b"Table " + row + b" ok", text), text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_entry_goes_whole_and_the_entries_that_hold_it_stay(newline: str) -> None:
    raw_bytes = newline.join(("Use pnpm", "§", "Use pnpm workspaces", "§", " Use pnpm ", "§", "Tea")).encode()

    assert is_entry(raw_bytes, "Use pnpm")
    assert not is_entry(raw_bytes, "Use")
    assert entries_around(raw_bytes, "Use pnpm") == ("Use pnpm workspaces",)
    assert without_entry(raw_bytes, "Use pnpm") == newline.join(("Use pnpm workspaces", "§", "Tea")).encode()
    assert without_entry(raw_bytes, "Use") == raw_bytes


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_an_entry_goes_whole_where_bytes_are_no_text(newline: bytes) -> None:
    sign = newline + "§".encode() + newline
    raw_bytes = sign.join((b"Caf\xe9 tea", b"Use pnpm", b"Caf\xe9 tea and more"))

    assert without_entry(raw_bytes, "Caf\ufffd tea") == raw_bytes.removeprefix(b"Caf\xe9 tea" + newline)
    assert without_entry(raw_bytes, "Use pnpm") == raw_bytes.replace(b"Use pnpm" + newline, b"")


@given(st.lists(st.sampled_from([b"Use pnpm", "\n§\n".encode(), b"\xe9", b" ws", "§".encode(), b"\r\n"]), max_size=12))
def test_without_an_entry_every_other_entry_stands(parts: list[bytes]) -> None:
    raw_bytes = b"".join(parts)
    for text in parse(raw_bytes).texts:
        rest = parse(without_entry(raw_bytes, text)).texts
        assert set(rest) == set(parse(raw_bytes).texts) - {text}
