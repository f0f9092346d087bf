"""Runs of a text that are a code of another one: base64, hex, numbers, bits, Morse, the spelling alphabet.

Each decoder takes what its pattern found and gives what it says, "" when that is not printable. Nothing is ever run.
"""

from __future__ import annotations

import base64
import codecs
import re
from binascii import Error as BadEncoding
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

Decode = Callable[[str], str]

MAX_WORDS_BESIDE: Final = 6
"""Plain words on each side that are tried without: they look like more of the code."""
MIN_HEX_DIGITS: Final = 16
MAX_CODE_POINT: Final = 0x10FFFF


class Code(NamedTuple):
    """One kind of code."""

    signal: str
    """An RE2 pattern over text in its own case that says whether a search is worth it. Its repeats have no upper bound:
    a set counts all of them at once, and with three such bounds one million random signs took 43 s."""
    readings: tuple[tuple[re.Pattern[str], Decode], ...]


def readable(data: bytes) -> str:
    """The bytes as text when they are printable UTF-8 or UTF-16, else ""."""
    is_wide = len(data) >= 8 and data[1::2].count(0) > len(data) // 3
    encoding = "utf-16-le" if is_wide else "utf-8"
    try:
        # The last character may be cut.
        return printable(codecs.getincrementaldecoder(encoding)().decode(data))
    except UnicodeDecodeError:
        return ""


def printable(text: str) -> str:
    """The text when all of it can be printed, else ""."""
    return text if text.replace("\n", " ").replace("\t", " ").replace("\r", " ").isprintable() else ""


def _from_base64(run: str) -> str:
    # Bytes of a text always give letters of both cases; names and paths of sixteen letters seldom do.
    if run.islower() or run.isupper():
        return ""
    letters = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    return _from_letters64(letters) or _from_letters64(letters[::-1])


def _from_letters64(letters: str) -> str:
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return readable(base64.b64decode(letters + "=" * (-len(letters) % 4)))
    except (BadEncoding, ValueError):
        return ""


def _from_base64_lines(run: str) -> str:
    """What the lines say together, without the plain words that may stand before and after them."""
    pieces = run.split()
    for first in range(min(MAX_WORDS_BESIDE, len(pieces))):
        for last in range(len(pieces), max(first, len(pieces) - MAX_WORDS_BESIDE), -1):
            said = _from_base64(" ".join(pieces[first:last]))
            if said:
                return said
    return ""


def _from_base32(run: str) -> str:
    letters = run.upper().rstrip("=")
    try:
        return readable(base64.b32decode(letters + "=" * (-len(letters) % 8)))
    except (BadEncoding, ValueError):
        return ""


def _from_base85(run: str) -> str:
    letters = run.removeprefix("<~").rstrip("\"'`").removesuffix("~>")
    for decode in (base64.b85decode, base64.a85decode):
        for ended in (letters, letters.rstrip(".,:;)")):
            try:
                said = readable(decode(ended.encode("ascii")))
            except (BadEncoding, ValueError):
                continue
            if said:
                return said
    return ""


def _from_hex(run: str) -> str:
    # A run may begin within the "0x" of its first number; in "feed 646f…" the word before looks like two digits more.
    pieces = re.split(r"0?x|[\s,:;\\-]", run)
    for digits in ("".join(pieces), max(pieces, key=len)):
        if len(digits) >= MIN_HEX_DIGITS and (said := readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))):
            return said
    return ""


def _from_numbers(run: str) -> str:
    """Bytes or code points, in decimal or octal digits."""
    numbers = re.findall(r"\d+", run)
    codes = [int(number) for number in numbers]
    if max(codes) > 255:
        said = "" if max(codes) > MAX_CODE_POINT or _has_halves(codes) else printable("".join(map(chr, codes)))
    else:
        said = readable(bytes(codes))
    if not said and not any(digit in run for digit in "89"):
        codes = [int(number, 8) for number in numbers]
        said = readable(bytes(codes)) if max(codes) < 256 else ""
    return said if _has_words(said) else ""


def _has_words(said: str) -> bool:
    """True when most of it is letters and blanks: numbers of two digits are often printable and say nothing."""
    return 5 * sum(char.isalpha() or char == " " for char in said) > 3 * len(said)


def _has_halves(codes: Sequence[int]) -> bool:
    """True when one is half of a pair of UTF-16, which is no character."""
    return any(0xD800 <= code < 0xE000 for code in codes)


