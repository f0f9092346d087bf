"""Ciphers that change every letter of a text: rot13 and its like, mirrored letters, text turned round or upside down.

A cipher is undone where a word tells of it, or where one that an order can hardly do without stands there in cipher.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final

from memtui.core.threats.disguises import BESIDE_ORDER_CHARS, excerpts
from memtui.core.threats.views import ToRaw, View, spans_of

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_KEYS: Final = (
    *("ignore", "previous", "instruction", "system", "prompt", "the user", "disregard", "password", "execute"),
    *("permission", "command", "without", "credential", "approval", "approve", "secret", "delete", "upload"),
    *("forget", "your rules", "all rules", "api key", "the keys", "override", "obey", "do not tell"),
    *("instruccion", "usuario", "anteriores", "contrasena", "anweisung", "ignorier", "nutzer", "passwort", "vorherig"),
    *("utilisateur", "mot de passe", "consignes", "precedent", "instruco", "utente", "istruzioni"),
)
"""Words that a hidden order can hardly do without; one of them in cipher is worth undoing it."""
_WIDE_KEYS: Final = (
    *("инструкц", "игнорир", "пользовател", "парол", "忽略", "密码", "パスワード", "ユーザー", "사용자", "비밀번호"),
    *("contraseña", "précédent", "instrução"),
)
"""Of two signs only what no text has the other way round: 시지 stands in every 메시지."""
_ATBASH: Final = str.maketrans(_LETTERS + _LETTERS.upper(), _LETTERS[::-1] + _LETTERS.upper()[::-1])
_ROT47: Final = str.maketrans(
    "".join(map(chr, range(33, 127))), "".join(chr(33 + (code - 33 + 47) % 94) for code in range(33, 127))
)
_TURNED: Final = str.maketrans("ɐqɔpǝɟƃɥᴉıɾʞlɯuodbɹsʇnʌʍʎ˙‾", "abcdefghiijklmnopqrstuvwy._")
_BRAILLE: Final = str.maketrans("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵\u2800", _LETTERS[:22] + "wxyz ")
_CAESAR: Final = (
    r"(?i)\bc(?:ae?|[éäe])sar|цезар|凯撒|恺撒|シーザー|시저|\brot[ -]?(?:[2-9]|1[0-24-9]|2[0-5])\b"
    r"|\bshift(?:ed)? (?:by|of)\b|\b(?:letters?|places|positions?) (?:later|earlier|back|forward|further|on)\b"
)


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def _atbash(text: str) -> str:
    return text.translate(_ATBASH)


def _reversed(text: str) -> str:
    return text[::-1]


def _words_reversed(text: str) -> str:
    return re.sub(r"\S+", lambda word: word[0][::-1], text)


def _in_cipher(cipher: Callable[[str], str], keys: Collection[str], name: str) -> str:
    return "(?i)" + "|".join((*map(cipher, keys), name))


CIPHER_SIGNALS: Final = {
    "rot13": _in_cipher(_rot13, _KEYS, r"\brot[ -]?13\b"),
    "atbash": _in_cipher(_atbash, _KEYS, r"\batbash\b"),
    "reversed": _in_cipher(_reversed, (*_KEYS, *_WIDE_KEYS), r"\bsdrawkcab\b"),
    "rot47": r"(?i)\brot[ -]?47\b",
    "caesar": _CAESAR,
    "turned": r"[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ][^\x00-\x7f]*[a-z]*[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]",
    "braille": r"[\x{2801}-\x{283f}]{2}",
}
"""RE2 patterns over text in its own case that say whether undoing a cipher is worth trying."""


def deciphered_views(clean: View, signals: Collection[str]) -> Iterator[View]:
    """The text out of each cipher of which `signals` speaks."""
    text, to_raw = clean.text, clean.to_raw
    for name, cipher in (("rot13", _rot13), ("atbash", _atbash)):
        if name in signals:
            yield _view(name, cipher(text), to_raw)
    if "rot47" in signals:
        yield _view("rot47", text.translate(_ROT47), to_raw)
    if "braille" in signals:
        yield _view("braille", text.translate(_BRAILLE), to_raw)
    if "turned" in signals:
        yield _view("turned", text.lower().translate(_TURNED)[::-1], _mirrored(len(text), to_raw))
    if "reversed" in signals:
        yield _view("reversed", text[::-1], _mirrored(len(text), to_raw))
        yield _view("reversed", _words_reversed(text), to_raw)
    if "caesar" in signals:
        for part in excerpts(clean, spans_of(_caesar(), text), BESIDE_ORDER_CHARS):
            yield from _unshifted(part)


def _unshifted(part: View) -> Iterator[View]:
    """The text shifted back by each number of letters, rot13 apart."""
    for places in (*range(1, 13), *range(14, 26)):
        moved = _LETTERS[places:] + _LETTERS[:places]
        table = str.maketrans(moved + moved.upper(), _LETTERS + _LETTERS.upper())
        yield _view("caesar", part.text.translate(table), part.to_raw)


@cache
def _caesar() -> re.Pattern[str]:
    return re.compile(_CAESAR)


def _view(name: str, text: str, to_raw: ToRaw) -> View:
    return View(name, text, to_raw, is_folded=False, is_disguise=True, decoded=True)


def _mirrored(length: int, outer: ToRaw) -> ToRaw:
    return lambda low, high: outer(length - high, length - low)
