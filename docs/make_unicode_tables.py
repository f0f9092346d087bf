"""Writes the scanner's `unicode.toml`; run by hand when a new Unicode version is wanted.

    python docs/make_unicode_tables.py confusables.txt

Sources: the `unicodedata` of the running Python (names, decompositions, directions), the properties of the `regex`
package (default ignorable, pictograph, scripts), and `confusables.txt` of Unicode Technical Standard 39, as shipped
in the source distribution of the package `confusables`. The Unicode data files are under the Unicode licence
(https://www.unicode.org/license.txt), which allows use and distribution with this notice.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import regex

TABLES = Path(__file__).resolve().parents[1] / "memtui" / "core" / "threats" / "tables" / "unicode.toml"

# Scripts in which a joiner between letters is spelling, not hiding.
JOINING_SCRIPTS = (
    "Arabic", "Syriac", "Mandaic", "Thaana", "Nko", "Mongolian", "Phags_Pa", "Devanagari", "Bengali",
    "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao",
    "Tibetan", "Myanmar", "Khmer", "Balinese", "Javanese", "Sundanese", "Newa", "Tirhuta", "Grantha",
    "Meetei_Mayek", "Chakma", "Kaithi", "Sharada", "Adlam", "Hanifi_Rohingya",
)
LATIN_NAME = re.compile(
    r"(?:LATIN (?:SMALL|CAPITAL) LETTER (?:TURNED |REVERSED |LONG |DOTLESS )?|LATIN LETTER SMALL CAPITAL "
    r"|(?:NEGATIVE )?(?:CIRCLED|SQUARED) LATIN (?:SMALL|CAPITAL) LETTER |PARENTHESIZED LATIN (?:SMALL|CAPITAL) LETTER "
    r"|CROSSED NEGATIVE SQUARED LATIN CAPITAL LETTER )([A-Z])(?: WITH .*)?"
)


def ranges(holds: Callable[[str], bool]) -> str:
    """Every code point that `holds`, as `A-B` runs in hexadecimal."""
    found: list[list[int]] = []
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000 and holds(chr(code)):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return " ".join(f"{low:X}" if low == high else f"{low:X}-{high:X}" for low, high in found)


def has(properties: str) -> Callable[[str], bool]:
    return regex.compile(f"(?V1)[{properties}]").fullmatch


def plain(text: str) -> str:
    """Compatibility form without marks, in lower case: what a reader sees of a letter."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Me")).casefold()


def letter_of(char: str) -> str:
    """The ASCII letter that a Latin letter with strokes, hooks, circles or small-capital form stands for, or ""."""
    named = LATIN_NAME.fullmatch(unicodedata.name(char, ""))
    return named[1].lower() if named else ""


def latin_forms() -> Iterator[tuple[str, str]]:
    for code in range(0x80, 0x110000):
        char = chr(code)
        letter = letter_of(char)
        if letter and plain(char) != letter:
            yield char, letter
    yield "\u0138", "k"


def look_alikes(confusables: str) -> Iterator[tuple[str, str]]:
    """Letters that look like one ASCII letter or digit; case is kept, since a capital looks like another letter."""
    forms = dict(latin_forms())
    for source, target in re.findall(r"(?m)^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA", confusables):
        char = chr(int(source, 16))
        if char in forms or plain(char).isascii():
            continue
        shown = "".join(forms.get(c, c) for c in plain("".join(chr(int(code, 16)) for code in target.split())))
        if len(shown) == 1 and shown.isascii() and shown.isalnum():
            yield char, shown


def pairs(found: Iterator[tuple[str, str]]) -> str:
    by_target: dict[str, list[str]] = {}
    for char, target in found:
        by_target.setdefault(target, []).append(f"{ord(char):X}")
    return "".join(f'"{target}" = "{" ".join(sources)}"\n' for target, sources in sorted(by_target.items()))


def main() -> None:
    confusables = Path(sys.argv[1]).read_text(encoding="utf-8-sig")
    version = re.search(r"# Version: (\S+)", confusables)
    scripts = "".join(rf"\p{{Script={name}}}" for name in JOINING_SCRIPTS)
    properties = {
        "ignorable": has(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]--\p{Prepended_Concatenation_Mark}"),
        "pictograph": has(r"\p{Extended_Pictographic}--[\x00-\x7f]"),
        "joining": has(scripts),
        "right_to_left": lambda char: unicodedata.bidirectional(char) in ("R", "AL"),
    }
    text = (
        "# Made by docs/make_unicode_tables.py; do not edit.\n"
        "# Unicode data (c) Unicode, Inc., under the Unicode licence,\n"
        "# https://www.unicode.org/license.txt\n"
        f"# unicodedata {unicodedata.unidata_version}, regex {regex.__version__}, "
        f"confusables {version[1] if version else '?'}\n\n[ranges]\n"
    )
    text += "".join(f'{name} = "{ranges(holds)}"\n' for name, holds in properties.items())
    text += f"\n# Latin letters that no decomposition brings back to ASCII.\n[latin]\n{pairs(latin_forms())}"
    text += "\n# Letters of other scripts that look like an ASCII one.\n[look_alikes]\n"
    text += pairs(look_alikes(confusables))
    TABLES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
