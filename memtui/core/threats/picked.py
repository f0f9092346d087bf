"""What a text says when only a part of each line, every other word, or what is set off is read, or its lines in order.

The forms are made where the text speaks of such reading, or where its lines are numbered out of order or broken up by
asides; each is of the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from memtui.core.threats.views import Span, View, onto

PICKED_SIGNAL: Final = (
    r"\b(?:first|last|initial|opening|closing|capital|bold|bracketed|underlined|starred)"
    r"\s(?:\w+\s)?(?:words?|letters?|characters?)\b|\binitials\b|\bacrostic|\bcapitals\b|\bin bold\b|\bis bold\b"
    r"|\b(?:erste|letzte)[nrs]?\s(?:wort|worter|buchstabe)|\banfangsbuchstabe|\bgrossbuchstabe|\bfett(?:e|gedruckt)"
    r"|\b(?:primer|ultim|inicia)[a-z]{0,4}\s(?:palabra|letra|parol|letter)|\bacrostico|\bmayusculas\b|\bnegrita"
    r"|\b(?:premi|derni)[a-z]{1,4}\s(?:mot|lettre)|\binitiales\b|\bmajuscules\b|\ben gras\b"
    r"|(?:перв|последн)[^\s]{1,4} (?:слов|букв)|заглавн|акростих|第一个字|首字|最后一个字|藏头|每行"
    r"|頭文字|各行|行頭|行末|첫 ?(?:글자|단어)|마지막 (?:글자|단어)"
    r"|أول (?:كلمة|حرف)|آخر كلمة|(?:पहला|पहले|आखिरी) (?:अक्षर|शब्द)"
)
"""An RE2 pattern over folded text that says whether it speaks of reading parts of lines, or what is set off."""
NTH_SIGNAL: Final = (
    r"\b(?:second|third|other|alternate|odd|even)\s(?:\w+\s)?words?\b|\bjede[snm]? (?:zweite|dritte)[snm]? wort"
    r"|\bcada (?:dos|tres|segunda|tercera) palabra|\bun mot sur (?:deux|trois)|(?:второ|треть)[^\s]{1,3} слов"
    r"|слова через|每隔[一二两]个?[字词]|隔一个字|一つおき|[一二]語おき|한 단어씩"
)
"""The same for every second or third word."""
LETTERS_PICKED: Final = "first letters"
"""The view that has no blanks."""
OF_WHOLE_TEXT: Final = (
    "first words",
    "last words",
    LETTERS_PICKED,
    "set off",
    "every nth word",
    "in order",
    "no asides",
)
"""Names of the views made here."""

MIN_LINES: Final = 3
MIN_ASIDES: Final = 3
MIN_ASIDE_LINES: Final = 2
MAX_STEP: Final = 3
MAX_CHARS: Final = 8_192
"""Of a text that is read so: nobody hides an order in each line of a book."""

_LINE: Final = re.compile(r"[^\n]+")
_WORD: Final = re.compile(r"[^\W_][\w'’-]*")
_SET_OFF: Final = re.compile(r"\*\*([^*\n]{1,40})\*\*|\[([^\]\n]{1,40})\]|<(?:b|strong|em|i|u)>([^<\n]{1,40})<")
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,}\b")
_NUMBERED: Final = re.compile(
    r"[^\w\n]{0,4}(?:(?:part|step|line|teil|parte|partie)\s)?(\d{1,2})\s?(?:/\d{1,2})?[.):\]]\s*(.+)"
)
_ASIDE: Final = re.compile(r"\([^()\n]{0,80}\)")
_ASIDE_LINE: Final = re.compile(r"(?m)^[^\w\n(]{0,8}\([^()\n]{0,80}\)[^\w\n]*$\n?")


def picked_views(clean: View, signals: Collection[str]) -> Iterator[View]:
    """Each way of reading parts of the text."""
    text = clean.text
    if len(text) > MAX_CHARS:
        return
    lines = [found.span() for found in _LINE.finditer(text) if _WORD.search(text, *found.span())]
    if len(lines) >= MIN_LINES:
        yield from _in_order(clean, lines)
        if "picked" in signals:
            yield from _parts_of_lines(clean, lines)
    if "picked" in signals:
        yield from _set_off(clean)
    if "nth" in signals:
        yield from _every_nth(clean)
    if "(" in text:
        yield from _without_asides(clean)


def _parts_of_lines(clean: View, lines: Sequence[Span]) -> Iterator[View]:
    words = [[word[0] for word in _WORD.finditer(clean.text, *line)] for line in lines]
    filled = [line for line in words if line]
    yield _view("first words", " ".join(_first(line[0]) for line in filled), clean)
    yield _view("last words", " ".join(line[-1] for line in filled), clean)
    yield _view(LETTERS_PICKED, "".join(line[0][0] for line in filled), clean)


def _first(word: str) -> str:
    """The first word; of a script without blanks, its first character."""
    return word[0] if word[0] >= "\u2e80" else word


def _set_off(clean: View) -> Iterator[View]:
    bold = [found[1] or found[2] or found[3] for found in _SET_OFF.finditer(clean.text)]
    for pieces in (bold, _CAPITALS.findall(clean.text)):
        if len(pieces) >= MIN_LINES:
            yield _view("set off", " ".join(pieces), clean)


def _every_nth(clean: View) -> Iterator[View]:
    words = _WORD.findall(clean.text)
    for step in range(2, MAX_STEP + 1):
        for start in range(step):
            yield _view("every nth word", " ".join(words[start::step]), clean)


def _in_order(clean: View, lines: Sequence[Span]) -> Iterator[View]:
    numbered = [found for line in lines if (found := _NUMBERED.match(clean.text, *line))]
    numbers = [int(found[1]) for found in numbered]
    if len(set(numbers)) == len(numbers) >= MIN_LINES - 1 and numbers != sorted(numbers):
        sorted_lines = sorted(numbered, key=lambda found: int(found[1]))
        yield _view("in order", " ".join(found[2] for found in sorted_lines), clean)


def _without_asides(clean: View) -> Iterator[View]:
    text = clean.text
    if len(_ASIDE_LINE.findall(text)) >= MIN_ASIDE_LINES:
        yield _view("no asides", re.sub(r"\n[^\w\n]*", " ", _ASIDE_LINE.sub("", text)), clean)
    elif text.count("(") >= MIN_ASIDES:
        yield _view("no asides", _ASIDE.sub("", text), clean)


def _view(name: str, text: str, clean: View) -> View:
    return View(name, text, onto(clean.to_raw, (0, len(clean.text))), is_folded=False, is_disguise=True)
