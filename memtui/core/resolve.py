"""The resolver without a screen: a file cut into candidate entries, and the file that a person makes of them.

Everything is a value; each step gives a new draft. Nothing is chosen for good and nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from memtui.core.budget import budget_of
from memtui.core.codec import parse, render
from memtui.core.diff import DiffLine, line_diff
from memtui.core.drift import find_merged
from memtui.core.edit import clean_text
from memtui.core.encodings import PLAIN, decode, guesses
from memtui.core.errors import InvalidArgument
from memtui.core.model import Budget, Document, MemoryFile, Merged, entry_name
from memtui.core.similar import NearIndex
from memtui.core.split import has_headings, split_parts
from memtui.core.threats.finding import Finding, is_blocking

FILE_NOW: Final = "file now"
"""The source of candidates that is no backup."""


class Mark(StrEnum):
    """What a candidate is, the mark that a person should see first standing first."""

    THREAT = "threat"
    TOO_LONG = "too long"
    LIVE = "live"
    HEADING = "heading"
    NEAR = "near-duplicate"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that could be an entry."""

    text: str
    source: str
    """`file now` or the backup's name."""
    mark: Mark
    other: str = ""
    """The text that a near-duplicate resembles, or the live entry inside of which this one stands."""
    detail: str = ""
    """The marks in words. May quote text of others."""
    notes: tuple[Mark, ...] = ()
    """The other marks that hold."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks, the first one first."""
        return (self.mark, *self.notes)


def cut(source: bytes | str, encoding: str = PLAIN, limit_chars: int = 0) -> tuple[str, ...]:
    """The texts of a file as candidate entries: cut at `§`; merged and over-long entries are cut further.

    `encoding`: one that `encodings.guesses` names, for bytes. `limit_chars` 0 means no limit. A further cut
    goes by `§` in wrong places, then by blank lines, headings and list items, step by step until the pieces
    fit. Repeated texts come once. Raises InvalidArgument when the bytes cannot be read in the encoding.
    """
    text = decode(source, encoding) if isinstance(source, bytes) else source
    document = parse(text.encode("utf-8", "replace"))
    return _cut(document, find_merged(document), limit_chars)


def _cut(document: Document, merged: Sequence[Merged], limit_chars: int) -> tuple[str, ...]:
    parts = {one.entry_index: one.parts for one in merged}
    pieces: list[str] = []
    for index, entry in enumerate(document.entries):
        for part in parts.get(index, (entry.text,)):
            pieces += _fitting(part, limit_chars)
    return tuple(dict.fromkeys(pieces))


def _fitting(text: str, limit_chars: int) -> tuple[str, ...]:
    if not limit_chars or len(text) <= limit_chars:
        return (text,)
    parts = split_parts(text)
    if len(parts) < 2:
        return (text,)
    return tuple(piece for part in parts for piece in _fitting(part, limit_chars))


def mark(
    pieces: Sequence[str],
    live: Sequence[str],
    limit_chars: int,
    source: str = FILE_NOW,
    findings: Sequence[Sequence[Finding]] = (),
) -> tuple[Candidate, ...]:
    """Each piece with what can be said of it beside the live texts.

    `findings`: those of every piece, in order; () when they were not scanned.
    """
    lives, own = dict.fromkeys(live), frozenset(pieces)
    # A piece is not compared with the very entry that it was cut out of, nor with the same bytes misread.
    compared = NearIndex([text for text in live if source != FILE_NOW or text in own], pieces)
    marked = []
    for index, text in enumerate(pieces):
        found = tuple(findings[index]) if index < len(findings) else ()
        marked.append(_marked(text, source, lives, compared, limit_chars, found))
        if text not in lives:
            compared.add(text)
    return tuple(marked)


def _marked(
    text: str,
    source: str,
    lives: Collection[str],
    compared: NearIndex,
    limit_chars: int,
    found: tuple[Finding, ...],
) -> Candidate:
    told: dict[Mark, str] = {}
    other = ""
    if is_blocking(found):
        told[Mark.THREAT] = f"rule {found[0].id}: {found[0].why.rstrip('.')}"
    if len(text) > limit_chars:
        told[Mark.TOO_LONG] = f"{len(text):,} characters, more than the whole limit of {limit_chars:,}"
    if text in lives:
        told[Mark.LIVE] = "an entry of the file now"
    elif is_heading(text):
        told[Mark.HEADING] = "a heading with nothing under it"
    elif (near := compared.first(text)) is not None:
        other = near
        told[Mark.NEAR] = f"says nearly the same as #{entry_name(other)}"
    else:
        other = next((whole for whole in lives if text in whole), "")
        told[Mark.NEW] = f"a part of entry #{entry_name(other)} now" if other else "not in the file now"
    first, *notes = sorted(told, key=list(Mark).index)
    return Candidate(text, source, first, other, "; ".join(told[one] for one in (first, *notes)), tuple(notes))


def is_heading(text: str) -> bool:
    """True for Markdown headings with nothing under them."""
    lines = [line for line in text.splitlines() if line.strip()]
    return all(has_headings(line) or not line.strip("=- \t") for line in lines) and has_headings(text)


