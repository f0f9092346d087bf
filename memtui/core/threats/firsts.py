"""The words that a match of a pattern can begin with, and those that have to follow, worked out from the pattern, so
that a dictionary can say whether a text is worth searching. Nothing is matched here; a pattern that can begin with no
word is left to RE2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
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
    # A run of letters is one token, but for the letter that a quantifier stands behind.
    r"[A-Za-z0-9]{2,}(?![?*+{A-Za-z0-9])|[A-Za-z0-9]+(?=[A-Za-z0-9][?*+{])|\\x\{[^}]*\}|\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[a-z]+\)|\(\?:|[()|]|\{\d+(?:,\d*)?\}|.",
    re.DOTALL,
)
_LETTERS: Final = re.compile(r"[A-Za-z0-9]+")
_FEW_LETTERS: Final = re.compile(r"\[[A-Za-z]{1,4}\]")
_SIGN: Final = re.compile(r"\\[sWbnrt\W]|[^\w\\\[.]|_|\[\\s_-\]")
_NO_WORD: Final = re.compile(
    # Also a class that takes no letter and no digit: it leaves out all of them, or lists signs without a range.
    rf"{_SIGN.pattern}|\[\^\\w[^\]]*\]|\[(?:\\[sW.]|[^\w\\\]^-])+-?\]"
)
# A letter outside ASCII, or a vowel sign that stands between such.
_WIDE_LETTER: Final = re.compile(r"[^\W\x00-\x7f]|[\u0300-\u1fff]")
# Signs that few notes hold: a literal one, or a class of nothing else.
_RARE_SIGNS: Final = re.compile(r"\\?[$@=<>#!&~%`§\"]|\\[(){}\[\]|+*\\^n]|\[(?:\\?[$@=<>#!&~%`({|+*]|\\\[)+\]")
_WEAK_SIGNS: Final = re.compile(r"[:]|\[[:=]+\]")
_OPENERS: Final = ("(", "(?:")


def tokens_of(pattern: str) -> list[str]:
    """The pattern's signs: runs of letters, other literals, escapes, classes, brackets and quantifiers."""
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


@cache
def word_sets(pattern: str, *, at_edge: bool) -> tuple[frozenset[Start], ...]:
    """Sets of words and signs of which every match holds one each, the most telling first; () when a match may hold no
    word. `at_edge` says that a match begins where a word does. Remembered, since the readers for all scripts have the
    patterns of those for ASCII.
    """
    tokens = tokens_of(pattern.removeprefix("(?i)"))
    edges = list(_edges(tokens, at_edge))
    found = [starts for edge in edges if (starts := _starts(tokens[edge:], COMMON))]
    # The last word of a pattern is its object, which fewest texts have.
    found.reverse()
    found += [starts for edge in edges[:1] if (starts := _starts(tokens[edge:], frozenset()))]
    if not found:
        return ()
    found.sort(key=lambda words: any(word in COMMON for word, _ in words))
    rare, weak = ([_closed(signs) for signs in signs_of(tokens, kind)] for kind in (_RARE_SIGNS, _WEAK_SIGNS))
    sets = dict.fromkeys((*rare, *found, *weak))
    # A set that holds all words of another asks for nothing more than that.
    return tuple(words for words in sets if not any(other < words for other in sets))


def _closed(signs: frozenset[str]) -> frozenset[Start]:
    return frozenset((sign, False) for sign in signs)


def signs_of(tokens: list[str], kind: re.Pattern[str] = _RARE_SIGNS) -> list[frozenset[str]]:
    """Sets of signs of one kind of which every match holds one each; two hyphens count as a rare one."""
    found: list[frozenset[str]] = []
    position = 0
    while position < len(tokens):
        token, end = tokens[position], _end_of_item(tokens, position)
        quantifier = tokens[end] if end < len(tokens) and _is_quantifier(tokens[end]) else ""
        if quantifier[:2] not in ("?", "*", "{0"):
            if token in _OPENERS:
                choices = [signs_of(choice, kind) for choice in alternatives(tokens[position + 1 : end - 1])]
                found += [frozenset[str]().union(*(signs[0] for signs in choices))] if all(choices) else []
            elif kind.fullmatch(token):
                found.append(_signs_in(token))
            elif kind is _RARE_SIGNS and tokens[position : position + 2] == ["-", "-"]:
                found += [frozenset({"--"})] if not _may_miss(tokens, position + 2) else []
        position = end + bool(quantifier)
    return found


def _signs_in(token: str) -> frozenset[str]:
    if token == r"\n":
        return frozenset("\n")
    return frozenset(token[1:-1].replace("\\", "") if token[0] == "[" else token[-1])


def _may_miss(tokens: list[str], position: int) -> bool:
    """True when what stands before the position may be left out."""
    return position < len(tokens) and tokens[position][:2] in ("?", "*", "{0")


