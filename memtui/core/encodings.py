"""Bytes that are not UTF-8: where they break, and as what they may have been written.

It proposes and never decides: each guess is shown with a preview, and a person takes one. Nothing is written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from memtui.core.codec import BOM, SIGN
from memtui.core.errors import InvalidArgument

PLAIN: Final = "utf-8"
"""The encoding of every healthy file; what is broken in it reads as U+FFFD."""

SAMPLED_CHARS: Final = 20_000
"""How much of a decoded text is weighed: judging every character of 600 kB took 0.4 s for each guess."""
PREVIEW_CHARS: Final = 400
AROUND_BYTES: Final = 12
CUT_OFF_BYTES: Final = 3
"""A character of UTF-8 that was cut off leaves at most so many bytes."""

_FOREIGN: Final = {
    "windows-1252": "cp1252",
    "latin-1": "latin-1",
    "gb18030": "gb18030",
    "shift-jis": "cp932",
}
_LABELS: Final = {
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1",
    "gb18030": "GB18030",
    "shift-jis": "Shift-JIS",
    "utf-16": "UTF-16 with its mark",
    "utf-16-le": "UTF-16 LE without mark",
    "utf-16-be": "UTF-16 BE without mark",
    "utf-8-without": "UTF-8, broken bytes left out",
    PLAIN: "UTF-8, broken bytes as \ufffd",
}
_MIXED: Final = "utf-8+"
_BOMS_16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Guess:
    """One encoding in which a file may have been written."""

    encoding: str
    """What `decode` takes."""
    label: str
    """For a person."""
    preview: str
    """Some lines as they would read, those round the first broken byte if possible. Text of others."""
    sign_lines: int
    """Lines that are a lone `§` when it is read like this."""
    is_lossless: bool
    """False when bytes would be left out or become U+FFFD."""
    strangeness: float
    """0 for text that looks written by people; the most plausible guess has the least."""


@dataclass(frozen=True, slots=True)
class BrokenBytes:
    """The first bytes that are not UTF-8 (or the first NUL), with what stands around them."""

    before: bytes
    broken: bytes
    after: bytes

    @property
    def hex_words(self) -> str:
        """`43 61 66 [E9] 20 6F`: bytes in hex, the broken ones in brackets."""
        before, broken, after = (part.hex(" ").upper() for part in (self.before, self.broken, self.after))
        return " ".join(filter(None, (before, f"[{broken}]", after)))


def broken_bytes(raw_bytes: bytes) -> BrokenBytes | None:
    """The first place at which the bytes are no text: not UTF-8, or NUL. None when they are text."""
    start, end = _first_error(raw_bytes)
    nul = raw_bytes.find(0)
    if nul >= 0 and (start < 0 or nul < start):
        start, end = nul, nul + 1
    if start < 0:
        return None
    return BrokenBytes(
        raw_bytes[max(0, start - AROUND_BYTES) : start],
        raw_bytes[start:end],
        raw_bytes[end : end + AROUND_BYTES],
    )


def decode(raw_bytes: bytes, encoding: str) -> str:
    """The text of a file read in an encoding that `guesses` names; a leading byte-order mark is dropped.

    Raises InvalidArgument for an unknown encoding, and for bytes that are not written in it.
    """
    try:
        text = _decoder(encoding)(raw_bytes)
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"The bytes cannot be read as {_label(encoding)}: byte 0x{raw_bytes[error.start]:02X} at offset "
            f"{error.start:,} does not fit. Nothing was written.",
            {"encoding": encoding, "offset": error.start},
        ) from None
    return text.removeprefix(BOM)


def guesses(raw_bytes: bytes) -> tuple[Guess, ...]:
    """Every encoding in which the bytes can be read, the most plausible first; () for UTF-8 without NUL.

    The last one, UTF-8 with U+FFFD for what is broken, is always there.
    """
    if broken_bytes(raw_bytes) is None:
        return ()
    found = [guess for encoding in _possible(raw_bytes) if (guess := _guess(raw_bytes, encoding))]
    return (*sorted(found, key=lambda guess: guess.strangeness), _plain_guess(raw_bytes))


def _possible(raw_bytes: bytes) -> Iterator[str]:
    if raw_bytes.startswith(_BOMS_16):
        yield "utf-16"
    elif 0 in raw_bytes:
        yield from ("utf-16-le", "utf-16-be")
    yield "utf-8-without"
    if _is_utf8(raw_bytes):
        return
    if _has_utf8_lines(raw_bytes):
        yield from (f"{_MIXED}{name}" for name in _FOREIGN)
    yield from _FOREIGN


def _guess(raw_bytes: bytes, encoding: str) -> Guess | None:
    try:
        text = decode(raw_bytes, encoding)
        preview = decode(_window(raw_bytes), encoding) if "16" not in encoding else text
    except InvalidArgument:
        return None
    sign_lines = sum(line.strip() == SIGN for line in text.splitlines())
    strangeness = _strangeness(_sample(raw_bytes, text)) - (0.5 if sign_lines else 0.0)
    return Guess(
        encoding,
        _label(encoding),
        preview.strip("\r\n")[:PREVIEW_CHARS],
        sign_lines,
        encoding != "utf-8-without",
        strangeness + _penalty(raw_bytes, encoding),
    )


def _plain_guess(raw_bytes: bytes) -> Guess:
    text = raw_bytes.decode("utf-8", "replace").removeprefix(BOM)
    sign_lines = sum(line.strip() == SIGN for line in text.splitlines())
    preview = _window(raw_bytes).decode("utf-8", "replace").strip("\r\n")[:PREVIEW_CHARS]
    return Guess(PLAIN, _LABELS[PLAIN], preview, sign_lines, False, 10.0)


def _penalty(raw_bytes: bytes, encoding: str) -> float:
    """What the form of the bytes says for (below 0) or against an encoding, beside the look of its text."""
    if encoding == "utf-16":
        return -5.0  # its mark says so
    if encoding.startswith("utf-16"):
        zeros_at = 1 if encoding == "utf-16-le" else 0
        zeros = raw_bytes.count(0)
        return -2.0 if raw_bytes[zeros_at::2].count(0) > 0.9 * zeros > 0.1 * len(raw_bytes) else 1.0
    if encoding == "utf-8-without":
        return _loss_penalty(raw_bytes)
    # What is left in doubt goes to the encoding that most editors mean by "ANSI".
    return {"windows-1252": 0.0, "latin-1": 0.05}.get(encoding.removeprefix(_MIXED), 0.02)


def _loss_penalty(raw_bytes: bytes) -> float:
    start, _ = _first_error(raw_bytes)
    if start < 0:
        return 0.0  # nothing but NULs goes
    if len(raw_bytes) - start <= CUT_OFF_BYTES and _is_unfinished(raw_bytes[start:]):
        return -2.0
    kept = raw_bytes.decode("utf-8", "ignore").encode()
    foreign_bytes = sum(byte >= 0x80 for byte in raw_bytes)
    return 0.3 + 3 * (len(raw_bytes) - len(kept)) / foreign_bytes


def _is_unfinished(tail: bytes) -> bool:
    wanted = 2 if tail[0] >= 0xC2 else 0
    wanted += (tail[0] >= 0xE0) + (tail[0] >= 0xF0)
    return len(tail) < wanted and all(0x80 <= byte < 0xC0 for byte in tail[1:])


def _decoder(encoding: str) -> Callable[[bytes], str]:
    if encoding in _FOREIGN:
        return partial(_whole, codec=_FOREIGN[encoding])
    if encoding.startswith(_MIXED) and encoding.removeprefix(_MIXED) in _FOREIGN:
        return partial(_line_by_line, codec=_FOREIGN[encoding.removeprefix(_MIXED)])
    decoders: Mapping[str, Callable[[bytes], str]] = {
        PLAIN: lambda raw_bytes: raw_bytes.decode("utf-8", "replace"),
        "utf-8-without": lambda raw_bytes: raw_bytes.decode("utf-8", "ignore").replace("\0", ""),
        "utf-16": partial(_whole, codec="utf-16"),
        "utf-16-le": partial(_whole, codec="utf-16-le"),
        "utf-16-be": partial(_whole, codec="utf-16-be"),
    }
    if encoding not in decoders:
        raise InvalidArgument(f"memtui does not read the encoding {encoding!r}. Nothing was written.")
    return decoders[encoding]


def _whole(raw_bytes: bytes, codec: str) -> str:
    return raw_bytes.decode(codec)


def _line_by_line(raw_bytes: bytes, codec: str) -> str:
    """Lines that are UTF-8 as such, the others in the codec: another program appended in its own."""
    return "\n".join(line.decode("utf-8" if _is_utf8(line) else codec) for line in raw_bytes.split(b"\n"))


def _is_utf8(raw_bytes: bytes) -> bool:
    return _first_error(raw_bytes)[0] < 0


def _has_utf8_lines(raw_bytes: bytes) -> bool:
    return any(not line.isascii() and _is_utf8(line) for line in raw_bytes.split(b"\n"))


def _first_error(raw_bytes: bytes) -> tuple[int, int]:
    try:
        raw_bytes.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start, error.end
    return -1, -1


def _window(raw_bytes: bytes) -> bytes:
    """The line with the first broken byte and its neighbours, whole lines, no longer than a preview shows."""
    start = _first_error(raw_bytes)[0]
    start = start if start >= 0 else max(raw_bytes.find(0), 0)
    low = raw_bytes.rfind(b"\n", max(0, start - PREVIEW_CHARS), start) + 1
    low = max(low, start - PREVIEW_CHARS // 2)
    high = raw_bytes.find(b"\n", start)
    return raw_bytes[low : high if 0 <= high < start + PREVIEW_CHARS else start + PREVIEW_CHARS]


def _sample(raw_bytes: bytes, text: str) -> str:
    """The part of the text that is weighed: round the first broken byte, where the doubt is."""
    if len(text) <= SAMPLED_CHARS:
        return text
    start = max(_first_error(raw_bytes)[0], 0) * len(text) // len(raw_bytes)
    low = max(0, start - SAMPLED_CHARS // 2)
    return text[low : low + SAMPLED_CHARS]


def _strangeness(text: str) -> float:
    """How much of what is not ASCII looks written by no one: 0 for none of it, up to 3."""
    weights = [
        _weight(text[at - 1 : at], letter, text[at + 1 : at + 2])
        for at, letter in enumerate(text)
        if letter > "~" or (letter < " " and letter not in "\t\n\r")
    ]
    return sum(weights) / len(weights) if weights else 0.0


def _weight(before: str, letter: str, after: str) -> float:
    category = unicodedata.category(letter)
    if category in ("Cc", "Cn", "Co", "Cs") or letter == "\ufffd":
        return 3.0
    if "\uff61" <= letter <= "\uff9f":
        return 1.0  # half-width katakana: what Chinese bytes read as Shift-JIS look like
    if letter >= "\u2e80":
        is_alone = before.isascii() and before.isalpha() and after.isascii() and after.isalpha()
        return 2.0 if is_alone else (0.0 if _is_common(letter) else 1.5)
    # One accented letter between plain ones is Western text; a run of them is another encoding read wrongly.
    beside = (before > "~") + (after > "~")
    return (0.0, 0.4, 1.0)[beside] if letter < "\u0250" else 0.1


def _is_common(letter: str) -> bool:
    for codec in ("gb2312", "shift_jis"):
        try:
            letter.encode(codec)
        except UnicodeEncodeError:
            continue
        return True
    return False


def _label(encoding: str) -> str:
    if encoding.startswith(_MIXED):
        return f"UTF-8, broken lines as {_LABELS.get(encoding.removeprefix(_MIXED), encoding)}"
    return _LABELS.get(encoding, encoding)
