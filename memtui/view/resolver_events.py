"""What happens on the resolver's screen, in the past tense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.core.resolve import Candidate, Draft
from memtui.view.resolver import NOTHING, Column, Cut, Encodings, SourceRow


@dataclass(frozen=True, slots=True)
class DraftOpened:
    """The file was read and cut, and its suggested pieces picked."""

    draft: Draft
    reasons: tuple[str, ...]
    marks: Mapping[str, Candidate]
    encodings: Encodings | None = None
    keeps_picks: bool = False
    """True when what was picked before stays picked: the file changed underneath."""


@dataclass(frozen=True, slots=True)
class SourcesJudged:
    """The sources were compared with the file."""

    sources: tuple[SourceRow, ...]


@dataclass(frozen=True, slots=True)
class SourceCut:
    """A source was read and cut."""

    source: str
    cut: Cut
    marks: Mapping[str, Candidate] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class TextsMarked:
    """Texts were compared and scanned."""

    marks: Mapping[str, Candidate]


@dataclass(frozen=True, slots=True)
class DraftChanged:
    """A person picked, edited, joined, split or moved something; the cursor follows a text."""

    draft: Draft
    follow: str | None = None


@dataclass(frozen=True, slots=True)
class CursorMoved:
    """Another row of a list was chosen."""

    column: Column
    position: int


@dataclass(frozen=True, slots=True)
class ColumnCalled:
    """Another list was called."""

    column: Column


@dataclass(frozen=True, slots=True)
class StepFailed:
    """Something could not be done; nothing was changed."""

    problem: str


ResolverEvent = (
    DraftOpened
    | SourcesJudged
    | SourceCut
    | TextsMarked
    | DraftChanged
    | CursorMoved
    | ColumnCalled
    | StepFailed
)
