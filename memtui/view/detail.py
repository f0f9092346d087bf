"""The selected entry in full: its text with the flagged stretches, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memtui.core.diff import RowKind, word_spans
from memtui.core.model import MemoryFile
from memtui.core.threats.finding import Finding, Severity
from memtui.core.visible import clip, visible_spans
from memtui.view.lines import Line, Span, Tone, joined_up
from memtui.view.rows import BLOCKED, DANGEROUS, OUTSIDE, UNSEEN, RowView, Side, threat_badge
from memtui.view.state import GroupView, ViewState

MAX_DETAIL_CHARS: Final = 20_000
"""An entry longer than this is shown in part: wrapping a text of 600 kB takes longer than a person waits for a key."""

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
    file = group.load.file
    half = row.half(state.side) or row.live or row.snapshot
    assert half is not None
    side = state.side if row.half(state.side) else (Side.LIVE if row.live else Side.SNAPSHOT)
    text_lines, notes = _text_lines(row, side, file), _notes(row, side, group, file)
    between: tuple[Line, ...] = ((),) if notes else ()
    return Detail(_title(group, row, side), (*notes, *between, *text_lines))


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
    borders = {offset, end}
    borders.update(point for cut in cuts for point in (cut.start, cut.end) if offset < point < end)
    points = sorted(borders)
    for begin, finish in zip(points, points[1:], strict=False):
        yield Span(text[begin - offset : finish - offset], _tone_at(cuts, begin, Tone.PLAIN))


def _tone_at(cuts: Sequence[_Stretch], point: int, otherwise: Tone) -> Tone:
    return next((cut.tone for cut in reversed(cuts) if cut.start <= point < cut.end), otherwise)


def _title(group: GroupView, row: RowView, side: Side) -> str:
    half = row.half(side)
    parts = [f"Entry {group.position + 1} of {len(group.shown)}"]
    if half is not None:
        parts.append(f"{half.size_chars:,} character{'' if half.size_chars == 1 else 's'}")
    if side is Side.SNAPSHOT:
        parts.append("as the session holds it" if row.kind is not RowKind.REMOVED else "gone from disk")
    if row.live is not None and OUTSIDE in row.live.badges:
        parts.append("written outside")
    if half is not None and half.badge is not None and half.badge in (DANGEROUS, BLOCKED, UNSEEN):
        parts.append(half.badge.word)
    return " · ".join(dict.fromkeys(parts))


def _text_lines(row: RowView, side: Side, file: MemoryFile) -> list[Line]:
    half = row.half(side)
    assert half is not None
    flags = [(start, end, Tone.FLAG) for finding in _findings(row, file) for start, end in finding.spans]
    if side is Side.SNAPSHOT and row.kind is RowKind.CHANGED:
        flags = []
    if row.kind is not RowKind.CHANGED or row.live is None or row.snapshot is None:
        is_placeholder = side is Side.SNAPSHOT and row.live is not None and row.live.text != half.text
        return [marked_text(half.text, () if is_placeholder else flags)]
    before, after = word_spans(row.snapshot.text, row.live.text)
    here, there = (after, before) if side is Side.LIVE else (before, after)
    other = row.snapshot if side is Side.LIVE else row.live
    heading = "The session still holds:" if side is Side.LIVE else "On disk stands now:"
    return [
        marked_text(half.text, [*((start, end, Tone.NOTE) for start, end in here), *flags]),
        (Span(heading, Tone.DIM),),
        marked_text(other.text, [(start, end, Tone.NOTE) for start, end in there]),
    ]


def _findings(row: RowView, file: MemoryFile) -> tuple[Finding, ...]:
    index = row.live_index
    return file.findings[index] if index is not None and index < len(file.findings) else ()


def _notes(row: RowView, side: Side, group: GroupView, file: MemoryFile) -> list[Line]:
    notes = [_finding_line(finding) for finding in _findings(row, file)]
    hidden = group.load.snapshot.texts[row.snapshot_index] if (
        group.load and group.load.snapshot and row.snapshot_index is not None
    ) else None
    if hidden is not None and hidden.is_hidden:
        notes.append(_hidden_line(hidden.rule_ids, threat_badge(_findings(row, file), True) is UNSEEN))
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


def _finding_line(finding: Finding) -> Line:
    tone = Tone.DIM if finding.suppressed else _SEVERITY_TONES[finding.severity]
    mark = {Severity.BLOCK: "!", Severity.WARN: "?", Severity.INFO: "·"}[finding.severity]
    known = " · known and fine" if finding.suppressed else ""
    decoded = (Span(f" It says: “{clip(finding.decoded, 200)}”", Tone.STRONG),) if finding.decoded else ()
    return (
        Span(f"{mark} {finding.id} · {finding.severity.value}{known} · ", tone),
        Span(finding.why),
        *decoded,
        Span(f" {finding.advice}", Tone.DIM),
    )


def _hidden_line(rule_ids: Sequence[str], is_false_alarm: bool) -> Line:
    rules = ", ".join(clip(rule, 60) for rule in rule_ids)
    if is_false_alarm:
        return _note(f"◌ The agent can't see this entry (its rule {rules}), though nothing here looks dangerous.", Tone.WARN)
    return _note(f"⊘ The agent reads a placeholder instead (its rule {rules}).", Tone.WARN)


def _note(text: str, tone: Tone) -> Line:
    return (Span(clip(text, 2_000), tone),)
