"""Slips of the pen in the words that orders are made of: a reader takes "preivous" for "previous", and so does a model.

Knows three slips, each of one letter: two that changed places, one left out, one doubled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

_WORDS: Final = re.findall(
    r"\w+",
    "ignore ignored disregard forget override overrule bypass previous earlier preceding instruction instructions "
    "guidelines directives restrictions limitations system prompt developer operator safety password passwords secret "
    "secrets credential credentials private without approval permission confirmation confirm asking telling execute "
    "command commands script upload forward transmit reveal conceal mention delete approve always never disable "
    "security policy unrestricted",
)
_OTHER_WORDS: Final = frozenset({"forge", "revel", "secrete", "scrip"})
"""What a slip would make, and what is a word or a name of its own."""
WORD: Final = re.compile(r"[A-Za-z]+")


def _slips(word: str) -> Iterator[str]:
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    for at in range(len(word)):
        yield word[:at] + word[at] + word[at:]


@cache
def slips() -> dict[bytes, str]:
    """The right word by each of its slips, in lower case."""
    known = {*_WORDS, *_OTHER_WORDS}
    return {slip.encode(): word for word in _WORDS for slip in _slips(word) if slip not in known}


def has_slips(words: Collection[bytes]) -> bool:
    """True when one of the words, in lower case, is a slip."""
    return not slips().keys().isdisjoint(words)


def corrected(word: re.Match[str]) -> str:
    """What a match of `WORD` was meant to be: the word itself, or the one it is a slip of, in lower case."""
    return slips().get(word[0].lower().encode(), word[0])
