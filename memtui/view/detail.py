"""The selected entry in full: its text with the flagged stretches, and what is to be said about it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from memtui.core.cells import clusters
from memtui.core.diff import RowKind, word_spans
from memtui.core.threats.finding import Finding, Severity
from memtui.core.visible import clip, visible_spans
from memtui.view.agent_notes import agent_lines, hidden_line
from memtui.view.finding_words import milder_words
from memtui.view.lines import Line, Span, Tone, joined_up
from memtui.view.rows import BLOCKED, DANGEROUS, OUTSIDE, UNSEEN, WARNED, RowView, Side, SnapshotText
from memtui.view.state import GroupLoad, ViewState

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice

MAX_DETAIL_CHARS: Final = 20_000
"""An entry longer than this is shown in part: wrapping a text of 600 kB takes longer than a person waits for a key."""

MAX_SHORT_CHARS: Final = 240
MAX_SHORT_LINES: Final = 4
GONE_TITLE: Final = "Gone from disk"

_SEVERITY_TONES: Final = {Severity.BLOCK: Tone.BAD, Severity.WARN: Tone.WARN, Severity.INFO: Tone.DIM}


@dataclass(frozen=True, slots=True)
class Detail:
    """What the lower box shows."""

    title: str
    paragraphs: tuple[Line, ...] = ()
    """Not yet wrapped; a span may hold line breaks."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of a raw text that is shown in a tone of its own."""

    start: int
    end: int
    tone: Tone


def detail_of(state: ViewState) -> Detail:
    """The selected entry's detail; an empty one when nothing is selected."""
    group, row = state.group, state.picked
    if group is None or group.load is None or row is None:
        return Detail("Entry")
    half = row.half(state.side) or row.live or row.snapshot
    assert half is not None
    side = state.side if row.half(state.side) else (Side.LIVE if row.live else Side.SNAPSHOT)
    text_lines, notes = _text_lines(row, side, group.load), _notes(row, side, group.load)
    return Detail(_title(row, side, group.load), arranged(text_lines, notes))


def marked_text(text: str, stretches: Iterable[tuple[int, int, Tone]] = ()) -> Line:
    """A raw text as display-safe spans, line breaks kept, the given stretches in their tones (the later one wins)."""
    cuts = [_Stretch(*stretch) for stretch in stretches]
    shown, more = text[:MAX_DETAIL_CHARS], len(text) - MAX_DETAIL_CHARS
    spans: list[Span] = []
    for segment in visible_spans(shown, keep_newlines=True):
        if segment.is_mark:
            flagged = _tone_at(cuts, segment.start, Tone.MARK)
            spans.append(Span(segment.text, flagged))
        else:
            spans.extend(_cut_spans(segment.text, segment.start, cuts))
    if more > 0:
        spans.append(Span(f"\n… {more:,} more characters; E opens the whole text in $EDITOR.", Tone.DIM))
    return joined_up(spans)


def _cut_spans(text: str, offset: int, cuts: Sequence[_Stretch]) -> Iterable[Span]:
    end = offset + len(text)
    cuts = _whole(cuts, text, offset)
    borders = {offset, end}
    borders.update(point for cut in cuts for point in (cut.start, cut.end) if offset < point < end)
    points = sorted(borders)
    for begin, finish in zip(points, points[1:], strict=False):
        yield Span(text[begin - offset : finish - offset], _tone_at(cuts, begin, Tone.PLAIN))


def _whole(cuts: Sequence[_Stretch], text: str, offset: int) -> Sequence[_Stretch]:
    """The stretches grown to what a terminal draws as one thing: an emoji cut in two is drawn in other cells."""
    if text.isascii():
        return cuts
    ends = list(accumulate((len(cluster.text) for cluster in clusters(text)), initial=offset))

    def grown(cut: _Stretch) -> _Stretch:
        if cut.end <= offset or cut.start >= ends[-1]:
            return cut
        start = ends[max(bisect_right(ends, cut.start) - 1, 0)]
        return replace(cut, start=start, end=ends[min(bisect_left(ends, cut.end), len(ends) - 1)])

    return [grown(cut) for cut in cuts]


def _tone_at(cuts: Sequence[_Stretch], point: int, otherwise: Tone) -> Tone:
    return next((cut.tone for cut in reversed(cuts) if cut.start <= point < cut.end), otherwise)


def _title(row: RowView, side: Side, load: GroupLoad) -> str:
    """The number is the one of `memtui list` and of the audit, whatever else stands between the entries."""
    half, index = row.half(side), row.live_index
    parts = [GONE_TITLE if index is None else f"Entry {index + 1:,} of {len(load.file.entries):,}"]
    if half is not None:
        parts.append(f"{half.size_chars:,} character{'' if half.size_chars == 1 else 's'}")
    if side is Side.SNAPSHOT:
        parts += ["as the session holds it"] if index is not None else []
    if row.live is not None and OUTSIDE in row.live.badges:
        parts.append("written outside")
    if half is not None and half.badge is not None and half.badge in (DANGEROUS, BLOCKED, UNSEEN, WARNED):
        parts.append(half.badge.word if half.badge is not WARNED else "warning, and the agent reads it")
    return " · ".join(dict.fromkeys(parts))


