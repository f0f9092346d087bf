"""What encoded text says: runs of a code, a text in cipher, escapes put back, pieces put together.

Only decodes and looks; nothing is ever run. Two levels deep, 64 kB for each 64 kB of text; what is not printable is
left alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import Final
from urllib.parse import unquote

from memtui.core.threats.ciphers import CIPHER_SIGNALS, deciphered_views
from memtui.core.threats.codes import CODES, Decode
from memtui.core.threats.disguises import excerpts
from memtui.core.threats.views import View, cut, onto, spans_of

MAX_DECODED_CHARS: Final = 65_536
MAX_RUNS: Final = 64
MAX_SKIPPED: Final = 16
"""Letters of a cut run that are left out: enough for the next whole group of any code, and of a character."""
TRIED_CHARS: Final = 64
"""Of a cut run, before all of it is decoded."""
RUNS: Final = frozenset(CODES)
"""Decoders of single runs in a text."""
WHOLLY_CODED: Final = frozenset((*CODES, *CIPHER_SIGNALS))
"""Decoders whose views hold nothing that could be read as it stands."""

SIGNALS: Final = {
    **{name: code.signal for name, code in CODES.items()},
    "percent": r"(?i)(?:[%=][0-9a-f]{2}.*){3}",
    "entities": r"(?i)(?:&#?[a-z0-9]{2,6}[; ,].{0,3}){3}|[a-z]&#?[a-z0-9]{2,6};[a-z]",
    "escapes": (
        r"(?i)(?:\\u\{?[0-9a-f]{2,8}\}?|\\x[0-9a-f]{2}|u\+[0-9a-f]{4}\s?|\\[0-7]{3}|\\[0-9a-f]{2,4}\s"
        r"|\bchr\([0-9]{2,}\)[ .+&]*){3}"
    ),
    "flags": r"(?:[\x{1f1e6}-\x{1f1ff}][ \x{2009}\x{200a}\x{202f}]*){6}",
    "markup": r"(?i)[a-z]</?[a-z]|[a-z](?:\*\*?|~~)[a-z]",
    "pieces": r"""["'][^"'\n]+["'][^"']+["'][^"'\n]+["']""",
    "quotes": (
        r"""(?i)[a-z](?:''|"")[a-z]|[a-z]["'][a-z]{1,9}["'][a-z]"""
        r"""|\b[a-z]{1,4}\\[a-z]{1,8}\s|/\.[a-z]*["'\\][a-z]"""
    ),
    "variables": r"\b[A-Za-z_][A-Za-z0-9_]*=[^\s;&]+[;&\s].*\$",
    **CIPHER_SIGNALS,
}
"""RE2 patterns over text in its own case that say whether a decoder is worth trying. Their repeats have no upper bound:
a set counts all of them at once, and with three such bounds one million random signs took 43 s."""

# "=69" is quoted-printable, as mails have it.
_PERCENT: Final = re.compile(
    r"(?:%[0-9A-Fa-f]{2})+|(?:=[0-9A-Fa-f]{2}){3,}|(?<=[A-Za-z])=(?:[46][1-9A-Fa-f]|[57][0-9Aa])(?=[A-Za-z])"
)
_ENTITY: Final = re.compile(r"&#?[A-Za-z0-9]{2,8};|&#[xX]?[0-9A-Fa-f]{2,6}[ ,]?")
_ESCAPE: Final = re.compile(
    r"\\U([0-9A-Fa-f]{8})|\\u\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})"
    r"|[Uu]\+([0-9A-Fa-f]{4,5})[ ,]?|\\(?P<octal>[0-7]{3})|\\([0-9A-Fa-f]{2,4})\s"
    r"|(?i:\bchr\()(?P<decimal>[0-9]{2,6})\)[ .+&]{0,3}"
)
# One letter of the alphabet of which two make a flag, and the blank that keeps it from its neighbour.
_FLAG: Final = re.compile("[\U0001f1e6-\U0001f1ff][ \u2009\u200a\u202f]?")
_MARKUP: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>|\*\*?|~~")
# A shell reads c''at, c"a"t and c\at as cat.
_INNER_QUOTES: Final = re.compile(r"""(?<=[\w./~])(?:''|""|["'\\])(?=\w)|(?<=\w)["'](?=[\w/])""")
_QUOTED: Final = re.compile(r"\"([^\"\n]{1,40})\"|'([^'\n]{1,40})'")
_PLUS: Final = re.compile(r"""['"]\s?[+.]\s?['"]""")
_NEW_PIECE: Final = re.compile(r"[;\n=]")
_ASSIGNED: Final = re.compile(r"\b([A-Za-z_]\w{0,20})=(?:\"([^\"\n]{0,60})\"|'([^'\n]{0,60})'|([^\s;&\"']{1,60}))")
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w{0,20})\}?")


