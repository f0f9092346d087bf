"""What encoded text says: base64, hex, percent, entities, escapes, number codes, rot13, atbash, reversed, pieces.

Only decodes and looks; nothing is ever run. Two levels deep, 64 kB for each 64 kB of text; what is not printable is
left alone.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
from binascii import Error as BadEncoding
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import Final
from urllib.parse import unquote

from memtui.core.threats.views import Span, ToRaw, View, cut

MAX_DECODED_CHARS: Final = 65_536
MAX_RUNS: Final = 64
MAX_SKIPPED: Final = 16
"""Letters of a cut run that are left out: enough for the next whole group of any code, and of a character."""
TRIED_CHARS: Final = 64
"""Of a cut run, before all of it is decoded."""
MAX_WORDS_BESIDE: Final = 6
"""Plain words on each side that are tried without: they look like more of the code."""
MIN_HEX_DIGITS: Final = 16
_KEYS: Final = (
    *("ignore", "previous", "instruction", "system", "prompt", "the user", "disregard", "password", "execute"),
    *("permission", "command", "without", "credential", "approval", "approve", "secret", "delete", "upload"),
    *("forget", "your rules", "all rules", "api key", "the keys", "override", "obey"),
)
"""Words that a hidden order can hardly do without; one of them in cipher is worth undoing it."""
_ATBASH: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA"
)


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def _atbash(text: str) -> str:
    return text.translate(_ATBASH)


def _reversed(text: str) -> str:
    return text[::-1]


_CIPHERS: Final[dict[str, Callable[[str], str]]] = {"rot13": _rot13, "atbash": _atbash, "reversed": _reversed}

SIGNALS: Final = {
    "base64": r"[A-Za-z0-9+/_-]{16}",
    "base32": r"\b[A-Z2-7]{24}",
    "hex": r"(?i)(?:[0-9a-f]{2}[ ,:]?(?:0x|\\x)?){8}",
    "percent": r"(?i)(?:[%=][0-9a-f]{2}.*){3}",
    "entities": r"(?i)(?:&#?[a-z0-9]{2,6};.{0,3}){3}",
    "escapes": r"(?i)(?:\\u\{?[0-9a-f]{4}\}?|\\x[0-9a-f]{2}|u\+[0-9a-f]{4}\s?|\\[0-7]{3}){3}",
    "numbers": r"(?:\b[0-9]{2,3}[ ,;]+){6}",
    "bits": r"(?:[01]{8}[ ,]?){4}",
    "pieces": r"""["'][^"'\n]+["'][^"']+["'][^"'\n]+["']""",
    "quotes": (
        r"""(?i)[a-z](?:''|"")[a-z]|[a-z]["'][a-z]{1,9}["'][a-z]"""
        r"""|\b[a-z]{1,4}\\[a-z]{1,8}\s|/\.[a-z]*["'\\][a-z]"""
    ),
    "variables": r"\b[A-Za-z_][A-Za-z0-9_]*=[^\s;&]+[;&\s].*\$",
    **{name: "(?i)" + "|".join(map(cipher, _KEYS)) for name, cipher in _CIPHERS.items()},
}
"""RE2 patterns over text in its own case that say whether a decoder is worth trying. Their repeats have no upper bound:
a set counts all of them at once, and with three such bounds one million random signs took 43 s."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
# Begins where a run does, and gives nothing back: else every letter of a long run starts a search of the whole run.
_BASE64_LINES: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{8,}+(?:\s{1,4}[A-Za-z0-9+/]{2,}+={0,2}){1,400}+")
_BASE32: Final = re.compile(r"[A-Z2-7]{24,}={0,6}")
_HEX: Final = re.compile(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]?){8,}")
# "=69" is quoted-printable, as mails have it.
_PERCENT: Final = re.compile(
    r"(?:%[0-9A-Fa-f]{2})+|(?:=[0-9A-Fa-f]{2}){3,}|(?<=[A-Za-z])=(?:[46][1-9A-Fa-f]|[57][0-9Aa])(?=[A-Za-z])"
)
_ENTITY: Final = re.compile(r"&#?[A-Za-z0-9]{2,8};")
_ESCAPE: Final = re.compile(
    r"\\u\{?([0-9A-Fa-f]{4,6})\}?|\\x([0-9A-Fa-f]{2})|[Uu]\+([0-9A-Fa-f]{4,5})[ ,]?|\\([0-7]{3})"
)
_NUMBERS: Final = re.compile(r"(?<!\d)\d{2,3}(?:[ ,;]{1,3}\d{2,3}){6,}(?!\d)")
_BITS: Final = re.compile(r"[01]{8}(?:[ ,]?[01]{8}){3,}")
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
    for signal, decoders in _RUNS.items():
        for decode in decoders if signal in signals else ():
            yield from _runs(clean, signal, decode, is_cut=is_cut)
    for name, replaced in _REPLACED.items():
        if name in signals:
            pattern, read = replaced
            parted = cut(text, pattern, read, clean.to_raw)
            if parted:
                yield View(name, parted[0], parted[1], False, is_disguise=True, decoded=True)
    for name, cipher in _CIPHERS.items():
        if name in signals:
            to_raw = _mirrored(len(text), clean.to_raw) if name == "reversed" else clean.to_raw
            yield View(name, cipher(text), to_raw, False, is_disguise=True, decoded=True)
    if "pieces" in signals:
        yield from _pieces(clean)
    if "variables" in signals:
        yield from _variables(clean)


def _runs(
    clean: View, name: str, read: tuple[re.Pattern[str], Callable[[str], str]], *, is_cut: bool
) -> Iterator[View]:
    pattern, decode = read
    found = (
        (one.span(), _decoded(one[0][:MAX_DECODED_CHARS], decode, is_cut=is_cut and one.start() == 0))
        for one in pattern.finditer(clean.text)
    )
    said = [one for one in found if one[1]]
    rest = said[MAX_RUNS:]
    # Each view costs a reading; what a hundred runs say beyond the first is read as one text.
    together = [((rest[0][0][0], rest[-1][0][1]), "\n".join(text for _, text in rest))] if rest else []
    for span, text in said[:MAX_RUNS] + together:
        yield View(name, text, _whole(clean.to_raw, span), False, is_disguise=True, decoded=True)


def _decoded(run: str, decode: Callable[[str], str], *, is_cut: bool) -> str:
    """What the run says; one that is cut may begin within a group of its code, or within a character."""
    said = decode(run)
    if said or not is_cut:
        return said
    # To decode all of a run at every place took a second of one million letters.
    places = (skip for skip in range(1, MAX_SKIPPED) if decode(run[skip : skip + TRIED_CHARS]))
    return next((said for skip in places if (said := decode(run[skip:]))), "")


def _whole(outer: ToRaw, span: Span) -> ToRaw:
    return lambda _low, _high: outer(*span)


def _mirrored(length: int, outer: ToRaw) -> ToRaw:
    return lambda low, high: outer(length - high, length - low)


def readable(data: bytes) -> str:
    """The bytes as text when they are printable UTF-8 or UTF-16, else ""."""
    is_wide = len(data) >= 8 and data[1::2].count(0) > len(data) // 3
    encoding = "utf-16-le" if is_wide else "utf-8"
    try:
        # The last character may be cut.
        text = codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", " ").replace("\t", " ").replace("\r", " ").isprintable() else ""


def _from_base64(run: str) -> str:
    # Bytes of a text always give letters of both cases; names and paths of sixteen letters seldom do.
    if run.islower() or run.isupper():
        return ""
    letters = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
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
    letters = run.rstrip("=")
    try:
        return readable(base64.b32decode(letters + "=" * (-len(letters) % 8)))
    except (BadEncoding, ValueError):
        return ""


def _from_hex(run: str) -> str:
    # A run may begin within the "0x" of its first number; in "ref 646f…" the end of a word looks like two digits more.
    pieces = re.split(r"0?x|[ ,:\\]", run)
    for digits in ("".join(pieces), max(pieces, key=len)):
        if len(digits) >= MIN_HEX_DIGITS and (said := readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))):
            return said
    return ""


def _from_numbers(run: str) -> str:
    codes = [int(code) for code in re.findall(r"\d+", run)]
    return readable(bytes(codes)) if max(codes) < 128 else ""


def _from_bits(run: str) -> str:
    digits = re.sub(r"[ ,]", "", run)
    return readable(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8)))


def _from_percent(found: re.Match[str]) -> str:
    return unquote(found[0].replace("=", "%"))


def _from_escape(found: re.Match[str]) -> str:
    code = int(found[4], 8) if found[4] else int(found[1] or found[2] or found[3], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


_RUNS: Final[dict[str, tuple[tuple[re.Pattern[str], Callable[[str], str]], ...]]] = {
    "base64": ((_BASE64, _from_base64), (_BASE64_LINES, _from_base64_lines)),
    "base32": ((_BASE32, _from_base32),),
    "hex": ((_HEX, _from_hex),),
    "numbers": ((_NUMBERS, _from_numbers),),
    "bits": ((_BITS, _from_bits),),
}
RUNS: Final = frozenset(_RUNS)
"""Decoders of single runs in a text."""
WHOLLY_CODED: Final = frozenset((*_RUNS, *_CIPHERS))
"""Decoders whose views hold nothing that could be read as it stands."""
_REPLACED: Final[dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]] = {
    "pieces": (_PLUS, lambda found: ""),
    "percent": (_PERCENT, _from_percent),
    "quotes": (_INNER_QUOTES, lambda found: ""),
    "entities": (_ENTITY, lambda found: html.unescape(found[0])),
    "escapes": (_ESCAPE, _from_escape),
}


def _pieces(clean: View) -> Iterator[View]:
    """Quoted pieces put together, as `'ign' + 'ore'` would be; a new line or variable may begin a new word."""
    quoted = [found for found in _QUOTED.finditer(clean.text)]
    if len(quoted) >= 3:
        gaps = ["", *(clean.text[one.end() : two.start()] for one, two in pairwise(quoted))]
        to_raw = _whole(clean.to_raw, (quoted[0].start(), quoted[-1].end()))
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
