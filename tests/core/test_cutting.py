"""What holds a text, and what is left without it, whatever the line ends and whatever is no text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.codec import parse
from memtui.core.cutting import holds, without


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