def arranged(text_lines: Sequence[Line], notes: Sequence[Line]) -> tuple[Line, ...]:
    """A text and what is said of it, what is short first: both are to be seen in a low box."""
    shown = "".join(span.text for span in text_lines[0])
    is_short = len(text_lines) == 1 and len(shown) <= MAX_SHORT_CHARS and shown.count("\n") < MAX_SHORT_LINES
    between: tuple[Line, ...] = ((),) if notes else ()
    return (*text_lines, *between, *notes) if is_short else (*notes, *between, *text_lines)


def _text_lines(row: RowView, side: Side, load: GroupLoad) -> list[Line]:
    half = row.half(side)
    assert half is not None
    flags = [(start, end, Tone.FLAG) for start, end in _flagged(row, load)]
    hidden = _held(row, load) if side is Side.SNAPSHOT else None
    if hidden is not None and hidden.is_hidden:
        is_live = row.live is not None and row.live.text == hidden.text
        if hidden.is_unread:
            return [marked_text(hidden.text, flags if is_live else ())]
        return [
            marked_text(half.text),
            (Span("It stands for this entry:" if is_live else "It stood for this text:", Tone.DIM),),
            marked_text(hidden.text, flags if is_live else ()),
        ]
    if row.kind is not RowKind.CHANGED or row.live is None or row.snapshot is None:
        return [marked_text(half.text, flags)]
    before, after = word_spans(row.snapshot.text, row.live.text)
    here, there = (after, before) if side is Side.LIVE else (before, after)
    other = row.snapshot if side is Side.LIVE else row.live
    heading = "The session still holds:" if side is Side.LIVE else "On disk stands now:"
    return [
        marked_text(
            half.text, [*((start, end, Tone.NOTE) for start, end in here), *(flags if side is Side.LIVE else ())]
        ),
        (Span(heading, Tone.DIM),),
        marked_text(other.text, [(start, end, Tone.NOTE) for start, end in there]),
    ]


def _flagged(row: RowView, load: GroupLoad) -> tuple[tuple[int, int], ...]:
    """What memtui found in the entry, live or gone; where it found nothing, what the agent minds in it."""
    found = tuple(span for finding in _findings(row, Side.LIVE, load) for span in finding.spans)
    advice = _advice(row, load)
    return found or (advice.spans if advice else ())


def _advice(row: RowView, load: GroupLoad) -> AgentAdvice | None:
    return load.advice.get(row.live.text) if row.live is not None else None


def _held(row: RowView, load: GroupLoad) -> SnapshotText | None:
    if load.snapshot is None or row.snapshot_index is None:
        return None
    return load.snapshot.texts[row.snapshot_index]


def _findings(row: RowView, side: Side, load: GroupLoad) -> tuple[Finding, ...]:
    index = row.live_index
    held = _held(row, load)
    if held is not None and (index is None or (side is Side.SNAPSHOT and row.kind is RowKind.CHANGED)):
        return load.held_findings.get(held.text, ())
    return load.file.findings[index] if index is not None and index < len(load.file.findings) else ()


def _notes(row: RowView, side: Side, load: GroupLoad) -> list[Line]:
    file, findings = load.file, _findings(row, side, load)
    # First: what the agent makes of the entry is one line, and below many findings nobody would see it.
    notes = [*_agent_notes(row, side, load, findings)]
    notes += [line for finding in findings for line in finding_lines(finding)]
    index = row.live_index
    if index is None:
        return notes
    notes += [_note(f"▲ {drift.detail}", Tone.BAD) for drift in file.drift if drift.entry_index == index]
    for merged in file.merged:
        if merged.entry_index == index:
            notes.append(_note(f"≡ {len(merged.parts)} notes in one entry: {merged.reason}", Tone.WARN))
    if file.entries[index].duplicate_of is not None:
        notes.append(_note("= The same text stands above; the next write keeps it once.", Tone.DIM))
    return notes


def _agent_notes(row: RowView, side: Side, load: GroupLoad, findings: Sequence[Finding]) -> tuple[Line, ...]:
    """What the agent makes of the text that is shown: a text on disk may be another than the session's."""
    held, advice = _held(row, load), _advice(row, load)
    is_held = held is not None and (row.live is None or held.text == row.live.text)
    if advice is not None and (side is Side.LIVE or is_held):
        return agent_lines(advice, findings)
    if held is None or not held.is_hidden or not (side is Side.SNAPSHOT or is_held):
        return ()
    is_mended = load.file.document.bad_byte is None
    return (hidden_line(held.rule_ids, None if held.text == held.shown else findings, is_mended=is_mended),)


def finding_lines(finding: Finding) -> tuple[Line, ...]:
    """What is to be said of a finding: rule, severity, why; what hidden text says; what to do."""
    tone = Tone.DIM if finding.suppressed else _SEVERITY_TONES[finding.severity]
    mark = {Severity.BLOCK: "!", Severity.WARN: "?", Severity.INFO: "·"}[finding.severity]
    known = " · known and fine" if finding.suppressed else ""
    head: Line = (
        Span(f"{mark} {clip(finding.id, 60)} · {finding.severity.value}{known} · ", tone),
        Span(finding.why),
        Span(milder_words(finding.damper), Tone.DIM),
    )
    decoded = ((Span("  It says: ", Tone.DIM), Span(f"“{clip(finding.decoded, 400)}”", Tone.STRONG)),)
    advice = ((Span(f"  {finding.advice}", Tone.DIM),),)
    return (head, *(decoded if finding.decoded else ()), *advice)


def _note(text: str, tone: Tone) -> Line:
    return (Span(clip(text, 2_000), tone),)
