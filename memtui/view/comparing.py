"""Two homes side by side as one immutable value, the function that moves it on, and its lines and sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui.core.diff import Row, RowKind, word_spans
from memtui.core.model import FILE_NAMES, Budget
from memtui.core.visible import cell_width, clip, preview
from memtui.view.amounts import counted
from memtui.view.cursor import clamped, cursor_sign
from memtui.view.detail import Detail, marked_text
from memtui.view.gauges import bar, budget_tone, used_words
from memtui.view.lines import Line, Span, Tone, fit, line_width, tail
from memtui.view.rows import Badge

if TYPE_CHECKING:
    from memtui.core.comparing import Comparison
    from memtui.view.transfers import Spot

WORD_CELLS: Final = 40
BOTH: Final = Badge(" ", "", Tone.DIM)
ONLY_HERE: Final = Badge("+", "only here", Tone.GOOD)
DIFFERS: Final = Badge("~", "told differently", Tone.NOTE)
ELSEWHERE: Final = Badge("↕", "elsewhere", Tone.NOTE)
_BADGES: Final = {
    RowKind.SAME: BOTH,
    RowKind.NEW: ONLY_HERE,
    RowKind.REMOVED: ONLY_HERE,
    RowKind.CHANGED: DIFFERS,
    RowKind.MOVED: ELSEWHERE,
}
NO_ENTRY: Final = "There is no entry here to copy or move; tab goes to the other home."


class Side(StrEnum):
    """One of the two homes; the value is its list's id."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Pair:
    """One target of both homes."""

    left: Spot
    right: Spot
    comparison: Comparison

    def spot(self, side: Side) -> Spot:
        """One of the two files."""
        return self.left if side is Side.LEFT else self.right


@dataclass(frozen=True, slots=True)
class CompareState:
    """All that the screen shows."""

    pairs: tuple[Pair, ...] = ()
    """One a target; none before the homes were read."""
    current: int = 0
    side: Side = Side.LEFT
    position: int = 0

    @property
    def pair(self) -> Pair | None:
        """The target on screen."""
        return self.pairs[self.current] if self.pairs else None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The aligned rows of the target on screen."""
        return self.pair.comparison.rows if self.pair else ()

    @property
    def other_side(self) -> Side:
        """The side that is not called."""
        return Side.RIGHT if self.side is Side.LEFT else Side.LEFT

    def text(self, side: Side, position: int) -> str | None:
        """The entry of one home in a row; None where it has none."""
        pair = self.pair
        if pair is None or not 0 <= position < len(self.rows):
            return None
        row = self.rows[position]
        if side is Side.LEFT:
            return None if row.live_index is None else pair.comparison.left[row.live_index]
        return None if row.snapshot_index is None else pair.comparison.right[row.snapshot_index]


class HomesCompared(NamedTuple):
    """Both homes were read."""

    pairs: tuple[Pair, ...]


class RowPicked(NamedTuple):
    """The cursor was put on a row."""

    position: int


class SideCalled(NamedTuple):
    """The other home was called."""

    side: Side


class PairCalled(NamedTuple):
    """Another target was called."""

    place: int


CompareEvent = HomesCompared | RowPicked | SideCalled | PairCalled


def reduce_compare(state: CompareState, event: CompareEvent) -> CompareState:
    """The state after an event."""
    match event:
        case HomesCompared(pairs):
            state = replace(state, pairs=pairs)
            return replace(state, position=clamped(state.position, len(state.rows)))
        case RowPicked(position):
            return replace(state, position=clamped(position, len(state.rows)))
        case SideCalled(side):
            return replace(state, side=side)
        case PairCalled(place):
            return replace(state, current=place, position=0) if 0 <= place < len(state.pairs) else state


def row_line(state: CompareState, side: Side, position: int, is_cursor: bool, width_cells: int) -> Line:
    """One home's half of a row; a dot stands where only the other one has an entry."""
    cursor = cursor_sign(is_cursor)
    text = state.text(side, position)
    if text is None:
        return (cursor, Span("  ·", Tone.DIM))
    badge = _BADGES[state.rows[position].kind]
    word = f"  {badge.word}" if badge.word and width_cells >= WORD_CELLS else ""
    right = (Span(word, badge.tone), Span(f"  {len(text):,} ", Tone.DIM))
    room = max(width_cells - 3 - line_width(right), 0)
    shown = preview(text, room)
    tone = Tone.DIM if badge is BOTH else Tone.PLAIN
    gap = Span(" " * max(room - cell_width(shown), 0))
    return fit((cursor, Span(f"{badge.mark} ", badge.tone), Span(shown, tone), gap, *right), width_cells)


