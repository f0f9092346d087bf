"""The resolver's screen as one immutable value, and the one function that moves it on.

What a draft is and how it changes stands in `core.resolve`; here stands what of it is on screen, and where the
cursor is. It knows no widget, no file and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})
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
    cuts: Mapping[str, Cut] = field(default_factory=lambda: _NOTHING)
    """By source; a source that was not looked at yet has none."""
    marks: Mapping[str, Candidate] = field(default_factory=lambda: _NOTHING)
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
    marks: Mapping[str, Candidate] = field(default_factory=lambda: _NOTHING)


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


def reduce_resolver(state: ResolverState, event: ResolverEvent) -> ResolverState:
    """The state after an event."""
    step: Callable[[ResolverState, Any], ResolverState] = _STEPS[type(event)]
    return _clamped(step(state, event))


def _draft_opened(state: ResolverState, event: DraftOpened) -> ResolverState:
    fresh, old = event.draft, state.draft
    if old is None:
        picked = fresh.picked
    elif event.keeps_picks:
        known = {*state.cuts[FILE_NOW].pieces, *old.picked}
        picked = (*old.picked, *(text for text in fresh.picked if text not in known))
    else:
        # Read in another encoding: what came from this file reads otherwise now, what came from a copy stays.
        here = frozenset(state.cuts[FILE_NOW].pieces)
        picked = (
            *fresh.picked,
            *(text for text in old.picked if text not in here and text not in fresh.picked),
        )
    begun = picked if old is None or not state.is_touched else fresh.picked
    # Every verdict and mark was beside the bytes that stood before; the other sources are read again when called.
    cuts = {FILE_NOW: Cut(fresh.pieces, event.encodings)}
    return replace(
        state,
        draft=replace(fresh, picked=picked),
        begun=begun,
        reasons=event.reasons,
        cuts=cuts,
        marks=event.marks,
        problem="",
    )


def _sources_judged(state: ResolverState, event: SourcesJudged) -> ResolverState:
    names = [row.name for row in event.sources]
    at = names.index(state.source) if state.source in names else 0
    return replace(state, sources=event.sources, positions={**state.positions, Column.SOURCES: at})


def _source_cut(state: ResolverState, event: SourceCut) -> ResolverState:
    state = replace(state, cuts={**state.cuts, event.source: event.cut}, marks={**state.marks, **event.marks})
    if event.source == state.source and state.draft is not None:
        state = replace(state, draft=state.draft.with_pieces(event.cut.pieces))
    return state


def _texts_marked(state: ResolverState, event: TextsMarked) -> ResolverState:
    return replace(state, marks={**state.marks, **event.marks})


def _draft_changed(state: ResolverState, event: DraftChanged) -> ResolverState:
    cut = state.cut or Cut(())
    cuts = {**state.cuts, state.source: replace(cut, pieces=event.draft.pieces)}
    state = replace(state, draft=event.draft, cuts=cuts, problem="")
    if event.follow is None:
        return state
    positions = dict(state.positions)
    for column, texts in ((Column.CANDIDATES, event.draft.pieces), (Column.RESULT, event.draft.picked)):
        if event.follow in texts:
            positions[column] = texts.index(event.follow)
    return replace(state, positions=positions)


def _cursor_moved(state: ResolverState, event: CursorMoved) -> ResolverState:
    source = state.source
    state = _clamped(
        replace(state, column=event.column, positions={**state.positions, event.column: event.position})
    )
    if state.source == source:
        return state
    pieces = state.cut.pieces if state.cut else ()
    draft = state.draft.with_pieces(pieces) if state.draft else None
    return replace(state, draft=draft, positions={**state.positions, Column.CANDIDATES: 0}, problem="")


def _column_called(state: ResolverState, event: ColumnCalled) -> ResolverState:
    return replace(state, column=event.column)


def _step_failed(state: ResolverState, event: StepFailed) -> ResolverState:
    return replace(state, problem=event.problem)


def _clamped(state: ResolverState) -> ResolverState:
    """The state with every cursor on a row. Which candidates there are depends on the source: it comes first."""
    at = dict(state.positions)
    for column in Column:
        count = len(state.sources) if column is Column.SOURCES else len(state.rows(column))
        at[column] = max(0, min(at[column], count - 1))
        state = replace(state, positions=at)
    return state


_STEPS: Final[dict[type, Callable[[ResolverState, Any], ResolverState]]] = {
    DraftOpened: _draft_opened,
    SourcesJudged: _sources_judged,
    SourceCut: _source_cut,
    TextsMarked: _texts_marked,
    DraftChanged: _draft_changed,
    CursorMoved: _cursor_moved,
    ColumnCalled: _column_called,
    StepFailed: _step_failed,
}
