"""RE2 patterns: from the terms of a word group, from a rule for folded text, and what has to be in a text for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from memtui.core.threats.firsts import Start, alternatives, literals_of, signs_of, tokens_of
from memtui.core.threats.folding import fold_table, is_narrow
from memtui.core.threats.needed import needed_words

MIN_GAP: Final = 3
"""A counted repeat of up to this many items may stand in a set; a longer one ends the head."""

MIN_SIGNS: Final = 2
_NO_SIGN: Final = re.compile(r"\\[A-Za-z]|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|[()^$?*+\\]|\{[\d,]*\}")
_BLANKS: Final = (r"[\s_-]", r"\s", " ")
_ASCII_START: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_STEM: Final = re.compile(r"(?<!\\)(\w|[\u0300-\uffff])\*")
_COUNTED: Final = re.compile(r"\{\d*,?(\d*)\}")


_ANY: Final = r"\\[wS.]|\.|\[\^?\]?(?:\\.|[^\]\\])*\]"
_LEAD: Final = re.compile(rf"^(?:\([^()|]*\)\?|(?:\\b)?(?:(?:{_ANY})\*|(?P<once>{_ANY})\+))")
_STICKY: Final = re.compile(rf"(?:{_ANY})(?:[*+]|\{{\d+,\}})")

EDGE: Final = r"(?:^|[^\w-])"
"""Before an ASCII word. Not `\\b`: the "copy" of "ssh-copy-id" is no verb. The sign is cut off the place again."""


def group_pattern(terms: Iterable[str], *, narrow: bool) -> str:
    """The RE2 pattern of a word group; "" when no term can stand in a narrow text.

    A term is lower case; a blank stands for blanks, underscores or hyphens; a `*` at a word's end for any more
    letters; parentheses, `|`, `?` and classes mean what they mean in RE2. ASCII terms begin and end at word edges;
    others match anywhere, since RE2 knows no word edges outside ASCII. A term that begins with `re:` is a pattern.
    """
    edged: list[str] = []
    free: list[str] = []
    for term in terms:
        folded = fold_pattern(term)
        if narrow and is_wide_pattern(folded):
            continue
        if folded.startswith("re:"):
            free.append(folded[3:])
        elif folded.lstrip("(")[:1] in _ASCII_START:
            edged.append(_term(folded))
        else:
            free.append(_term(folded))
    return "|".join(([f"{EDGE}(?:{'|'.join(edged)})"] if edged else []) + free)


def _term(folded: str) -> str:
    pattern = _STEM.sub(_more_letters, folded).replace(" ?", r"[\s_-]?").replace(" ", r"[\s_-]+")
    last = folded.rstrip(")?")[-1:]
    return pattern + (r"\b" if last and last in _ASCII_START else "")


def _more_letters(stem: re.Match[str]) -> str:
    """What stands for the `*` of a stem; `\\pL` would cost a hundred times the states of these classes."""
    letter = stem[1]
    if letter.isascii():
        return letter + r"\w*"
    # Han, kana and Hangul write on without blanks: more letters would be the next word.
    return letter if "\u1100" <= letter <= "\u11ff" or letter >= "\u2e80" else letter + r"[^\x00-\x7f]*"


def is_wide_pattern(pattern: str) -> bool:
    """True when the pattern holds a character that no narrow text has, other than as one of a class."""
    return not is_narrow(_CLASS.sub("", pattern))


_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")


def narrow_pattern(pattern: str) -> bytes:
    """The pattern for narrow texts, in RE2's Latin-1 mode, whose automata are much smaller; what is outside Latin-1
    stands for a byte that no narrow text has."""
    escaped = _WIDE_ESCAPE.sub(lambda found: rf"\x{min(int(found[1], 16), 0xFF):02x}", pattern)
    return "".join(min(char, "\xff") for char in escaped).encode("latin-1")


_WIDE_ESCAPE: Final = re.compile(r"\\x\{([0-9a-fA-F]{3,})\}")


def fold_pattern(pattern: str) -> str:
    """A pattern as it has to be for folded text: only its letters and marks outside ASCII are folded."""
    if pattern.isascii():
        return pattern
    table = fold_table()
    return "".join(
        table[ord(char)] if not char.isascii() and unicodedata.category(char)[0] in "LM" else char for char in pattern
    )


class Gate(NamedTuple):
    """What has to be in a text for a pattern to match: the words of a group, a literal, or a match of `head`."""

    groups: tuple[tuple[frozenset[Start], ...], ...]
    """For alternatives that ask for the same later words: their first words, then sets of later ones, of each of which
    a text has to hold one. Taken together, the words of all alternatives open nine of ten gates for nothing."""
    literals: frozenset[str]
    """Texts outside ASCII, which may stand anywhere, since nothing tells where words of all scripts begin."""
    heads: tuple[tuple[str, frozenset[str]], ...]
    """Each other alternative up to its first long gap, since gaps multiply the states of a set's automaton, with the
    rare signs of which a text has to hold one; no signs ask for nothing."""
    wordless: str
    """The heads with the alternatives that have literals; their length says how easily the gate opens."""


@cache
def gate(pattern: str) -> Gate:
    """The gate of a pattern, its alternatives taken together; remembered, since the readers of narrow and of all texts
    have most patterns in common."""
    firsts: dict[tuple[frozenset[Start], ...], set[Start]] = {}
    literals: set[str] = set()
    wordless: list[str] = []
    heads: dict[tuple[str, frozenset[str]], None] = {}
    flags = "(?i)" if pattern.startswith("(?i)") else ""
    for prefix, tokens in _alternatives(pattern):
        needed = needed_words("".join(tokens), at_edge=bool(prefix))
        if needed:
            firsts.setdefault(needed[1:], set()).update(needed[0])
            continue
        head = flags + prefix + _lean(_head(tokens) or "".join(tokens))
        wordless.append(head)
        texts = frozenset[str]() if flags else literals_of(tokens)
        literals |= texts
        if not texts:
            heads[head, frozenset(next(iter(signs_of(tokens)), ()))] = None
    groups = tuple((frozenset(starts), *later) for later, starts in firsts.items())
    return Gate(groups, frozenset(literals), tuple(heads), "|".join(wordless))


def asked_patterns(pattern: str) -> Iterator[tuple[str, bool]]:
    """The alternatives whose words a gate asks for, and whether each begins where a word does."""
    return (("".join(tokens), bool(prefix)) for prefix, tokens in _alternatives(pattern))


def _alternatives(pattern: str) -> Iterator[tuple[str, list[str]]]:
    """The alternatives, those inside the edged group one by one, each with the edge it needs."""
    edge = tokens_of(EDGE)
    for choice in alternatives(tokens_of(pattern.removeprefix("(?i)"))):
        if choice[: len(edge)] == edge and choice[len(edge)] == "(?:" and choice[-1] == ")":
            yield from ((EDGE, inner) for inner in alternatives(choice[len(edge) + 1 : -1]))
        else:
            yield "", choice


def _head(tokens: list[str]) -> str:
    """The alternative up to its first long gap after some letters; earlier gaps lose their upper bound."""
    items: list[str] = []
    depth = 0
    for token in tokens:
        if depth:
            items[-1] += token
            depth += (token in ("(", "(?:")) - (token == ")")
        elif token in ("(", "(?:"):
            items.append(token)
            depth = 1
        elif _is_gap(token, items):
            last = items.pop()
            if sum(map(_signs, items)) >= MIN_SIGNS:
                return "".join(items)
            items.append(last + _unbounded(token))
        else:
            items.append(token)
    return "".join(items)


def _lean(head: str) -> str:
    """The head without what it may begin with: a search finds it wherever it stands."""
    lean = _LEAD.sub(lambda found: found["once"] or "", head)
    return lean if lean else head


def is_sticky(head: str) -> bool:
    """True when the head goes on over signs of any number: in a set each such head multiplies the states of all."""
    return bool(_STICKY.search(head))


def _unbounded(quantifier: str) -> str:
    """The quantifier without its upper bound."""
    least = quantifier.strip("{}").split(",")[0]
    return {"*": "*", "0": "*", "+": "+", "1": "+"}.get(least, f"{{{least},}}")


def _signs(item: str) -> int:
    """How many literal signs the item's shortest alternative asks for."""
    return min(len(_NO_SIGN.sub("", choice)) for choice in item.split("|")) if item[:1] != "[" else 0


def _is_gap(token: str, items: list[str]) -> bool:
    if not items or items[-1] in _BLANKS:
        return False
    counted = _COUNTED.fullmatch(token)
    return token in ("*", "+") or bool(counted and (not counted[1] or int(counted[1]) > MIN_GAP))