def header_left(state: CompareState) -> Line:
    """The title, and how the two stand to each other."""
    pair = state.pair
    if pair is None:
        return (Span("  Compare homes", Tone.STRONG), Span("   reading …", Tone.DIM))
    one = pair.comparison
    counts = (
        (one.count(RowKind.SAME, RowKind.MOVED), "in both"),
        (one.count(RowKind.CHANGED), "told differently"),
        (one.count(RowKind.NEW), "left only"),
        (one.count(RowKind.REMOVED), "right only"),
    )
    told = " · ".join(f"{count:,} {words}" for count, words in counts if count) or "both are empty"
    name = FILE_NAMES[pair.left.file.target]
    return (Span("  Compare ", Tone.STRONG), Span(f"{name}  "), Span(told, Tone.DIM))


def gauge_line(state: CompareState, width_cells: int) -> Line | None:
    """Both budgets, each above its home's list."""
    pair = state.pair
    if pair is None:
        return None
    half = width_cells // 2
    line: list[Span] = []
    for spot in (pair.left, pair.right):
        gauge = _gauge(spot.file.budget, half - 1)
        line += [*gauge, Span(" " * (half - line_width(gauge)))]
    return tuple(line[:-1])  # blanks at the end would be wrapped, and told as something cut off


def _gauge(budget: Budget, width_cells: int) -> Line:
    numbers = f" {used_words(budget)}"
    room = width_cells - cell_width(numbers)
    return fit((*bar(budget, max(0, min(room, 24)), budget_tone(budget)), Span(numbers)), width_cells)


def title(state: CompareState, side: Side, is_alone: bool, width_cells: int) -> str:
    """What stands in a list's upper border."""
    hint = " · tab: other home" if is_alone else ""
    pair = state.pair
    if pair is None:
        return f"Reading …{hint}"
    spot = pair.spot(side)
    told = f" · {counted(len(spot.file.document.texts), 'entry', 'entries')}{hint}"
    return tail(spot.name, max(width_cells - cell_width(told) - 6, 8)) + told


def banner(state: CompareState) -> tuple[Line, ...]:
    """What could not be read."""
    spots = (state.pair.left, state.pair.right) if state.pair else ()
    return tuple((Span(f"▲ {clip(spot.file.problem, 300)}", Tone.WARN),) for spot in spots if spot.file.problem)


def empty_words(state: CompareState) -> tuple[str, ...]:
    """What stands in an empty list."""
    if state.pair is None:
        return ("Reading …",)
    return ("Neither home holds an entry here.", "1 and 2 go to the other file, esc goes back.")


def detail_of(state: CompareState) -> Detail:
    """Both texts of the row under the cursor, the words that differ marked."""
    pair, row = state.pair, state.rows[state.position] if state.rows else None
    if pair is None or row is None:
        return Detail("Entry")
    left, right = state.text(Side.LEFT, state.position), state.text(Side.RIGHT, state.position)
    name = f"Row {state.position + 1} of {len(state.rows)}"
    if left is not None and right is not None and left != right:
        before, after = word_spans(left, right)
        return Detail(
            f"{name} · told differently",
            (
                (Span(f"{pair.left.name}:", Tone.DIM),),
                marked_text(left, [(*span, Tone.NOTE) for span in before]),
                (),
                (Span(f"{pair.right.name}:", Tone.DIM),),
                marked_text(right, [(*span, Tone.NOTE) for span in after]),
            ),
        )
    where = "in both" if left is not None and right is not None else (
        f"only in {pair.left.name}" if left is not None else f"only in {pair.right.name}"
    )
    return Detail(f"{name} · {where}", (marked_text(left if left is not None else right or ""),))