def _from_places(run: str) -> str:
    """Letters by their place in the alphabet; the rarer of two kinds of sign parts words."""
    words = re.split(r"[\s,]+", run) if "-" in run or "." in run else re.split(r"\s*[/|]\s*", run)
    places = [[int(number) for number in re.findall(r"\d+", word)] for word in words]
    if any(place > 26 for word in places for place in word):
        return ""
    return " ".join("".join(chr(96 + place) if place else " " for place in word) for word in places)


def _from_bits(run: str) -> str:
    digits = re.sub(r"[\s,]", "", run)
    return readable(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8)))


def _from_seven_bits(run: str) -> str:
    return readable(bytes(int(digits, 2) for digits in re.findall(r"\d+", run)))


_MORSE: Final = dict(
    zip(
        re.findall(
            r"\S+",
            ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- "
            "--.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.",
        ),
        "abcdefghijklmnopqrstuvwxyz0123456789",
        strict=True,
    )
)
_DITS: Final = str.maketrans("·•–—−_", "..----")


def _from_morse(run: str) -> str:
    signs = [sign.split() for sign in re.split(r"[/|]|\s{3,}", run.translate(_DITS))]
    said = " ".join("".join(_MORSE.get(sign, "\0") for sign in word) for word in signs)
    return printable(said)


_SPELLED: Final = re.findall(
    r"\S+",
    "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo "
    "sierra tango uniform victor whiskey xray yankee zulu alpha juliet x-ray",
)
_SPELLING: Final = rf"(?:{'|'.join(_SPELLED)})"


def _from_spelling(run: str) -> str:
    return "".join(word[0] for word in re.findall(_SPELLING, run.lower()))


_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
# Begins where a run does, and gives nothing back: else every letter of a long run starts a search of the whole run.
_BASE64_LINES: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{8,}+(?:\s{1,4}[A-Za-z0-9+/]{2,}+={0,2}){1,400}+")
_BASE32: Final = re.compile(r"(?:[A-Z2-7]{24,}|[a-z2-7]{24,})={0,6}")
_BASE85: Final = re.compile(r"[!-~]{20,}")
_HEX: Final = re.compile(r"(?<![A-Za-z])(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[\s,:;-]{0,2}){8,}")
_NUMBERS: Final = re.compile(r"(?<!\d)\d{2,6}(?:[\s,;./|:-]{1,3}\d{2,6}){6,}(?!\d)")
_PLACES: Final = re.compile(r"(?<!\d)\d{1,2}(?:[\s,./|-]{1,3}\d{1,2}(?!\d)){9,}")
_BITS: Final = re.compile(r"[01]{8}(?:[\s,]{0,2}[01]{8}){3,}")
_SEVEN_BITS: Final = re.compile(r"(?<!\d)[01]{7}(?:[\s,]{1,2}[01]{7}(?!\d)){3,}")
_MORSE_RUN: Final = re.compile(r"[.·•–—−_-]{1,6}(?:[ /|]{1,5}[.·•–—−_-]{1,6}){7,}")
_SPELLED_RUN: Final = re.compile(rf"(?i)\b{_SPELLING}(?:[\s,.-]{{1,3}}{_SPELLING}\b){{7,}}")

CODES: Final = {
    "base64": Code(r"[A-Za-z0-9+/_-]{16}", ((_BASE64, _from_base64), (_BASE64_LINES, _from_base64_lines))),
    "base32": Code(r"\b(?:[A-Z2-7]{24}|[a-z2-7]{24})", ((_BASE32, _from_base32),)),
    "base85": Code(r"(?i)\b(?:ascii|base|a|b|z)[ -]?85\b|<~", ((_BASE85, _from_base85),)),
    "hex": Code(r"(?i)(?:[0-9a-f]{2}[\s,:;-]?[ ]?(?:0x|\\x)?){8}", ((_HEX, _from_hex),)),
    "numbers": Code(r"(?:[0-9]+[\s,;./|:-]+){6}", ((_NUMBERS, _from_numbers), (_PLACES, _from_places))),
    "bits": Code(r"(?:[01]{7}[01\s,]{1,3}){4}", ((_BITS, _from_bits), (_SEVEN_BITS, _from_seven_bits))),
    "morse": Code(r"(?:[.·•–—−_-]+[ /|]+){7}", ((_MORSE_RUN, _from_morse),)),
    "spelling": Code(rf"(?i)(?:\b{_SPELLING}[\s,.-]+){{7}}", ((_SPELLED_RUN, _from_spelling),)),
}
"""Codes of single runs in a text, by name."""
