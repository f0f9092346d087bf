"""The history screen's lists, line by line, its lower box, and its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memtui.core.diff import word_spans
from memtui.core.model import ExternalChange
from memtui.core.visible import cell_width, clip, preview
from memtui.view.amounts import counted, full_moment_words, moment_words, size_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, marked_text
from memtui.view.diffs import diff_paragraphs, diff_summary
from memtui.view.lines import Line, Span, Tone, fit, line_width, spread
from memtui.view.rows import Badge
from memtui.view.timeline import SIDE_SOURCES, Against, Standing, TimelineState, Track

if TYPE_CHECKING:
    from memtui.disk.history import Version

SUMMARY_CELLS: Final = 46
"""From this width on a version's row has room for its source and size."""

STANDS: Final = Badge("●", "stands now", Tone.GOOD)
NEVER_STOOD: Final = Badge("◌", "may never have stood", Tone.WARN)
BESIDE: Final = Badge("·", "kept from beside the file", Tone.DIM)
_NO_BADGE: Final = Badge(" ", "", Tone.PLAIN)

_SOURCES: Final[Mapping[str, str]] = {
    "memtui": "memtui",
    "tool": "agent",
    "outside": "outside",
    "restore": "restored",
    "displaced": "displaced",
    "left_over": "left over",
    "backup": "backup",
    "staged": "staged",
}
_SOURCE_CELLS: Final = 9
_STANDINGS: Final = {
    Standing.LIVE: Badge("✓", "live", Tone.DIM),
    Standing.CHANGED: Badge("~", "changed since", Tone.NOTE),
    Standing.GONE: Badge("−", "not live", Tone.WARN),
}

SAME_COUNTS: Final = ExternalChange().summary

TITLE: Final = "History"
NO_VERSION: Final = "There is no version to bring back."
NO_ENTRY: Final = "This version holds no entry to bring back."
STILL_READING: Final = "The version is still being read."
STANDS_ALREADY: Final = "This version is what stands in the file now."
ENTRY_IS_LIVE: Final = "This entry stands in the file now."


def version_badge(version: Version, now_sha256: str) -> Badge:
    """What is special about a version."""
    if not version.stood:
        return NEVER_STOOD
    if version.source in SIDE_SOURCES:
        return BESIDE
    return STANDS if version.sha256 == now_sha256 else _NO_BADGE


