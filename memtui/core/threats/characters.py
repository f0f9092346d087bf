"""The character pass: what a text hides or does with characters that have no shape or that command a terminal.

Looks at the raw text only. Joiners, marks and direction signs are allowed where a script or an emoji needs them; the
pass never removes anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import eq
from typing import Final

from memtui.core.threats.folding import char_class, fold, ignorable, is_narrow, look_alike_chars, look_alike_table

MAX_SPANS: Final = 32
MAX_DECODED_CHARS: Final = 2000

_CONTROL: Final = re.compile(r"\x1b(?:[\[\]PX^_][^\x07\x1b\n]{0,64})?|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# 20 blank lines or 200 blanks push what follows off a screen; invisible characters between do not break the run.
_BLANK: Final = r" \t\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_BLANK_LINE: Final = r"[ \t\r\u200b-\u200f\u2060\ufeff]{0,80}+"
# Begins with one class for both, so that `re` leaps from one such character to the next.
_BLANK_RUN: Final = re.compile(
    rf"[\n{_BLANK}](?:(?<=\n){_BLANK_LINE}(?:\n{_BLANK_LINE}){{19,}}+|(?<!\n)[{_BLANK}]{{199,}}+)"
)
MIN_REPEATS: Final = 10
"""Of one word in a row; people who are glad write "ha" six times."""
_REPEATED_WORD: Final = re.compile(rf"(?i)\b([^\W\d_]{{2,20}})\b(?:[\s,.;:!-]{{1,3}}\1\b){{{MIN_REPEATS - 1},}}")
_OVERLAY: Final = re.compile(r"\w[\u0334-\u0338\u20d2\u20d3\u20e5]")
_MARKS: Final = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_ANY_MARK: Final = re.compile(_MARKS)
_MANY_MARKS: Final = re.compile(rf"{_MARKS}{{6,}}")
# No language puts two marks on each of three letters in a row; Vietnamese has them on one of a syllable.
_MARKED_LETTERS: Final = re.compile(r"\w[\u0300-\u036f]{2,}+\w[\u0300-\u036f]{2,}+\w[\u0300-\u036f]{2,}+")
_DIRECTIONS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DIRECTION_MARKS: Final = re.compile("[\u200e\u200f\u061c]")
_FLAG: Final = "\U0001f3f4"


@dataclass(frozen=True, slots=True)
class Mark:
    """One place of one character rule; `decoded` is what the hidden characters say."""

    rule_id: str
    start: int
    end: int
    decoded: str = ""
    view: str = "raw"


def marks(text: str) -> list[Mark]:
    """Every place in the raw text, at most `MAX_SPANS` for a rule."""
    found: list[Mark] = []
    if not text.isprintable():
        found += _capped(_controls(text))
        found += _capped(_blanks(text))
    elif len(text) >= 200:
        found += _capped(_blanks(text))
    if _has_repeats(text):
        found += _capped(_repeats(text))
    if not is_narrow(text):
        if ignorable().search(text):
            found += _capped(_invisible(text))
        found += _capped(_overlays(text))
        found += _capped(_mixed_words(text))
    return found


def _capped(places: Iterator[Mark]) -> list[Mark]:
    counts: dict[str, int] = {}
    kept = []
    for place in places:
        counts[place.rule_id] = counts.get(place.rule_id, 0) + 1
        if counts[place.rule_id] <= MAX_SPANS:
            kept.append(place)
        elif counts[place.rule_id] > 4 * MAX_SPANS and len(counts) == 1:
            break
    return kept


def _controls(text: str) -> Iterator[Mark]:
    for found in _CONTROL.finditer(text):
        rule_id = "terminal_escape" if found[0][0] in "\x1b\x9b\x90\x9d" else "control_character"
        yield Mark(rule_id, found.start(), found.end())


def _blanks(text: str) -> Iterator[Mark]:
    for found in _BLANK_RUN.finditer(text):
        yield Mark("blank_padding", found.start(), found.end())


def _has_repeats(text: str) -> bool:
    words = text.lower().split()
    # Which words equal the one before, as bytes: a search for equal ones by pattern costs ten times as much.
    return len(words) >= MIN_REPEATS and b"\1" * (MIN_REPEATS - 1) in bytes(map(eq, words, words[1:]))


def _repeats(text: str) -> Iterator[Mark]:
    for found in _REPEATED_WORD.finditer(text):
        yield Mark("repeated_word", found.start(), found.end())


@cache
def _run() -> re.Pattern[str]:
    """A well-formed emoji sequence or flag (group 1), or one run of characters without shape (group 2)."""
    pictograph = f"[{char_class('pictograph')}]"
    element = rf"(?:{pictograph}[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?\ufe0f?)"
    flag = rf"{_FLAG}[\U000e0061-\U000e007a\U000e0030-\U000e0039]{{2,6}}\U000e007f"
    keycap = r"[0-9#*]\ufe0f\u20e3?"
    return re.compile(
        rf"({flag}|{element}(?:\u200d{element}){{1,9}}|{pictograph}[\ufe0e\ufe0f]|{keycap})"
        rf"|([{char_class('ignorable')}]+)"
    )


@cache
def _shapeless() -> re.Pattern[str]:
    return re.compile(f"[{char_class('ignorable')}]")


_GAP: Final = re.compile(r"[ \n]")


def _shapeless_runs(text: str) -> Iterator[re.Match[str]]:
    """The matches of `_run` in the words that hold a character without shape.

    Looked for at every character they took 0.6 s of a million; no emoji sequence holds a blank or a newline.
    """
    done = 0
    for found in _shapeless().finditer(text):
        at = found.start()
        if at < done:
            continue
        start = max(text.rfind(" ", done, at), text.rfind("\n", done, at), done - 1) + 1
        gap = _GAP.search(text, at)
        done = gap.start() if gap else len(text)
        yield from _run().finditer(text, start, done)


@cache
def _joins() -> re.Pattern[str]:
    return re.compile(f"[{char_class('joining')}]")


@cache
def _right_to_left() -> re.Pattern[str]:
    return re.compile(f"[{char_class('right_to_left')}]")


@cache
def _unspaced() -> re.Pattern[str]:
    """Thai, Lao, Myanmar and Khmer letters: a zero-width space between them is a word break."""
    return re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


@cache
def _mongolian() -> re.Pattern[str]:
    return re.compile(r"[\u1820-\u18aa]")


@cache
def _han() -> re.Pattern[str]:
    """Han, Mongolian and Myanmar letters: a variation selector after one picks a form of it."""
    return re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1800-\u18aa\u1000-\u109f]")


def _invisible(text: str) -> Iterator[Mark]:
    is_rtl: bool | None = None
    for found in _shapeless_runs(text):
        run = found[2]
        if run is None:
            continue
        start, end = found.span()
        if len(run) == 1 and run in "\u200c\u200d" and _beside(_joins(), text, start, end):
            continue
        # Mongolian letters have variants, and a vowel separator before the last one.
        if len(run) == 1 and "\u180b" <= run <= "\u180f" and _beside(_mongolian(), text, start, end):
            continue
        if len(run) == 1 and run in "\u200e\u200f\u061c\u2066\u2067\u2068\u2069":
            if is_rtl is None:
                is_rtl = bool(_right_to_left().search(_DIRECTION_MARKS.sub("", text)))
            if is_rtl and _is_plain_isolate(text, start):
                continue
        yield from _judged(text, run, start, end)


def _beside(letters: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return bool((start and letters.match(text, start - 1)) or letters.match(text, end))


def _is_plain_isolate(text: str, start: int) -> bool:
    """True for a direction mark, and for an isolate that is closed on its own line."""
    char = text[start]
    if char in "\u200e\u200f\u061c":
        return True
    if char == "\u2069":
        line = text[max(0, start - 200) : start].rpartition("\n")[2]
        return any(opener in line for opener in "\u2066\u2067\u2068")
    return "\u2069" in text[start : start + 200].partition("\n")[0]


def _judged(text: str, run: str, start: int, end: int) -> Iterator[Mark]:
    """The rule that a run of characters without shape falls under."""
    kinds = set(run)
    if any("\U000e0000" <= char <= "\U000e007f" for char in kinds):
        yield Mark("tag_characters", start, end, _tag_text(run))
    elif any("\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" for char in kinds):
        if not _is_style(text, run, start):
            yield Mark("variation_selectors", start, end, _selector_text(run))
    elif not kinds.isdisjoint(_DIRECTIONS):
        yield Mark("bidi_control", start, end)
    elif run == "\ufeff" and start == 0:
        return
    elif kinds <= {"\u00ad"}:
        yield Mark("soft_hyphen", start, end)
    elif len(run) >= 4:
        yield Mark("zero_width_run", start, end, _bit_text(run))
    elif kinds <= {"\u200b"}:
        if not _beside(_unspaced(), text, start, end):
            yield Mark("zero_width_space", start, end)
    else:
        yield Mark("invisible_character", start, end)


def _is_style(text: str, run: str, start: int) -> bool:
    """True when one selector styles the character before it: an emoji, a Han ideograph, a mathematical sign."""
    if len(run) != 1 or not start:
        return False
    before = text[start - 1]
    if run in "\ufe0e\ufe0f":
        return not before.isalpha() and not before.isspace() and not ("\ufe00" <= before <= "\ufe0f")
    return bool(_han().match(before)) or (run == "\ufe00" and not before.isalnum() and not before.isspace())


def _printable(codes: Iterator[int]) -> str:
    text = bytes(code for code in codes if 0 <= code < 256).decode("utf-8", "replace")
    return text[:MAX_DECODED_CHARS]


def _tag_text(run: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for char in run[:MAX_DECODED_CHARS] if "\U000e0020" <= char <= "\U000e007e")


def _selector_text(run: str) -> str:
    """Selectors as the bytes 0–255, the usual smuggling code."""
    codes = [ord(char) for char in run[:MAX_DECODED_CHARS]]
    return _printable(code - 0xFE00 if code < 0xE0000 else code - 0xE0100 + 16 for code in codes)


def _bit_text(run: str) -> str:
    """Two kinds of zero-width characters as bits, eight to a byte; "" when that gives no text."""
    kinds = sorted(set(run))
    if len(kinds) != 2 or len(run) < 16:
        return ""
    for zero in (0, 1):
        bits = "".join("0" if char == kinds[zero] else "1" for char in run[: 8 * MAX_DECODED_CHARS])
        data = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))
        if data.isascii() and data.decode("ascii").isprintable():
            return data.decode("ascii")
    return ""


def _overlays(text: str) -> Iterator[Mark]:
    # One search in most texts, where the three below would find nothing.
    if not _ANY_MARK.search(text):
        return
    places = []
    for found in _OVERLAY.finditer(text):
        places.append(found.span())
        if len(places) == 3:
            yield Mark("struck_letters", places[0][0], found.end())
            break
    for found in (*_MANY_MARKS.finditer(text), *_MARKED_LETTERS.finditer(text)):
        yield Mark("stacked_marks", found.start(), found.end())


_MIXED: Final = re.compile(r"[A-Za-z][^\W_\x00-\u02af]|[^\W_\x00-\u02af][A-Za-z]")
# "PRов": an ending put to a Latin stem, in a text that has words of the other script.
_LATIN_STEM: Final = re.compile(r"[A-Za-z0-9]{2,}[^\W_A-Za-z]{1,4}")
_OTHER_WORD: Final = re.compile(r"(?<![^\W_])[\u0370-\u04ff]{3,}(?![^\W_])")
_WORD: Final = re.compile(r"[^\W_]{2,40}")


def _mixed_words(text: str) -> Iterator[Mark]:
    """Words of ASCII letters and of letters of another script that only look like ASCII ones."""
    if look_alike_chars().isdisjoint(text) or not _MIXED.search(text):
        return
    for found in _WORD.finditer(text):
        word = found[0]
        if len(word) < 4 or word.isascii() or not _MIXED.search(word) or fold(word).isascii():
            continue
        shown = word.translate(look_alike_table())
        if shown.isascii() and not (_LATIN_STEM.fullmatch(word) and _OTHER_WORD.search(text)):
            yield Mark("mixed_script_word", found.start(), found.end(), shown)
