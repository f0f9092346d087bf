"""The resolver's screen as one immutable value.

What a draft is and how it changes stands in `core.resolve`; here stands what of it is on screen, and where the
cursor is. It knows no widget, no file and no clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from memtui.core.encodings import BrokenBytes, Guess
from memtui.core.resolve import FILE_NOW, Candidate, Draft

if TYPE_CHECKING:
    from memtui.actions.sources import Source


class Column(StrEnum):
    """One of the three lists; the value is its widget's id."""

    SOURCES = "sources"
    CANDIDATES = "candidates"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source with what may be done with it."""

    source: Source
    is_identical: bool = False
    """True when its bytes stand in the file, or in a newer backup, and it may go."""
    why_kept: str = ""
    """Why it may not be deleted; empty when nothing would be lost without it."""

    @property
    def name(self) -> str:
        """What the store knows it by."""
        return self.source.name

    @property
    def is_backup(self) -> bool:
        """False for the file itself."""
        return self.source.name != FILE_NOW


@dataclass(frozen=True, slots=True)
class Encodings:
    """A source whose bytes are no text: where they break, as what they may be read, as what they are read."""

    broken: BrokenBytes
    guesses: tuple[Guess, ...]
    chosen: str

    @property
    def label(self) -> str:
        """The chosen encoding for a person."""
        return next((guess.label for guess in self.guesses if guess.encoding == self.chosen), self.chosen)


@dataclass(frozen=True, slots=True)
class Cut:
    """One source cut into pieces, as a person may have joined and split them."""

    pieces: tuple[str, ...]
    encodings: Encodings | None = None
    problem: str = ""
    """Why it could not be cut, in words; empty when it could."""


NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})
_AT_THE_TOP: Final[Mapping[Column, int]] = MappingProxyType(dict.fromkeys(Column, 0))


@dataclass(frozen=True, slots=True)
class ResolverState:
    """All that the resolver shows."""

    group: str
    file_name: str
    now_s: float
    """When it was opened: the times of the sources are told against it."""
    draft: Draft | None = None
    begun: tuple[str, ...] = ()
    """What was picked before a person touched anything."""
    reasons: tuple[str, ...] = ()
    """What is the matter with the file, the worst first; empty when nothing is."""
    sources: tuple[SourceRow, ...] = ()
    cuts: Mapping[str, Cut] = field(default_factory=lambda: NOTHING)
    """By source; a source that was not looked at yet has none."""
    marks: Mapping[str, Candidate] = field(default_factory=lambda: NOTHING)
    """By text; a text that was just made has none for a moment."""
    column: Column = Column.CANDIDATES
    positions: Mapping[Column, int] = field(default_factory=lambda: _AT_THE_TOP)
    problem: str = ""
    """The last failure, in words; goes with the next step."""

    @property
    def source(self) -> str:
        """The chosen source."""
        row = self.picked_source
        return row.name if row else FILE_NOW

    @property
    def picked_source(self) -> SourceRow | None:
        """The chosen source's row; None before the sources are known."""
        return self.sources[self.positions[Column.SOURCES]] if self.sources else None

    @property
    def cut(self) -> Cut | None:
        """The chosen source's pieces; None before they are known."""
        return self.cuts.get(self.source)

    @property
    def is_touched(self) -> bool:
        """True when leaving would lose what a person did."""
        return self.draft is not None and self.draft.picked != self.begun

    def rows(self, column: Column) -> Sequence[object]:
        """What a list holds."""
        if column is Column.SOURCES:
            return self.sources
        if column is Column.CANDIDATES:
            return self.cut.pieces if self.cut else ()
        return self.draft.picked if self.draft else ()

    def text_in(self, column: Column) -> str | None:
        """The text under the cursor of a list of texts; None where there is none."""
        rows, at = self.rows(column), self.positions[column]
        text = rows[at] if column is not Column.SOURCES and at < len(rows) else None
        return text if isinstance(text, str) else None

    @property
    def text(self) -> str | None:
        """The text under the cursor; None among the sources."""
        return self.text_in(self.column)

    @property
    def unmarked(self) -> tuple[str, ...]:
        """Texts on screen of which nothing is known yet."""
        shown = (*(self.cut.pieces if self.cut else ()), *(self.draft.picked if self.draft else ()))
        return tuple(dict.fromkeys(text for text in shown if text not in self.marks))