def version_line(state: TimelineState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """When, from whom, what it was, how large, how it differs."""
    assert state.versions is not None
    version = state.versions[position]
    badge = version_badge(version, state.now_sha256)
    when = f"{moment_words(version.when, state.now_s):>12}  "
    left: Line = (cursor_sign(is_cursor), Span(f"{badge.mark} ", badge.tone), Span(when, Tone.PLAIN))
    told = state.counts.get((version.id, state.against), "").replace(SAME_COUNTS, "same")
    right: Line = (
        Span(f"  {told}" if told else "", Tone.NOTE),
        Span(f" {size_words(version.size_bytes):>7} ", Tone.DIM),
    )
    if width_cells < SUMMARY_CELLS:
        right = (Span(f" {told} " if told else " ", Tone.NOTE),)
    else:
        source = _SOURCES.get(version.source) or clip(version.source, _SOURCE_CELLS)
        left = (*left, Span(f"{source:<{_SOURCE_CELLS}}  ", Tone.DIM))
    room = width_cells - line_width(left) - line_width(right)
    summary = preview(version.summary, max(room, 0))
    return fit((*left, Span(summary), Span(" " * max(room - cell_width(summary), 0)), *right), width_cells)


def entry_line(state: TimelineState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """An entry of the chosen version and how it stands to the file now."""
    entry = state.entries[position]
    badge = _STANDINGS[entry.standing]
    right = (Span(f"  {badge.word}", badge.tone), Span(f" {len(entry.text):>5,} ", Tone.DIM))
    room = width_cells - 3 - line_width(right)
    shown = preview(entry.text, max(room, 0))
    tone = Tone.DIM if entry.standing is Standing.LIVE else Tone.PLAIN
    return spread(
        (cursor_sign(is_cursor), Span(f"{badge.mark} ", badge.tone), Span(shown, tone)), right, width_cells
    )


def header_left(state: TimelineState) -> Line:
    """The title of the screen."""
    count = len(state.versions or ())
    told = f"   {counted(count, 'version')}" if state.versions is not None else ""
    return (Span(f"  {TITLE}  ", Tone.STRONG), Span(state.file_name), Span(told, Tone.DIM))


def banner(state: TimelineState) -> tuple[Line, ...]:
    """What is wrong with history, and what is special about the chosen version."""
    lines: list[Line] = []
    if state.history_problem:
        lines.append((Span(f"▲ {clip(state.history_problem, 400)}", Tone.WARN),))
    version = state.version
    if version is not None and not version.stood:
        lines.append(
            (
                Span(
                    f"{NEVER_STOOD.mark} A write was cut short: these bytes were about to be put there and "
                    "may never have stood in the file.",
                    Tone.WARN,
                ),
            )
        )
    elif version is not None and version.source in SIDE_SOURCES:
        lines.append((Span(f"{BESIDE.mark} {_beside_words(version.source)}", Tone.DIM),))
    return tuple(lines)


def _beside_words(source: str) -> str:
    return {
        "displaced": "Another program had put these bytes there in the moment of a write; they were kept.",
        "left_over": "A temporary file of a writer that was killed held these bytes.",
        "backup": "A backup beside the file held these bytes.",
        "staged": "A staged write held these texts.",
    }[source]


def track_title(state: TimelineState, track: Track, is_alone: bool) -> str:
    """What stands in a list's upper border."""
    hint = " · tab: next list" if is_alone else ""
    if track is Track.VERSIONS:
        other = "the file now" if state.against is Against.NOW else "the version before"
        return f"Versions · against {other}{hint}"
    version = state.version
    when = f" of {moment_words(version.when, state.now_s)}" if version else ""
    return f"Entries{when} · {len(state.entries):,}{hint}"


def empty_track(state: TimelineState, track: Track) -> tuple[str, ...]:
    """Why a list is empty and what to do; () when it is not."""
    if track is Track.VERSIONS:
        if state.versions:
            return ()
        if state.versions is None:
            return ("Reading …",)
        return (
            "No version is kept yet.",
            "memtui keeps one before and after every write, and whenever it sees that another program wrote.",
        )
    if state.entries or not state.versions:
        return ()
    if state.comparison is None:
        return ("Reading …",)
    return (
        (clip(state.comparison.problem, 400),)
        if state.comparison.problem
        else ("This version holds no entry.",)
    )


def detail_of(state: TimelineState) -> Detail:
    """The lower box: the diff of the chosen version, or the whole chosen entry."""
    version, known = state.version, state.comparison
    if version is None:
        return Detail("Diff")
    if state.track is Track.ENTRIES and state.entry is not None:
        return _entry_detail(state)
    head = "Bringing it back" if state.against is Against.NOW else "What it changed"
    if known is None:
        return Detail(f"{head} · reading …")
    if known.problem:
        return Detail(head, ((Span(clip(known.problem, 400), Tone.WARN),),))
    origin = (
        Span(
            f"{full_moment_words(version.when)} · {version.size_bytes:,} bytes · sha256 {version.sha256[:12]}",
            Tone.DIM,
        ),
    )
    if not any(line.sign != " " for line in known.lines):
        same = (
            "These are the bytes of the file now." if state.against is Against.NOW else "No line was changed."
        )
        return Detail(f"{head} · nothing changes", (origin, (Span(same, Tone.GOOD),)))
    counts = "the same entries" if known.counts == SAME_COUNTS else f"{known.counts} entries"
    title = f"{head} · {counts} · {diff_summary(known.lines)}"
    return Detail(title, (origin, (), *diff_paragraphs(known.lines)))


def _entry_detail(state: TimelineState) -> Detail:
    entry = state.entry
    assert entry is not None
    title = f"Entry {state.entry_position + 1:,} of {len(state.entries):,} · {counted(len(entry.text), 'character')}"
    if entry.standing is not Standing.CHANGED:
        badge = _STANDINGS[entry.standing]
        return Detail(title, ((Span(f"{badge.mark} {badge.word}", badge.tone),), (), marked_text(entry.text)))
    here, there = word_spans(entry.text, entry.now)
    return Detail(
        title,
        (
            marked_text(entry.text, [(start, end, Tone.NOTE) for start, end in here]),
            (),
            (Span("In the file now:", Tone.DIM),),
            marked_text(entry.now, [(start, end, Tone.NOTE) for start, end in there]),
        ),
    )