def suggested(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """The texts to begin with: entries that stand and fit, and new texts that raise no question."""
    return tuple(
        one.text
        for one in candidates
        if one.mark is Mark.NEW or (Mark.LIVE in one.marks and Mark.TOO_LONG not in one.marks)
    )


@dataclass(frozen=True, slots=True)
class Draft:
    """The file as a person is about to make it: the pieces to choose from, and those picked, in order."""

    target: str
    base: Document
    """The file that it was made from: a file with other bytes is not overwritten."""
    limit_chars: int
    before: Document
    """The same file as its bytes read in the chosen encoding; equals `base` for UTF-8."""
    encoding: str = PLAIN
    pieces: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()

    @property
    def budget(self) -> Budget:
        """What the picked texts use of the limit."""
        return budget_of(self.picked, self.limit_chars)

    @property
    def raw_bytes(self) -> bytes:
        """The file as it will be."""
        return self.render(self.picked)

    def render(self, texts: Sequence[str]) -> bytes:
        """A file of these texts, with the line ending and final newline it has now; canonical when all bytes change."""
        if self.encoding != PLAIN:
            return render(texts)
        return render(texts, self.before.newline, self.before.final_newline)

    @property
    def diff(self) -> tuple[DiffLine, ...]:
        """What changes on disk, line by line: bytes that are no UTF-8 stand as `\\xff`, however they are read."""
        return line_diff(_flat(self.base.raw_bytes), _flat(self.raw_bytes))

    @property
    def left_out(self) -> tuple[str, ...]:
        """Pieces that are not picked."""
        return tuple(text for text in self.pieces if text not in self.picked)

    def with_pieces(self, pieces: Sequence[str]) -> Draft:
        """The draft with the pieces of another source to choose from; what is picked stays."""
        return replace(self, pieces=tuple(dict.fromkeys(pieces)))

    def pick(self, *texts: str) -> Draft:
        """The draft with these texts picked as well, at the end."""
        return replace(self, picked=tuple(dict.fromkeys((*self.picked, *texts))))

    def unpick(self, *texts: str) -> Draft:
        """The draft without these texts."""
        return replace(self, picked=tuple(text for text in self.picked if text not in texts))

    def toggle(self, text: str) -> Draft:
        """Picked if it was not, and the other way round."""
        return self.unpick(text) if text in self.picked else self.pick(text)

    def edit(self, text: str, new_text: object) -> Draft:
        """A piece, or a picked text, worded otherwise; picked afterwards as it was before.

        Raises InvalidArgument for what cannot be an entry.
        """
        return self._exchange((text,), (clean_text(new_text, "the entry"),))

    def merge(self, first: str, second: str) -> Draft:
        """Two texts made one, the second below the first; it stands where the first stood.

        Raises InvalidArgument when they are the same text.
        """
        if first == second:
            raise InvalidArgument("Two different entries are needed to make one of them.")
        return self._exchange((first, second), (f"{first}\n{second}",))

    def join(self, index: int) -> Draft:
        """The cut changed: the piece and the one after it become one. Raises InvalidArgument at the last."""
        if not 0 <= index < len(self.pieces) - 1:
            raise InvalidArgument("There is no candidate after this one to join it with.")
        return self.merge(self.pieces[index], self.pieces[index + 1])

    def split(self, index: int) -> Draft:
        """The cut changed: the piece becomes its parts. Raises InvalidArgument when it holds one note."""
        parts = split_parts(self.pieces[index]) if 0 <= index < len(self.pieces) else ()
        if len(parts) < 2:
            raise InvalidArgument("This candidate holds one note only; there is nothing to split.")
        return self._exchange((self.pieces[index],), parts)

    def move(self, text: str, by: int) -> Draft:
        """The picked text so many places further down (up when negative), as far as the ends allow."""
        rest = [one for one in self.picked if one != text]
        if len(rest) == len(self.picked):
            return self
        rest.insert(max(0, self.picked.index(text) + by), text)
        return replace(self, picked=tuple(rest))

    def _exchange(self, old: Sequence[str], new: Sequence[str]) -> Draft:
        """`new` where the first of `old` stands, among pieces and picks; picked when all of `old` were."""
        is_picked = all(text in self.picked for text in old)
        pieces = _put(self.pieces, old, new) if any(text in self.pieces for text in old) else self.pieces
        picked = _put(self.picked, old, new) if is_picked else tuple(t for t in self.picked if t not in old)
        return replace(self, pieces=pieces, picked=picked)


def start_draft(
    file: MemoryFile, encoding: str = "", choose: Callable[[Sequence[str]], Sequence[str]] | None = None
) -> Draft:
    """A draft of the file as it is: its own pieces to choose from, those that `choose` gives picked.

    `encoding`: "" takes UTF-8, or the most plausible guess for bytes that are not. Without `choose` the
    suggested pieces, not scanned for threats, are picked. Raises InvalidArgument for a wrong encoding.
    """
    if not encoding:
        found = guesses(file.raw)
        encoding = found[0].encoding if found else PLAIN
    document, before, merged = file.document, file.document, file.merged
    if encoding != PLAIN:
        before = parse(decode(file.raw, encoding).encode("utf-8", "replace"))
        merged = find_merged(before)
    limit_chars = file.budget.limit_chars
    pieces = _cut(before, merged, limit_chars)
    picked = choose(pieces) if choose else suggested(mark(pieces, document.texts, limit_chars))
    return Draft(file.target, document, limit_chars, before, encoding, pieces, tuple(picked))


def _put(texts: Sequence[str], old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    place = next(at for at, text in enumerate(texts) if text in old)
    return tuple(dict.fromkeys((*texts[:place], *new, *(text for text in texts[place:] if text not in old))))


def _flat(raw_bytes: bytes) -> str:
    return raw_bytes.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
