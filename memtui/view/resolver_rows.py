"""The resolver's lists, line by line, and the box with the whole of what the cursor is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memtui.core.model import Budget
from memtui.core.resolve import FILE_NOW, Candidate, Mark
from memtui.core.visible import cell_width, clip, preview, visible_text
from memtui.view.amounts import counted, full_moment_words, moment_words, size_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, marked_text
from memtui.view.gauges import bar, budget_tone, left_words, used_words
from memtui.view.lines import Line, Span, Tone, fit, line_width, spread
from memtui.view.resolver import Column, ResolverState, SourceRow
from memtui.view.rows import Badge

WORD_CELLS: Final = 36
"""From this width on a row has room for its badge's word."""

MARKS: Final = {
    Mark.THREAT: Badge("!", "threat", Tone.BAD),
    Mark.TOO_LONG: Badge("▲", "too long", Tone.BAD),
    Mark.LIVE: Badge("✓", "live", Tone.DIM),
    Mark.HEADING: Badge("#", "heading", Tone.DIM),
    Mark.NEAR: Badge("≈", "near-duplicate", Tone.WARN),
    Mark.NEW: Badge("+", "new", Tone.GOOD),
}
_UNMARKED: Final = Badge("…", "", Tone.DIM)
"""A text that was just made and is still being compared."""

_VERDICTS: Final[Mapping[str, Badge]] = {
    "file": Badge(" ", "on disk", Tone.DIM),
    "identical": Badge("=", "identical", Tone.DIM),
    "all_live": Badge("✓", "all live", Tone.GOOD),
    "missing": Badge("+", "not live", Tone.NOTE),
    "drifted": Badge("▲", "drifted", Tone.BAD),
    "unreadable": Badge("?", "unreadable", Tone.BAD),
    "not_compared": Badge("…", "not compared", Tone.DIM),
}
"""By the source's verdict."""


def row_of(state: ResolverState, column: Column, position: int, is_cursor: bool, width_cells: int) -> Line:
    """The line of one row of one list."""
    if column is Column.SOURCES:
        return source_line(state.sources[position], state.now_s, is_cursor, width_cells)
    if column is Column.CANDIDATES:
        text = state.cut.pieces[position] if state.cut else ""
        is_picked = state.draft is not None and text in state.draft.picked
        box = Span("[x] " if is_picked else "[ ] ", Tone.KEY if is_picked else Tone.DIM)
        tone = Tone.PLAIN if is_picked else Tone.DIM
        return _text_line(text, state.marks.get(text), (box,), tone, is_cursor, width_cells)
    picked = state.draft.picked if state.draft else ()
    digits = len(str(len(picked)))
    number = Span(f"{position + 1:>{digits}} ", Tone.DIM)
    text = picked[position]
    return _text_line(text, state.marks.get(text), (number,), Tone.PLAIN, is_cursor, width_cells)


def source_line(row: SourceRow, now_s: float, is_cursor: bool, width_cells: int) -> Line:
    """A source: what it is, when, how large, and its verdict."""
    source = row.source
    verdict = _VERDICTS[source.verdict]
    word = (
        counted(source.missing_count, "not live", "not live") if source.verdict == "missing" else verdict.word
    )
    right: Line = (
        Span(f" {size_words(source.size_bytes):>7}  ", Tone.DIM),
        Span(f"{verdict.mark} {word:<9} ", verdict.tone),
    )
    if width_cells < 30:
        right = (Span(f" {verdict.mark} {word} ", verdict.tone),)
    return spread((cursor_sign(is_cursor), Span(_source_name(row, now_s), Tone.PLAIN)), right, width_cells)


def _source_name(row: SourceRow, now_s: float) -> str:
    when = moment_words(row.source.when, now_s)
    if not row.is_backup:
        return FILE_NOW
    # Copies that editors and synchronisers leave are told from backups by their name.
    return when if ".bak" in row.name else f"{when} {visible_text(row.name)}"


