"""The words that a match of a pattern can begin with, worked out from the pattern, so that a dictionary can say
whether a text is worth searching. Nothing is matched here; a pattern that can begin with no word is left to RE2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_WORDS: Final = 600
MIN_WORD_CHARS: Final = 2
STEM_CHARS: Final = 3
"""A word that may go on is looked up by this many letters."""

Start = tuple[str, bool]
"""A first word in lower case; True when it may go on with more letters."""

COMMON: Final = frozenset(
    re.findall(
        r"\w+",
        "the a an in on at to of is are it as by be do don not no any all your this that these with from and or "
        "for if when you my our its has have must should so",
    )
)
"""Words of every text: the word after them says more."""

_TOKEN: Final = re.compile(
    r"\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[a-z]+\)|\(\?:|[()|]|\{\d+(?:,\d*)?\}|.", re.DOTALL
)
_LETTER: Final = re.compile(r"[A-Za-z0-9]")
_FEW_LETTERS: Final = re.compile(r"\[[A-Za-z]{1,4}\]")
_SIGN: Final = re.compile(r"\\[sWb\W]|[^\w\\\[.]|\[\\s_-\]")
_OPENERS: Final = ("(", "(?:")
_EDGE: Final = r"(?:^|[^\w-])"


def tokens_of(pattern: str) -> list[str]:
    """The pattern's signs: literals, escapes, classes, brackets and quantifiers."""
    return _TOKEN.findall(pattern)


def alternatives(tokens: list[str]) -> Iterator[list[str]]:
    """The tokens of each alternative on the outermost level."""
    depth = 0
    taken: list[str] = []
    for token in tokens:
        depth += (token in _OPENERS) - (token == ")")
        if token == "|" and depth == 0:
            yield taken
            taken = []
        else:
            taken.append(token)
    yield taken


def first_words(pattern: str) -> frozenset[Start] | None:
    """Words of which every match holds one, its first that is not common; None when a match may hold none."""
    going, done = _choose(tokens_of(pattern.removeprefix("(?i)").removeprefix(_EDGE)), {""})
    done |= {(text, False) for text in going}
    if len(done) > MAX_WORDS:
        return None
    starts = {_last_word(text.lower(), is_open) for text, is_open in done}
    return frozenset(starts) if all(len(text) >= MIN_WORD_CHARS for text, _ in starts) else None


def _last_word(text: str, is_open: bool) -> Start:
    """The word that the text ends in, or the common one before it when that is too short to be looked up."""
    before, _, last = text.rpartition(" ")
    if len(last) >= (STEM_CHARS if is_open else MIN_WORD_CHARS):
        return last, is_open
    return before.rpartition(" ")[2], False


def _choose(tokens: list[str], texts: set[str]) -> tuple[set[str], set[Start]]:
    going: set[str] = set()
    done: set[Start] = set()
    for choice in alternatives(tokens):
        more, ended = _follow(choice, texts)
        going |= more
        done |= ended
    return going, done


def _follow(tokens: list[str], texts: set[str]) -> tuple[set[str], set[Start]]:
    """How the texts go on through the tokens: those whose word has not ended yet, and the words that have."""
    done: set[Start] = set()
    position = 0
    while position < len(tokens) and texts and len(texts) + len(done) <= MAX_WORDS:
        end = _end_of_item(tokens, position)
        more, ended = _step(tokens[position:end], texts)
        done |= ended
        quantifier = tokens[end] if end < len(tokens) and _is_quantifier(tokens[end]) else ""
        position = end + bool(quantifier)
        if quantifier == "+" and _is_blank(tokens[position - 2]):
            quantifier = ""
        if quantifier and quantifier != "?":
            done |= {(text, True) for text in more}
            more = set()
        texts = texts | more if quantifier[:2] in ("?", "*", "{0") else more
    return texts, done


def _is_blank(token: str) -> bool:
    return token in (" ", r"\s", r"[\s_-]", r"[\s-]")


def _is_quantifier(token: str) -> bool:
    return token in ("?", "*", "+") or (token[0] == "{" and len(token) > 1)


def _end_of_item(tokens: list[str], position: int) -> int:
    depth = 0
    while True:
        depth += (tokens[position] in _OPENERS) - (tokens[position] == ")")
        position += 1
        if not depth:
            return position


def _step(item: list[str], texts: set[str]) -> tuple[set[str], set[Start]]:
    token = item[0]
    if token in _OPENERS:
        return _choose(item[1:-1], texts)
    if _LETTER.fullmatch(token):
        return {text + token for text in texts}, set()
    if _FEW_LETTERS.fullmatch(token):
        return {text + letter for text in texts for letter in token[1:-1]}, set()
    if token in (r"\b", "^"):
        return {text for text in texts if not text}, {(text, False) for text in texts if text}
    passed = {text for text in texts if _is_blank(token) and text.rpartition(" ")[2].lower() in COMMON}
    return {text + " " for text in passed}, {(text, not _SIGN.fullmatch(token)) for text in texts - passed}
