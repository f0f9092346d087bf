"""What a character says: lower case, without marks, invisible characters out, styled letters as plain ones.

Folding goes through a table, one code point at a time, so its time is linear; whole-text NFKC is not (one million
combining marks, or of U+FDFA, take it minutes and seconds). The table is the standard library's Unicode data plus
`tables/unicode.toml`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Final

ENTRY_SIGN: Final = "§"
MAX_EXPANSION_CHARS: Final = 6
"""A character that decomposes into more keeps its own form: U+FDFA alone would become 18."""
MAX_TABLE_CODES: Final = 40_000
BLANKS: Final = "\u2800"
"""Braille's cell without a dot, which is drawn as a blank and is none to Unicode."""
LENGTHENING: Final = "\u0640\u07fa\u180a"
"""Strokes that draw a word out in Arabic, N'Ko and Mongolian; no letters of it."""


@cache
def unicode_data() -> dict[str, dict[str, str]]:
    """The generated tables: ranges by property, letters by the ASCII letter they stand for."""
    source = files("memtui.core.threats").joinpath("tables/unicode.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def char_class(name: str) -> str:
    """The inside of a regular expression's character class for a property of `unicode_data`."""
    parts = []
    for run in unicode_data()["ranges"][name].split():
        low, _, high = run.partition("-")
        parts.append(rf"\U{int(low, 16):08x}" + (rf"-\U{int(high, 16):08x}" if high else ""))
    return "".join(parts)


@cache
def ignorable() -> re.Pattern[str]:
    """One character that has no shape of its own."""
    return re.compile(f"[{char_class('ignorable')}]")


def letters(table: str) -> dict[int, str]:
    """Code point to ASCII letter, from a table of `unicode_data`."""
    return {int(code, 16): letter for letter, codes in unicode_data()[table].items() for code in codes.split()}


class FoldTable(dict[int, str]):
    """A `str.translate` table that works out each code point the first time it is met."""

    def __init__(self) -> None:
        super().__init__({code: chr(code).lower() for code in range(128)})
        self.update(letters("latin"))

    def __missing__(self, code: int) -> str:
        folded = fold_char(chr(code))
        if len(self) < MAX_TABLE_CODES:
            self[code] = folded
        return folded


def fold_char(char: str) -> str:
    """What one character becomes; "" for a mark or an ignorable."""
    category = unicodedata.category(char)
    if category in ("Mn", "Me") or char in LENGTHENING or ignorable().match(char):
        return ""
    if category in ("Zs", "Zl", "Zp") or char in BLANKS:
        return " "
    if category == "Pd":
        return "-"
    if category in ("Pi", "Pf"):
        return "'" if "SINGLE" in unicodedata.name(char, "") else '"'
    decomposed = unicodedata.normalize("NFKD", char.casefold()).casefold()
    # A note's number or a trade mark behind a word is no part of it.
    if char in "™℠" or (decomposed.isdecimal() and unicodedata.decomposition(char).startswith(("<super>", "<sub>"))):
        return ""
    if len(decomposed) > MAX_EXPANSION_CHARS:
        return char
    latin = letters_of_latin()
    return "".join(latin.get(ord(part), part) for part in decomposed if unicodedata.category(part) not in ("Mn", "Me"))


@cache
def letters_of_latin() -> dict[int, str]:
    """Stroked, hooked, circled and small-capital Latin letters by code point."""
    return letters("latin")


@cache
def fold_table() -> FoldTable:
    """The one table of this process."""
    return FoldTable()


def is_narrow(text: str) -> bool:
    """True for ASCII and the sign between entries, which makes no text hard to read: such a text is only put in lower
    case when folded, and RE2 takes it byte by byte."""
    return text.isascii() or text.replace(ENTRY_SIGN, "").isascii()


def fold(text: str) -> str:
    """The folded form of a text; a narrow one keeps its length."""
    return text.lower() if is_narrow(text) else text.translate(fold_table())


class LookAlikeTable(FoldTable):
    """Folds a text that keeps its case, and takes letters for the ASCII ones they look like (Unicode TS 39)."""

    def __init__(self) -> None:
        super().__init__()
        self.update(look_alikes())

    def __missing__(self, code: int) -> str:
        base = unicodedata.normalize("NFKD", chr(code))[0]
        shown = look_alikes().get(ord(base))
        if shown is None:
            return super().__missing__(code)
        self[code] = shown
        return shown


@cache
def look_alikes() -> dict[int, str]:
    """Letters of other scripts, by code point, with the ASCII letter each looks like."""
    return letters("look_alikes")


@cache
def look_alike_table() -> LookAlikeTable:
    """The one table of this process."""
    return LookAlikeTable()


@cache
def look_alike_chars() -> frozenset[str]:
    """The letters of `look_alikes` as characters."""
    return frozenset(map(chr, look_alikes()))


@cache
def cyrillic_twins() -> dict[int, str]:
    """ASCII letters, by code point, with the Cyrillic letter that looks the same."""
    twins: dict[int, str] = {}
    for code, letter in look_alikes().items():
        if 0x430 <= code <= 0x44F and letter.isalpha():
            twins[ord(letter)] = chr(code)
    return twins


def table_lengths(text: str, table: FoldTable) -> list[int]:
    """How many characters each character of `text` became under `table`."""
    return list(map(len, map(table.__getitem__, map(ord, text))))