def literals_of(tokens: list[str]) -> frozenset[str]:
    """Texts outside ASCII of which every match holds one, the longest such; none when a match may hold none."""
    if "".join(tokens).isascii():
        return frozenset()
    found: list[frozenset[str]] = []
    text = ""
    position = 0
    while position < len(tokens):
        end = _end_of_item(tokens, position)
        is_sure = end == len(tokens) or not _is_quantifier(tokens[end])
        if is_sure and _WIDE_LETTER.fullmatch(tokens[position]):
            text += tokens[position]
        elif text:
            found.append(frozenset({text}))
            text = ""
        if is_sure and tokens[position] in _OPENERS:
            choices = [literals_of(choice) for choice in alternatives(tokens[position + 1 : end - 1])]
            found += [frozenset[str]().union(*choices)] if all(choices) else []
        position = end if is_sure else end + 1
    found += [frozenset({text})] if text else []
    return max(found, key=lambda texts: min(map(len, texts)), default=frozenset())


def _starts(tokens: list[str], common: frozenset[str]) -> frozenset[Start] | None:
    """Words of which every match holds one, its first that is not common; None when a match may hold none."""
    going, done = _choose(tokens, {""}, common)
    done |= {(text, True) for text in going}
    if len(done) > MAX_WORDS:
        return None
    starts = {_last_word(text.lower(), is_open) for text, is_open in done}
    return frozenset(starts) if all(len(text) >= MIN_WORD_CHARS for text, _ in starts) else None


def _edges(tokens: list[str], is_edge: bool) -> Iterator[int]:
    """The positions at which a word begins at its edge, whatever the match."""
    position = 0
    while position < len(tokens):
        if is_edge and (tokens[position] in _OPENERS or not _NO_WORD.fullmatch(tokens[position])):
            yield position
        position, is_edge = _pass(tokens, position, is_edge)


def _pass(tokens: list[str], position: int, is_edge: bool) -> tuple[int, bool]:
    """The position after the item, and whether a word that stands there is at its beginning, whatever the match."""
    token = tokens[position]
    end = _end_of_item(tokens, position) if token in _OPENERS else position + 1
    quantifier = tokens[end] if end < len(tokens) and _is_quantifier(tokens[end]) else ""
    if token in _OPENERS:
        starts_at_edge = is_edge and quantifier in ("", "?")
        ends_at_edge = all(
            _ends_at_edge(choice, starts_at_edge) for choice in alternatives(tokens[position + 1 : end - 1])
        )
    else:
        # A quantifier here makes the one before it lazy.
        ends_at_edge = not _LETTERS.fullmatch(token) and not _is_quantifier(token) and bool(_NO_WORD.fullmatch(token))
    may_miss = quantifier[:2] in ("?", "*", "{0")
    return end + bool(quantifier), ends_at_edge and (is_edge or not may_miss)


def _ends_at_edge(tokens: list[str], is_edge: bool) -> bool:
    position = 0
    while position < len(tokens):
        position, is_edge = _pass(tokens, position, is_edge)
    return is_edge


def _last_word(text: str, is_open: bool) -> Start:
    """The word that the text ends in, or the common one before it when that is too short to be looked up."""
    before, _, last = text.rpartition(" ")
    if len(last) >= (STEM_CHARS if is_open else MIN_WORD_CHARS):
        return last, is_open
    return before.rpartition(" ")[2], False


def _choose(tokens: list[str], texts: set[str], common: frozenset[str]) -> tuple[set[str], set[Start]]:
    going: set[str] = set()
    done: set[Start] = set()
    for choice in alternatives(tokens):
        more, ended = _follow(choice, texts, common)
        going |= more
        done |= ended
    return going, done


def _follow(tokens: list[str], texts: set[str], common: frozenset[str]) -> tuple[set[str], set[Start]]:
    """How the texts go on through the tokens: those whose word has not ended yet, and the words that have."""
    done: set[Start] = set()
    position = 0
    while position < len(tokens) and texts and len(texts) + len(done) <= MAX_WORDS:
        end = _end_of_item(tokens, position)
        more, ended = _step(tokens[position:end], texts, common)
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


def _step(item: list[str], texts: set[str], common: frozenset[str]) -> tuple[set[str], set[Start]]:
    token = item[0]
    if token in _OPENERS:
        return _choose(item[1:-1], texts, common)
    if _LETTERS.fullmatch(token):
        return {text + token for text in texts}, set()
    if _FEW_LETTERS.fullmatch(token):
        return {text + letter for text in texts for letter in token[1:-1]}, set()
    if token in (r"\b", "^"):
        return {text for text in texts if not text}, {(text, False) for text in texts if text}
    passed = {text for text in texts if _is_blank(token) and text.rpartition(" ")[2].lower() in common}
    return {text + " " for text in passed}, {(text, not _SIGN.fullmatch(token)) for text in texts - passed}
