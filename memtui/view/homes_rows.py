"""The home chooser line by line, the box with all that is known of a home, and the chooser's sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.core.model import FILE_NAMES, Verdict
from memtui.core.visible import clip, visible_text
from memtui.view.amounts import counted, full_moment_words, moment_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail
from memtui.view.gauges import FULL_PERCENT, bar, budget_tone, used_words
from memtui.view.homes import HomesState, ListedHome
from memtui.view.lines import Line, Span, Tone, line_width, spread, tail
from memtui.view.rows import BLOCKED, DANGEROUS, UNSEEN, WARNED, Badge

if TYPE_CHECKING:
    from memtui.homes_overview import HomeRow, TargetRow

WIDE_CELLS: Final = 100
"""From this width on a row has room for bars and the last change."""
BAR_CELLS: Final = 8
PERCENT_CELLS: Final = 5
WHEN_CELLS: Final = 12
MARKS_CELLS: Final = 20
MIN_NAME_CELLS: Final = 12

DRIFTED: Final = Badge("▲", "drift", Tone.BAD)
STAGED: Final = Badge("+", "staged", Tone.NOTE)
BAD_FILE: Final = Badge("?", "cannot be read", Tone.BAD)

DEMO_ALONE: Final = "The demo shows its sample homes alone: its history, and so every undo, goes when you leave it."
NO_HOME: Final = "There is no home under the cursor."
NOTHING_TO_COMPARE: Final = "Mark a home with space, then press c on another one."


def row_line(state: HomesState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """Name, both gauges, what calls for a person, the last change."""
    home = state.homes[state.shown[position]]
    is_wide = width_cells >= WIDE_CELLS
    mark = "●" if home.key == state.current else " "
    left: Line = (
        cursor_sign(is_cursor),
        Span("✓" if home.key == state.marked else mark, Tone.KEY if home.key == state.marked else Tone.GOOD),
        Span(" "),
    )
    marks = _marks_line(home.row)
    gauges = [span for target in home.row.targets for span in gauge_spans(target, BAR_CELLS if is_wide else 0)]
    right: list[Span] = [*marks, *gauges]
    if is_wide:
        right = [*gauges, *marks, Span(" " * max(MARKS_CELLS - line_width(marks), 0))]
        changed = "no file" if home.row.changed_at is None else moment_words(home.row.changed_at, state.now_s)
        right.append(Span(f"{changed:>{WHEN_CELLS}}", Tone.DIM))
    room = max(width_cells - line_width(left) - line_width(right) - 2, MIN_NAME_CELLS)
    name = tail(name_of(home), room)
    return spread((*left, Span(name, Tone.PLAIN if home.row.exists else Tone.DIM)), (*right, Span(" ")), width_cells)


def name_of(home: ListedHome) -> str:
    """Path and profile, display-safe."""
    return shown_name(visible_text(home.label), home.row.home.profile)


def shown_name(label: str, profile: str) -> str:
    """A display-safe path with the profile, unless the path ends in it."""
    is_told = profile and profile != "default" and not label.endswith(profile)
    return f"{label} · {visible_text(profile)}" if is_told else label


def gauge_spans(target: TargetRow, bar_cells: int) -> Line:
    """One target's gauge: a letter, a bar where there is room, the percent; or why there is none."""
    letter = Span(f" {target.file.target[:1].upper()} ", Tone.DIM if not target.is_enabled else Tone.STRONG)
    cells = bar_cells + PERCENT_CELLS
    if target.file.problem:
        return (letter, Span(f"{'?':>{cells}}", Tone.BAD))
    if not target.is_enabled:
        return (letter, Span(f"{'off':>{cells}}", Tone.WARN))
    budget = target.file.budget
    tone = budget_tone(budget)
    percent = Span(f"{budget.percent:>{PERCENT_CELLS - 1}}%", tone if budget.percent >= FULL_PERCENT else Tone.PLAIN)
    return (letter, *(bar(budget, bar_cells, tone) if bar_cells else ()), percent)


def _counts(row: HomeRow) -> tuple[tuple[Badge, int], ...]:
    threats = [target.threats for target in row.targets]
    return (
        (BAD_FILE, sum(bool(target.file.problem) for target in row.targets)),
        (DRIFTED, sum(target.file.verdict is Verdict.DRIFT for target in row.targets)),
        (DANGEROUS, sum(one.dangerous for one in threats)),
        (BLOCKED, sum(one.blocked for one in threats)),
        (UNSEEN, sum(one.hidden for one in threats)),
        (STAGED, row.staged_count),
    )


