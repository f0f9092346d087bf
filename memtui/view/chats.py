"""The sources of the snapshot as rows to pick from: memtui's predictions, and the agent's real sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memtui.core.visible import clip, preview
from memtui.view.amounts import counted, full_moment_words, moment_words
from memtui.view.lines import Line, Span, Tone
from memtui.view.looks import held_words
from memtui.view.picking import Choice, Choices

if TYPE_CHECKING:
    from memtui.core.held import HeldView
    from memtui.disk.sessions import SessionPrompt

TITLE: Final = "What does the snapshot pane show?"
NO_RECORD: Final = "The agent has recorded no session here: only predictions can be shown."
PREDICTED: Final = 2
"""The first rows are memtui's own predictions; the sessions follow."""
NO_BLOCK: Final = "That session's prompt holds no memory block; the snapshot stays as it is."


@dataclass(frozen=True, slots=True)
class Sources:
    """All that the snapshot can show."""

    sessions: tuple[SessionPrompt, ...]
    """Newest first."""
    problem: str
    """Why there is no session, in words; empty when there is one, or no record of any."""
    frozen_words: str
    """When memtui froze its prediction."""
    shown_id: str
    """The session that is shown now; empty for a prediction."""
    held: Mapping[str, Mapping[str, HeldView]]
    """By session and group: what its prompt holds beside what is on disk."""
    now_s: float


def source_choices(sources: Sources) -> Choices:
    """The rows, the source in use under the cursor."""
    ids = [one.id for one in sources.sessions]
    at = PREDICTED + ids.index(sources.shown_id) if sources.shown_id in ids else 0
    note = sources.problem or ("" if sources.sessions else NO_RECORD)
    rows = (*_predictions(sources), *(_session(one, sources) for one in sources.sessions))
    return Choices(TITLE, rows, at, note)


def _predictions(sources: Sources) -> tuple[Choice, Choice]:
    mark = _mark(not sources.shown_id)
    frozen = Choice(
        (mark, Span("this memtui session (prediction)")),
        (Span(f"frozen {sources.frozen_words}", Tone.DIM),),
        ((Span("What a session would hold that began when memtui did. A running agent may hold older text."),),),
        "this memtui session prediction",
    )
    anew = Choice(
        (Span("  "), Span("a new session now")),
        (Span("n", Tone.KEY),),
        ((Span("Freezes memtui's view anew: what a session that starts now would hold."),),),
        "a new session now",
    )
    return frozen, anew


def _mark(is_shown: bool) -> Span:
    return Span("● " if is_shown else "  ", Tone.GOOD)


def _session(one: SessionPrompt, sources: Sources) -> Choice:
    runs = one.ended_at is None
    held = sum(len(texts) for texts in one.blocks.values())
    label: Line = (
        _mark(one.id == sources.shown_id),
        Span(f"{clip(one.id, 24)}  "),
        Span(f"{clip(one.source, 12)}  ", Tone.DIM),
        Span(preview(one.title, 60)),
    )
    right: Line = (
        Span(f"  {counted(held, 'entry', 'entries')}" if one.blocks else "  no block", Tone.DIM),
        Span(f"  {moment_words(one.started_at, sources.now_s)}"),
        Span("  running" if runs else "  ended  ", Tone.GOOD if runs else Tone.DIM),
    )
    return Choice(label, right, tuple(_page(one, sources)), " ".join((one.id, one.source, one.title, one.model)))


def _page(one: SessionPrompt, sources: Sources) -> list[Line]:
    ended = "it runs, or nobody recorded its end"
    if one.ended_at is not None:
        ended = f"ended {full_moment_words(one.ended_at)}"
    model, began = clip(one.model, 60) or "unknown model", full_moment_words(one.started_at)
    lines: list[Line] = [
        (Span(preview(one.title, 200) or "without a title", Tone.STRONG),),
        (Span(f"{model} · began {began} · {ended}", Tone.DIM),),
    ]
    if one.problem:
        lines.append((Span(f"? {clip(one.problem, 300)}", Tone.WARN),))
    for key, view in sources.held.get(one.id, {}).items():
        lines.append((Span(f"{key:<8}"), Span(_counts(view))))
    return lines


def _counts(view: HeldView) -> str:
    return held_words(row.kind for row in view.rows)
