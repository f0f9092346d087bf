"""The one function that moves the resolver's screen on. Pure: it knows no widget, no file and no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from memtui.core.resolve import FILE_NOW
from memtui.view.cursor import clamped
from memtui.view.resolver import Column, Cut, ResolverState
from memtui.view.resolver_events import (
    ColumnCalled,
    CursorMoved,
    DraftChanged,
    DraftOpened,
    ResolverEvent,
    SourceCut,
    SourcesJudged,
    StepFailed,
    TextsMarked,
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
        replace(
            state, column=event.column, positions={**state.positions, event.column: event.position}, problem=""
        )
    )
    if state.source == source:
        return state
    pieces = state.cut.pieces if state.cut else ()
    draft = state.draft.with_pieces(pieces) if state.draft else None
    return replace(state, draft=draft, positions={**state.positions, Column.CANDIDATES: 0})


def _column_called(state: ResolverState, event: ColumnCalled) -> ResolverState:
    return replace(state, column=event.column, problem="")


def _step_failed(state: ResolverState, event: StepFailed) -> ResolverState:
    return replace(state, problem=event.problem)


def _clamped(state: ResolverState) -> ResolverState:
    """The state with every cursor on a row. Which candidates there are depends on the source: it comes first."""
    at = dict(state.positions)
    for column in Column:
        count = len(state.sources) if column is Column.SOURCES else len(state.rows(column))
        at[column] = clamped(at[column], count)
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