def decoded_views(clean: View, signals: Collection[str], *, is_cut: bool) -> Iterator[View]:
    """A view for each thing the text says in an encoding of which `signals` speaks; `is_cut` says that it begins in the
    midst of another."""
    text = clean.text
    for name, code in CODES.items():
        for reading in code.readings if name in signals else ():
            yield from _runs(clean, name, *reading, is_cut=is_cut)
    for name, (pattern, read) in _REPLACED.items():
        for part in excerpts(clean, spans_of(pattern, text)) if name in signals else ():
            parted = cut(part.text, pattern, read, part.to_raw)
            if parted:
                yield View(name, parted[0], parted[1], False, is_disguise=True, decoded=True)
    yield from deciphered_views(clean, signals)
    if "pieces" in signals:
        yield from _pieces(clean)
    if "variables" in signals:
        yield from _variables(clean)


def _runs(clean: View, name: str, pattern: re.Pattern[str], decode: Decode, *, is_cut: bool) -> Iterator[View]:
    found = (
        (one.span(), _decoded(one[0][:MAX_DECODED_CHARS], decode, is_cut=is_cut and one.start() == 0))
        for one in pattern.finditer(clean.text)
    )
    said = [one for one in found if one[1]]
    rest = said[MAX_RUNS:]
    # Each view costs a reading; what a hundred runs say beyond the first is read as one text.
    together = [((rest[0][0][0], rest[-1][0][1]), "\n".join(text for _, text in rest))] if rest else []
    for span, text in said[:MAX_RUNS] + together:
        yield View(name, text, onto(clean.to_raw, span), False, is_disguise=True, decoded=True)


def _decoded(run: str, decode: Decode, *, is_cut: bool) -> str:
    """What the run says; one that is cut may begin within a group of its code, or within a character."""
    said = decode(run)
    if said or not is_cut:
        return said
    # To decode all of a run at every place took a second of one million letters.
    places = (skip for skip in range(1, MAX_SKIPPED) if decode(run[skip : skip + TRIED_CHARS]))
    return next((said for skip in places if (said := decode(run[skip:]))), "")


def _from_percent(found: re.Match[str]) -> str:
    return unquote(found[0].replace("=", "%"))


def _from_entity(found: re.Match[str]) -> str:
    return html.unescape(found[0].rstrip("; ,") + ";")


def _from_escape(found: re.Match[str]) -> str:
    base = 8 if found["octal"] else 10 if found["decimal"] else 16
    code = int(next(filter(None, found.groups())), base)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _from_flag(found: re.Match[str]) -> str:
    return chr(ord(found[0][0]) - 0x1F1E6 + ord("a"))


_REPLACED: Final[dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]] = {
    "pieces": (_PLUS, lambda found: ""),
    "percent": (_PERCENT, _from_percent),
    "quotes": (_INNER_QUOTES, lambda found: ""),
    "entities": (_ENTITY, _from_entity),
    "escapes": (_ESCAPE, _from_escape),
    "flags": (_FLAG, _from_flag),
    "markup": (_MARKUP, lambda found: ""),
}


def _pieces(clean: View) -> Iterator[View]:
    """Quoted pieces put together, as `'ign' + 'ore'` would be; a new line or variable may begin a new word."""
    quoted = [found for found in _QUOTED.finditer(clean.text)]
    if len(quoted) >= 3:
        gaps = ["", *(clean.text[one.end() : two.start()] for one, two in pairwise(quoted))]
        to_raw = onto(clean.to_raw, (quoted[0].start(), quoted[-1].end()))
        texts = [found[1] or found[2] for found in quoted]
        parted = "".join((" " if _NEW_PIECE.search(gap) else "") + text for gap, text in zip(gaps, texts, strict=True))
        for said in {parted: None, "".join(texts): None}:
            yield View("joined pieces", said, to_raw, False, is_disguise=True, decoded=True)


def _variables(clean: View) -> Iterator[View]:
    """Shell variables that the text itself sets, put where they are used."""
    values = {found[1]: found[2] or found[3] or found[4] or "" for found in _ASSIGNED.finditer(clean.text)}
    if values:
        parted = cut(clean.text, _VARIABLE, lambda found: values.get(found[1], found[0]), clean.to_raw)
        if parted and parted[0] != clean.text:
            yield View("expanded", parted[0], parted[1], False, is_disguise=True, decoded=True)