def _marks_line(row: HomeRow) -> Line:
    spans = [Span(f" {badge.mark} {count:,}", badge.tone) for badge, count in _counts(row) if count]
    return (Span(" "), *spans, *(() if row.is_scanned else (Span(" …", Tone.DIM),)))


def header_left(state: HomesState) -> Line:
    """The title of the screen."""
    count = len(state.homes)
    told = f"   {counted(count, 'home')}" if count else ""
    scanned = sum(one.row.is_scanned for one in state.homes)
    reading = f" · looking for threats, {scanned:,} of {count:,}" if state.is_reading and count else ""
    return (Span("  Homes", Tone.STRONG), Span(told, Tone.DIM), Span(reading, Tone.DIM))


def demo_lines(*, is_demo: bool) -> tuple[Line, ...]:
    """Why a demo leaves out the homes that are not its own."""
    return ((Span(DEMO_ALONE, Tone.DIM),),) if is_demo else ()


def banner(state: HomesState) -> tuple[Line, ...]:
    """Which home is marked, or what went wrong."""
    lines: list[Line] = []
    if state.problem:
        lines.append((Span(f"▲ {clip(state.problem, 300)}", Tone.WARN),))
    if marked := state.known_as(state.marked):
        hint = Span(" is marked: c on another home compares the two.", Tone.DIM)
        lines.append((Span("✓ ", Tone.KEY), Span(tail(name_of(marked), 60)), hint))
    return tuple(lines)


def title(state: HomesState) -> str:
    """What stands in the list's upper border."""
    shown = f", {len(state.shown):,} shown" if len(state.shown) != len(state.homes) else ""
    return f"● the home in use · M memory, U user{shown}"


def empty_words(state: HomesState) -> tuple[str, ...]:
    """What stands in an empty list."""
    if state.homes:
        return (f"Nothing matches “{clip(state.query, 40)}”.", "esc clears the filter, / changes it.")
    if state.is_reading:
        return ("Looking for homes …",)
    return ("No home was found.", "Name one when you start: `memtui PATH`, or try `memtui demo`. esc goes back.")


def detail_of(state: HomesState) -> Detail:
    """All that is known of the home under the cursor."""
    home = state.home
    if home is None:
        return Detail("Home")
    row = home.row
    profile = f" · profile {visible_text(row.home.profile)}" if row.home.profile else ""
    where: Line = (
        Span(visible_text(str(row.home.root)), Tone.STRONG),
        Span(f" · {row.flavour}{profile}", Tone.DIM),
        Span("" if row.exists else " · not made yet: the first write makes it", Tone.WARN),
    )
    lines: list[Line] = [where, *(_target_line(target) for target in row.targets)]
    if row.staged_count:
        wait = counted(row.staged_count, "staged write waits", "staged writes wait")
        lines.append((Span(f"+ {wait} for approval", Tone.NOTE),))
    if row.has_write_approval:
        lines.append((Span("The agent's own writes are staged for approval here.", Tone.DIM),))
    lines += [(Span(f"▲ {clip(problem, 300)}", Tone.WARN),) for problem in row.problems]
    return Detail(name_of(home), tuple(lines))


def _target_line(target: TargetRow) -> Line:
    file, threats = target.file, target.threats
    name = Span(f"{FILE_NAMES[file.target]:<10}", Tone.STRONG)
    if file.problem:
        return (name, Span("cannot be read", Tone.BAD))
    budget = file.budget
    entries = counted(len(file.entries), "entry", "entries") if file.exists else "no file"
    spans: list[Span] = [name, Span(used_words(budget), budget_tone(budget)), Span(f" · {entries}", Tone.DIM)]
    if not target.is_enabled:
        spans.append(Span(" · switched off in the configuration", Tone.WARN))
    if file.verdict is not Verdict.CLEAN:
        tone = Tone.BAD if file.verdict is Verdict.DRIFT else Tone.NOTE
        spans.append(Span(f" · {file.verdict.value.replace('_', ' ')}", tone))
    counts = (
        (DANGEROUS, threats.dangerous),
        (BLOCKED, threats.blocked),
        (UNSEEN, threats.hidden),
        (WARNED, threats.warning),
    )
    spans += [Span(f" · {badge.mark} {count:,} {badge.word}", badge.tone) for badge, count in counts if count]
    if target.changed_at is not None:
        spans.append(Span(f" · changed {full_moment_words(target.changed_at)}", Tone.DIM))
    return tuple(spans)