def _text_line(
    text: str, found: Candidate | None, head: Line, tone: Tone, is_cursor: bool, width_cells: int
) -> Line:
    badge = MARKS[found.mark] if found else _UNMARKED
    word = f"  {badge.word}" if width_cells >= WORD_CELLS else ""
    right = (Span(word, badge.tone), Span(f" {len(text):>5,} ", Tone.DIM))
    left = (cursor_sign(is_cursor), *head, Span(f"{badge.mark} ", badge.tone))
    room = width_cells - line_width(left) - line_width(right)
    shown = preview(text, max(room, 0))
    gap = " " * max(room - cell_width(shown), 0)
    return fit((*left, Span(shown, tone), Span(gap), *right), width_cells)


def budget_line(state: ResolverState, width_cells: int) -> Line:
    """How many are picked, and the gauge of the file as it will be."""
    draft = state.draft
    if draft is None:
        return ()
    budget = draft.budget
    picked = counted(len(draft.picked), "entry", "entries")
    pieces = state.cut.pieces if state.cut else ()
    chosen = len(frozenset(draft.picked).intersection(pieces))
    of = f" · {chosen:,} of {len(pieces):,} here" if pieces else ""
    left = (Span(f" As it will be: {picked}{of}  ", Tone.STRONG),)
    short = (Span(f" {picked}  ", Tone.STRONG),)
    return next(
        (
            line
            for head in (left, short)
            if line_width(line := _gauge(budget, head, width_cells)) <= width_cells
        ),
        fit(_gauge(budget, (), width_cells), width_cells),
    )


def _gauge(budget: Budget, head: Line, width_cells: int) -> Line:
    tone, over = budget_tone(budget), left_words(budget)
    numbers = f" {used_words(budget)}  "
    bar_cells = max(8, min(30, width_cells - line_width(head) - cell_width(numbers + over) - 1))
    return (
        *head,
        *bar(budget, bar_cells, tone),
        Span(numbers),
        Span(over, tone if budget.is_over else Tone.DIM),
    )


def detail_of(state: ResolverState) -> Detail:
    """The whole of what the cursor is on."""
    if state.column is Column.SOURCES:
        return _source_detail(state)
    text = state.text
    if text is None or state.draft is None:
        return Detail("Entry")
    found = state.marks.get(text)
    position, count = state.positions[state.column] + 1, len(state.rows(state.column))
    what = "Candidate" if state.column is Column.CANDIDATES else "Entry"
    characters = counted(len(text), "character")
    return Detail(
        f"{what} {position:,} of {count:,} · {characters}", (*_mark_lines(found), marked_text(text))
    )


def _mark_lines(found: Candidate | None) -> tuple[Line, ...]:
    if found is None:
        return ()
    badge = MARKS[found.mark]
    head: Line = (
        Span(f"{badge.mark} {badge.word}", badge.tone),
        Span(f" · {clip(found.detail, 400)}", Tone.DIM),
    )
    if not found.other or found.mark is not Mark.NEAR:
        return (head, ())
    return (head, (Span("  like: ", Tone.DIM), Span(preview(found.other, 300), Tone.WARN)), ())


def _source_detail(state: ResolverState) -> Detail:
    row = state.picked_source
    if row is None:
        return Detail("Source")
    source, verdict = row.source, _VERDICTS[row.source.verdict]
    lines: list[Line] = [
        (Span(f"{verdict.mark} ", verdict.tone), Span(clip(source.words, 500))),
        (
            Span(
                f"{full_moment_words(source.when)} · {source.size_bytes:,} bytes"
                f"{f' · sha256 {source.sha256[:12]}' if source.sha256 else ''}",
                Tone.DIM,
            ),
        ),
        (Span(clip(str(source.path), 500), Tone.DIM),),
    ]
    if not row.is_backup:
        lines += [(Span(f"▲ {clip(reason, 600)}", Tone.WARN),) for reason in state.reasons]
    else:
        kept = row.why_kept
        lines.append(
            (
                Span(
                    "It says nothing that the file does not: D deletes it."
                    if not kept
                    else f"It is kept: {clip(kept, 300)}.",
                    Tone.DIM,
                ),
            )
        )
    title = state.file_name if not row.is_backup else visible_text(row.name)
    return Detail(title, tuple(lines))
