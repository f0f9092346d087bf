"""RE2 patterns: from the terms of a word group, from a rule for folded text, and the short head that a set looks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from memtui.core.threats.folding import fold_table

MIN_GAP: Final = 3
"""A counted repeat of up to this many items may stand in a set; a longer one ends the head."""

MIN_LETTERS: Final = 3
_NO_LETTER: Final = re.compile(r"\\.|\[[^\]]*\]|\(\?\w*:?|\W")
_BLANKS: Final = (r"[\s_-]", r"\s", " ")
_EDGE: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_MORE_LETTERS: Final = r"[\pL\pN_]*"
_STEM: Final = re.compile(r"(?<=[\w\u0300-\uffff)])\*")
_TOKEN: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])[^\]\\]*(?:\\.[^\]\\]*)*\]|[()|]|\{\d+(?:,\d*)?\}|.", re.DOTALL)
_COUNTED: Final = re.compile(r"\{\d*,?(\d*)\}")


def word_pattern(term: str) -> str:
    """The RE2 pattern of one term of a word group.

    A term is lower case; a blank stands for blanks, underscores or hyphens; a `*` at a word's end for any more
    letters; parentheses, `|`, `?` and classes mean what they mean in RE2. ASCII terms begin and end at word edges;
    others match anywhere, since RE2 knows no word edges outside ASCII. A term that begins with `re:` is a pattern.
    """
    if term.startswith("re:"):
        return fold_pattern(term[3:])
    pattern = _STEM.sub(lambda _: _MORE_LETTERS, fold_pattern(term)).replace(" ", r"[\s_-]+")
    if term.lstrip("(")[:1] in _EDGE:
        pattern = r"\b" + pattern
    last = term.rstrip(")?")[-1:]
    if last and last in _EDGE:
        pattern += r"\b"
    return pattern


def fold_pattern(pattern: str) -> str:
    """A pattern as it has to be for folded text: only its letters and marks outside ASCII are folded."""
    if pattern.isascii():
        return pattern
    table = fold_table()
    return "".join(
        table[ord(char)] if not char.isascii() and unicodedata.category(char)[0] in "LM" else char for char in pattern
    )


def head(pattern: str) -> str:
    """A wider pattern that a match of `pattern` begins with: each alternative up to its first long gap.

    Gaps multiply the states of a set's automaton; without them it stays as small as a word list.
    """
    flags = re.match(r"\(\?[ims]+\)", pattern)
    prefix = flags[0] if flags else ""
    return prefix + "|".join(_head(tokens) or "".join(tokens) for tokens in _alternatives(pattern[len(prefix) :]))


def _alternatives(pattern: str) -> Iterator[list[str]]:
    tokens: list[str] = []
    depth = 0
    for token in _TOKEN.findall(pattern):
        depth += (token == "(") - (token == ")")
        if token == "|" and depth == 0:
            yield tokens
            tokens = []
        else:
            tokens.append(token)
    yield tokens


def _head(tokens: list[str]) -> str:
    """The alternative up to its first long gap after some letters; earlier gaps lose their upper bound."""
    items: list[str] = []
    depth = 0
    for token in tokens:
        if depth:
            items[-1] += token
            depth += (token == "(") - (token == ")")
        elif token == "(":
            items.append(token)
            depth = 1
        elif _is_gap(token, items):
            last = items.pop()
            if sum(map(_letters, items)) >= MIN_LETTERS:
                return "".join(items)
            items.append(last + _unbounded(token))
        else:
            items.append(token)
    return "".join(items)


def _unbounded(quantifier: str) -> str:
    """The quantifier without its upper bound."""
    least = quantifier.strip("{}").split(",")[0]
    return {"*": "*", "0": "*", "+": "+", "1": "+"}.get(least, f"{{{least},}}")


def _letters(item: str) -> int:
    """How many letters the item's shortest alternative asks for."""
    return min(len(_NO_LETTER.sub("", choice)) for choice in item.split("|")) if item[:1] != "[" else 0


def _is_gap(token: str, items: list[str]) -> bool:
    if not items or items[-1] in _BLANKS:
        return False
    counted = _COUNTED.fullmatch(token)
    return token in ("*", "+") or bool(counted and (not counted[1] or int(counted[1]) > MIN_GAP))
