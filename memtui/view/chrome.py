"""The lines around the panes: header, budget gauges, footer, each fitted to a width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memtui.core.model import Budget
from memtui.core.visible import cell_width
from memtui.view.cursor import cursor_sign
from memtui.view.gauges import bar, budget_tone, left_words, used_words
from memtui.view.keys import Command, Context, Need, footer_commands, key_name
from memtui.view.lines import Line, Span, Tone, fit, line_width, spread, tail
from memtui.view.state import GroupView, Phase, ViewState

MIN_GAUGE_CELLS: Final = 26
"""Below this width a gauge cannot show name, bar and numbers; then only the group on screen is shown."""

MIN_HOME_CELLS: Final = 24
"""A home's path keeps at least this much of the header; its end says more than its start."""
GIVING_WAY_LAST: Final = ("app.help", "place.leave")
"""The footer's keys that a narrow terminal keeps: who sees these two finds the rest."""
_NAME: Final = " memtui  "


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of a line that does something when it is clicked."""

    start: int
    end: int
    target: str
    """A command's id, or a group's number."""


def header_line(state: ViewState, width_cells: int) -> Line:
    """Which home is open, under whose rules, how it is watched; to the right what asks for attention."""
    home = state.home
    if home is None:
        words = "no home" if state.phase is Phase.MISSING else "opening …"
        return spread((Span(_NAME, Tone.STRONG), Span(words, Tone.DIM)), (), width_cells)
    right = _counts(state)
    room = width_cells - line_width(right) - cell_width(_NAME) - 1
    read_only = "read-only" if home.read_only else ""
    abouts = (" · ".join(filter(None, (home.rules, read_only, state.watch))), read_only or state.watch, "")
    about = next(about for about in abouts if not about or room - cell_width(about) - 3 >= MIN_HOME_CELLS)
    name = f"{home.label} · {home.profile}" if home.profile else home.label
    shown = tail(name, room - cell_width(about) - 3 if about else room)
    left: Line = (Span(_NAME, Tone.STRONG), Span(shown), Span(f"   {about}" if about else "", Tone.DIM))
    return spread(left, right, width_cells)


def _counts(state: ViewState) -> Line:
    loads = [group.load for group in state.groups if group.load is not None]
    counts = (
        ("▲", sum(bool(load.file.drift) for load in loads), "drift", Tone.BAD),
        ("!", sum(load.threat_count for load in loads), "threat", Tone.BAD),
        ("◌", sum(load.unseen_count for load in loads), "unseen", Tone.WARN),
        ("+", state.staged_count, "staged", Tone.NOTE),
    )
    spans: list[Span] = []
    for mark, count, word, tone in counts:
        if count:
            plural = "s" if word == "threat" and count != 1 else ""
            spans += [Span(f" {mark} {count:,} {word}{plural} ", tone)]
    return tuple(spans)


def staged_spans(state: ViewState) -> Line:
    """How many writes wait for approval; nothing when none does."""
    return (Span(f" + {state.staged_count:,} staged  ", Tone.NOTE),) if state.staged_count else ()


def gauge_lines(state: ViewState, width_cells: int) -> tuple[Line, tuple[Slot, ...]]:
    """The gauges of all groups on one line (only of the one on screen when there is no room), and where each lies."""
    groups = list(enumerate(state.groups))
    if groups and width_cells // len(groups) < MIN_GAUGE_CELLS:
        groups = groups[state.current : state.current + 1]
    if not groups:
        return (), ()
    cells = width_cells // len(groups)
    line: list[Span] = []
    slots = []
    for place, (index, group) in enumerate(groups):
        gauge = gauge_line(group, index + 1, index == state.current, cells)
        line += [*gauge, Span(" " * (cells - line_width(gauge)))]
        slots.append(Slot(place * cells, (place + 1) * cells, str(index + 1)))
    return tuple(line), tuple(slots)


def gauge_line(group: GroupView, number: int, is_current: bool, width_cells: int) -> Line:
    """One group's gauge: number, name, bar, used and allowed characters, percent, what is left."""
    name = (
        cursor_sign(is_current),
        Span(f"{number} ", Tone.KEY),
        Span(f"{group.label} ", Tone.STRONG if is_current else Tone.DIM),
    )
    budget = group.load.file.budget if group.load else None
    if budget is None or not group.capabilities.has_limit:
        return fit(name, width_cells)
    room = width_cells - line_width(name) - 1
    numbers = next((text for text in _numbers(budget) if cell_width(text) <= room - 7), _numbers(budget)[-1])
    bar_cells = max(0, min(room - cell_width(numbers) - 1, 30))
    told = Span(f" {numbers}", Tone.PLAIN if is_current else Tone.DIM)
    return fit((*name, *bar(budget, bar_cells, budget_tone(budget)), told), width_cells)


def _numbers(budget: Budget) -> tuple[str, ...]:
    used = used_words(budget)
    return (f"{used}  {left_words(budget)}", used.replace(" / ", "/"), f"{budget.percent} %")


def footer_line(
    commands: tuple[Command, ...], disabled: frozenset[str], width_cells: int
) -> tuple[Line, tuple[Slot, ...]]:
    """As many whole keys as there is room for, and where each lies; `disabled` ones stand dim.

    The keys that lead to all others and back give way last.
    """
    line: list[Span] = []
    slots: list[Slot] = []
    at = 0
    for entry in _fitting(commands, width_cells):
        is_off = entry.id in disabled
        key, label = _shown(entry)
        line += [Span(key, Tone.DIM if is_off else Tone.KEY), Span(label, Tone.DIM if is_off else Tone.PLAIN)]
        slots.append(Slot(at, at + cell_width(key + label), entry.id))
        at = slots[-1].end
    return tuple(line), tuple(slots)


def _fitting(commands: tuple[Command, ...], width_cells: int) -> tuple[Command, ...]:
    room, fitting = width_cells, set()
    for entry in sorted(commands, key=lambda entry: entry.id not in GIVING_WAY_LAST):
        room -= cell_width("".join(_shown(entry)))
        if room < 0:
            break
        fitting.add(entry.id)
    return tuple(entry for entry in commands if entry.id in fitting)


def _shown(entry: Command) -> tuple[str, str]:
    return f" {key_name(entry.keys[0])} ", f"{entry.label} "


def offered_commands(state: ViewState, context: Context) -> tuple[Command, ...]:
    """The footer's commands; where memtui was opened read-only, those that write are not offered."""
    if not (state.home and state.home.read_only):
        return footer_commands(context)
    return tuple(entry for entry in footer_commands(context) if not entry.needs & {Need.WRITABLE, Need.CHANGES})


def disabled_commands(state: ViewState, context: Context) -> frozenset[str]:
    """Ids of the footer's commands that cannot run just now."""
    return frozenset(entry.id for entry in footer_commands(context) if missing_need(entry, state))


def missing_need(entry: Command, state: ViewState) -> Need | None:
    """The first thing that a command needs and that is not there."""
    group = state.group
    file = group.load.file if group and group.load else None
    may_write = not (state.home and state.home.read_only)
    held = {
        Need.HOME: file is not None,
        Need.CHANGES: may_write,
        Need.WRITABLE: may_write and file is not None and not file.problem and not file.read_only
        and bool(group and group.capabilities.is_editable),
        Need.SNAPSHOT: bool(group and group.capabilities.has_snapshot),
        Need.ENTRY: state.picked is not None,
    }
    order = (Need.HOME, Need.CHANGES, Need.WRITABLE, Need.SNAPSHOT, Need.ENTRY)
    return next((need for need in order if need in entry.needs and not held[need]), None)
