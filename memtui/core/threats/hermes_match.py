"""Matches Hermes' rules against folded text: one RE2 `Set` names candidates, each is then confirmed exactly.

In the Set every filler and gap is unbounded, which keeps it small and linear (exact gaps in a Set took 23 s
on random rule words); the bounds are checked here, rule by rule. No other engine ever reads the text. Imports
that cost milliseconds (re2, tomllib, importlib.resources) wait for the first scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

HERMES_VERSIONS: Final = ("0.19", "later")

_SPACE: Final = r"\s+"
_NO_LETTER: Final = "{no letter}"
_LETTERS: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_BLANKS: Final = b" \n"
_SET_MEMORY_BYTES: Final = 32 << 20


def _options() -> Any:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _SET_MEMORY_BYTES
    return options


@cache
def _compile(pattern: str) -> Any:
    import re2

    return re2.compile(pattern.encode("ascii"), _options())


def _with_fillers(pattern: str, bounded: bool) -> str:
    """The pattern with each `{8 words}` written out: up to so many words, or any number of them."""
    times = r"{0,\1}" if bounded else "*"
    return re.sub(r"\{(\d+) words\}", rf"(?:\\w+\\s+){times}", pattern)


@dataclass(frozen=True, slots=True)
class _Place:
    """One occurrence of a piece: it may start and end anywhere in the white space at its ends."""

    first_start: int
    last_start: int
    first_end: int
    last_end: int
    origin: int
    """Where the chain of pieces that leads here starts."""


@dataclass(frozen=True, slots=True)
class HermesRule:
    """One rule of one release."""

    id: str
    pieces: tuple[str, ...]
    gap_chars: int = 0
    gap_stop: str = "\n"

    @property
    def loose_pattern(self) -> str:
        """RE2 pattern that matches whenever the rule does, and sometimes when it does not."""
        gap = f"[^{self.gap_stop}]*"
        return _with_fillers(gap.join(piece.replace(_NO_LETTER, "") for piece in self.pieces), bounded=False)

    @property
    def is_loose(self) -> bool:
        """True when a hit of the loose pattern has to be confirmed."""
        return len(self.pieces) > 1 or " words}" in self.pieces[0]

    def spans(self, folded: bytes) -> Iterator[tuple[int, int]]:
        """Where the rule matches in the folded text, the first first."""
        if len(self.pieces) > 1:
            yield from self._chains(folded)
        else:
            exact = _compile(_with_fillers(self.pieces[0], bounded=True))
            yield from (match.span() for match in exact.finditer(folded))

    def _chains(self, folded: bytes) -> Iterator[tuple[int, int]]:
        places = list(_places(self.pieces[0], folded))
        for piece in self.pieces[1:]:
            if not places:
                return
            places = list(self._reached(places, _places(piece, folded), folded))
        yield from ((place.origin, place.last_end) for place in places)

    def _reached(self, before: list[_Place], after: Iterator[_Place], folded: bytes) -> Iterator[_Place]:
        """The places of `after` that lie within one gap of a place of `before`: the nearest one decides."""
        nearest = 0
        stop = self.gap_stop.encode("ascii")
        for place in after:
            while nearest + 1 < len(before) and before[nearest + 1].first_end <= place.last_start:
                nearest += 1
            previous = before[nearest]
            if previous.first_end > place.last_start:
                continue
            gap_start = min(previous.last_end, place.last_start)
            gap_end = max(gap_start, place.first_start)
            if gap_end - gap_start <= self.gap_chars and folded.find(stop, gap_start, gap_end) < 0:
                yield _Place(
                    place.first_start, place.last_start, place.first_end, place.last_end, previous.origin
                )


def _places(piece: str, folded: bytes) -> Iterator[_Place]:
    """Every place where the piece stands, overlapping ones included, in order of their starts."""
    no_letter = piece.startswith(_NO_LETTER)
    core = piece.replace(_NO_LETTER, "")
    leads = core.startswith(_SPACE)
    pattern = _compile(core.removeprefix(_SPACE) if leads else core)
    seen = 0
    while (match := pattern.search(folded, seen)) is not None:
        start, end = match.span()
        leading = _trailing_blanks(folded[seen:start]) if leads else 0
        trailing = _trailing_blanks(match.group()) if core.endswith(_SPACE) else 0
        is_apart = not no_letter or not (_is_letter(folded, start - 1) or _is_letter(folded, end))
        if is_apart and (leading or not leads):
            yield _Place(
                start - leading, start - min(leading, 1), end - max(trailing - 1, 0), end, start
            )
        seen = start + 1


def _trailing_blanks(folded: bytes) -> int:
    return len(folded) - len(folded.rstrip(_BLANKS))


def _is_letter(folded: bytes, index: int) -> bool:
    return 0 <= index < len(folded) and folded[index] in _LETTERS


class HermesRules:
    """The rules of one release, compiled when first used."""

    def __init__(self, rules: tuple[HermesRule, ...]) -> None:
        self.rules = rules

    @cached_property
    def _set(self) -> Any:
        import re2

        compiled = re2.Set.SearchSet(_options())
        for rule in self.rules:
            compiled.Add(rule.loose_pattern.encode("ascii"))
        compiled.Add(b"")  # always matches: its absence tells "out of memory" from "nothing found"
        compiled.Compile()
        return compiled

    def matching(self, folded: bytes) -> tuple[HermesRule, ...]:
        """The rules that the folded text meets, in rule order."""
        found = self._set.Match(folded) or []
        if len(self.rules) not in found:
            return tuple(rule for rule in self.rules if next(rule.spans(folded), None))
        candidates = [self.rules[index] for index in sorted(found) if index < len(self.rules)]
        return tuple(rule for rule in candidates if not rule.is_loose or next(rule.spans(folded), None))


@cache
def hermes_rules(version: str) -> HermesRules:
    """The rules of a release, read once from the data file beside this module.

    Raises:
        ValueError: the version is not one of `HERMES_VERSIONS`.
    """
    if version not in HERMES_VERSIONS:
        raise ValueError(f"Hermes rules {version!r} are unknown; known are {', '.join(HERMES_VERSIONS)}.")
    import tomllib
    from importlib import resources

    with resources.files(__package__).joinpath("hermes_rules.toml").open("rb") as source:
        rows = tomllib.load(source)["rule"]
    return HermesRules(
        tuple(
            HermesRule(row["id"], tuple(row["pieces"]), row.get("gap_chars", 0), row.get("gap_stop", "\n"))
            for row in rows
            if version in row.get("versions", HERMES_VERSIONS)
        )
    )
