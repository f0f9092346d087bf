"""RE2 patterns: from the terms of a word group, from a rule for folded text, and the short head that a set looks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from memtui.core.threats.folding import fold_table

MIN_GAP: Final = 3
"""A counted repeat of up to this many items may stand in a set; a longer one ends the head."""

MIN_LETTERS: Final = 3
_NO_LETTER: Final = re.compile(r"\\.|\[[^\]]*\]|\(\?\w*:?|\W")
_BLANKS: Final = (r"[\s_-]", r"\s", " ")
_EDGE: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_STEM: Final = re.compile(r"(?<!\\)(\w|[\u0300-\uffff])\*")
_TOKEN: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])[^\]\\]*(?:\\.[^\]\\]*)*\]|[()|]|\{\d+(?:,\d*)?\}|.", re.DOTALL)
_COUNTED: Final = re.compile(r"\{\d*,?(\d*)\}")


def group_pattern(terms: Iterable[str], *, ascii_only: bool) -> str:
    """The RE2 pattern of a word group; "" when no term can stand in an ASCII text.

    A term is lower case; a blank stands for blanks, underscores or hyphens; a `*` at a word's end for any more
    letters; parentheses, `|`, `?` and classes mean what they mean in RE2. ASCII terms begin and end at word edges;
    others match anywhere, since RE2 knows no word edges outside ASCII. A term that begins with `re:` is a pattern.
    """
    edged: list[str] = []
    free: list[str] = []
    for term in terms:
        folded = fold_pattern(term)
        if ascii_only and not folded.isascii() and not term.startswith("re:"):
            continue
        if folded.startswith("re:"):
            free.append(folded[3:])
        elif folded.lstrip("(")[:1] in _EDGE:
            edged.append(_term(folded))
        else:
            free.append(_term(folded))
    # One edge for all of them: a set that holds an edge for each word needs a thousand times as long for new text.
    # Not `\b`: the "copy" of "ssh-copy-id" is no verb. The sign before is cut off the place again.
    return "|".join(([rf"(?:^|[^\w-])(?:{'|'.join(edged)})"] if edged else []) + free)


def _term(folded: str) -> str:
    pattern = _STEM.sub(_more_letters, folded).replace(" ?", r"[\s_-]?").replace(" ", r"[\s_-]+")
    last = folded.rstrip(")?")[-1:]
    return pattern + (r"\b" if last and last in _EDGE else "")


def _more_letters(stem: re.Match[str]) -> str:
    """What stands for the `*` of a stem; `\\pL` would cost a hundred times the states of these classes."""
    letter = stem[1]
    if letter.isascii():
        return letter + r"\w*"
    # Han, kana and Hangul write on without blanks: more letters would be the next word.
    return letter if "\u1100" <= letter <= "\u11ff" or letter >= "\u2e80" else letter + r"[^\x00-\x7f]*"


def ascii_pattern(pattern: str) -> bytes:
    """The pattern for ASCII texts, in RE2's Latin-1 mode, whose automata are much smaller; what is outside ASCII
    stands for a byte that no ASCII text has."""
    narrow = _WIDE_ESCAPE.sub(lambda _: r"\xff", pattern)
    return "".join(char if char.isascii() else "\xff" for char in narrow).encode("latin-1")


_WIDE_ESCAPE: Final = re.compile(r"\\x\{[0-9a-fA-F]{3,}\}")


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
    opening = _OPENING.match(pattern)
    prefix = opening[0] if opening else ""
    rest = pattern[len(prefix) :]
    if prefix.startswith("(?:^"):
        end = _closing(rest)
        words, rest = rest[:end], rest[end:]
        return f"{prefix}{_heads(words)}){'|' if rest[1:] else ''}{_heads(rest[2:]) if rest[1:] else ''}"
    return prefix + _heads(rest)


_OPENING: Final = re.compile(r"\(\?[ims]+\)|\(\?:\^\|\[\^\\w-\]\)\(\?:")


def _closing(rest: str) -> int:
    """Where the group that `rest` is inside of is closed."""
    depth = position = 0
    for token in _TOKEN.findall(rest):
        depth += (token == "(") - (token == ")")
        if depth < 0:
            return position
        position += len(token)
    return position


def _heads(pattern: str) -> str:
    return "|".join(dict.fromkeys(_head(tokens) or "".join(tokens) for tokens in _alternatives(pattern)))


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
