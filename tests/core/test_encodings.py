"""Bytes that are not UTF-8: where they break, and in which encoding they were most likely written."""

from __future__ import annotations

import pytest

from memtui.core.encodings import PLAIN, broken_bytes, decode, guesses
from memtui.core.errors import InvalidArgument

GERMAN = "Größe prüfen, Café um neun\n§\nÄnderungen am Freitag"
CHINESE = "第一条：客户资料先核对\n§\n发现疑点主动提出。"
JAPANESE = "メモ：カギは左の引き出し\n§\nテストは毎日実行する。"


@pytest.mark.parametrize(
    ("raw_bytes", "encoding", "text"),
    [
        (GERMAN.encode("latin-1"), "windows-1252", GERMAN),
        (f"{GERMAN} – „Zitat“".encode("cp1252"), "windows-1252", f"{GERMAN} – „Zitat“"),
        (CHINESE.encode("gb18030"), "gb18030", CHINESE),
        (JAPANESE.encode("cp932"), "shift-jis", JAPANESE),
        (GERMAN.encode("utf-16"), "utf-16", GERMAN),
        (GERMAN.encode("utf-16-le"), "utf-16-le", GERMAN),
        (GERMAN.encode("utf-16-be"), "utf-16-be", GERMAN),
        (CHINESE.encode("utf-16-le"), "utf-16-le", CHINESE),
        (CHINESE.encode("utf-16-be"), "utf-16-be", CHINESE),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), "utf-16", CHINESE),
        (b"Caf\xe9 at nine\n\xc2\xa7\nTea", "utf-8+windows-1252", "Café at nine\n§\nTea"),
        ("第一条\n§\n".encode() + "发现疑点".encode("gb18030"), "utf-8+gb18030", "第一条\n§\n发现疑点"),
        (CHINESE.encode()[:-1], "utf-8-without", CHINESE[:-1]),
        (CHINESE.encode()[:-2], "utf-8-without", CHINESE[:-1]),
        (b"Alpha\0 fact\n\xc2\xa7\nBeta", "utf-8-without", "Alpha fact\n§\nBeta"),
    ],
)
def test_the_most_plausible_guess_is_the_right_one(raw_bytes: bytes, encoding: str, text: str) -> None:
    first = guesses(raw_bytes)[0]

    assert first.encoding == encoding
    assert decode(raw_bytes, first.encoding) == text
    assert first.sign_lines == text.count("\n§\n")


@pytest.mark.parametrize("raw_bytes", [b"", b"Alpha", "Größe\n§\n第一条".encode(), b"\xef\xbb\xbfAlpha"])
def test_text_needs_no_guess(raw_bytes: bytes) -> None:
    assert guesses(raw_bytes) == ()
    assert broken_bytes(raw_bytes) is None


def test_every_guess_can_be_read_and_the_bare_one_is_the_last() -> None:
    raw_bytes = GERMAN.encode("latin-1")

    found = guesses(raw_bytes)

    assert {"windows-1252", "latin-1"} <= {guess.encoding for guess in found}
    assert found[-1].encoding == PLAIN
    for guess in found:
        assert decode(raw_bytes, guess.encoding)
        assert guess.preview
    assert [guess.encoding for guess in found if not guess.is_lossless] == ["utf-8-without", PLAIN]


def test_the_preview_shows_the_line_with_the_broken_byte() -> None:
    raw_bytes = b"Plain line\n" * 5_000 + b"Caf\xe9 opens at nine\n" + b"Plain line\n" * 5_000

    assert "Café opens at nine" in guesses(raw_bytes)[0].preview


def test_the_broken_bytes_are_shown_with_their_neighbours() -> None:
    broken = broken_bytes(b"one Caf\xe9 opens")

    assert broken is not None
    assert broken.hex_words == "6F 6E 65 20 43 61 66 [E9] 20 6F 70 65 6E 73"
    nul = broken_bytes(b"ab\0cd\xe9")
    assert nul is not None
    assert nul.broken == b"\0"


def test_bytes_that_do_not_fit_an_encoding_are_refused_in_words() -> None:
    with pytest.raises(InvalidArgument, match="cannot be read as GB18030"):
        decode(b"Caf\xe9 ", "gb18030")
    with pytest.raises(InvalidArgument, match="does not read the encoding"):
        decode(b"Caf", "utf-7")
