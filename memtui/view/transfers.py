"""Copying and moving an entry: where it may go, with both budgets before it goes, and what is said afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.core.budget import project
from memtui.core.model import FILE_NAMES, Budget, MemoryFile
from memtui.core.visible import clip
from memtui.view.gauges import used_words
from memtui.view.homes_rows import name_of
from memtui.view.lines import Line, Span, Tone
from memtui.view.picking import Choice, Choices
from memtui.view.questions import quoted

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.view.homes import ListedHome

MAX_QUOTED_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Spot:
    """One file of one home, as it stands."""

    home: Home
    key: str
    """Where its memories really lie."""
    name: str
    """The home in display-safe words."""
    file: MemoryFile
    is_enabled: bool = True

    @property
    def label(self) -> str:
        """File and home."""
        return f"{FILE_NAMES[self.file.target]} of {self.name}"

    def is_same(self, other: Spot) -> bool:
        """True for the same file."""
        return (self.key, self.file.target) == (other.key, other.file.target)


@dataclass(frozen=True, slots=True)
class Order:
    """An entry and the file that it comes from."""

    text: str
    origin: Spot
    is_move: bool


def spots_of(listed: ListedHome) -> tuple[Spot, ...]:
    """The files of a home."""
    return tuple(
        Spot(listed.row.home, listed.key, name_of(listed), target.file, target.is_enabled)
        for target in listed.row.targets
    )


def places_question(order: Order, note: str = "") -> Choices:
    """Asks where the entry is to go, with a note above; the rows come as homes are read."""
    verb = "Move" if order.is_move else "Copy"
    return Choices(f"{verb} this entry of {order.origin.label} to …", (), note=note, empty="Looking for homes …")


def place_choice(order: Order, spot: Spot) -> Choice:
    """One place with what the entry would make of its budget."""
    after = project(spot.file.document.texts, None, order.text, spot.file.budget.limit_chars)
    is_there = order.text in spot.file.document.texts
    label = (Span(f"{FILE_NAMES[spot.file.target]:<10}", Tone.STRONG), Span(spot.name))
    right: Line = (Span(f"  {_percent(spot.file.budget)} → {_percent(after)}", _tone(after)),)
    if is_there:
        right = (Span("  stands there already", Tone.DIM),)
    if spot.file.problem:
        right = (Span("  ? cannot be read", Tone.BAD),)
    return Choice(label, right, tuple(_page(order, spot, after, is_there)), f"{spot.label} {spot.home.root}")


def _page(order: Order, spot: Spot, after: Budget, is_there: bool) -> Iterator[Line]:
    yield (Span("There  ", Tone.DIM), *_budgets(spot.file.budget, spot.file.budget if is_there else after))
    origin = order.origin.file
    here = project(origin.document.texts, order.text, None, origin.budget.limit_chars)
    yield (Span("Here   ", Tone.DIM), *_budgets(origin.budget, here if order.is_move else origin.budget))
    if is_there:
        yield (Span("= It stands there already: nothing is added.", Tone.DIM),)
    elif after.is_over:
        yield (Span("▲ There is no room for it: it would be refused.", Tone.BAD),)
    if spot.file.problem:
        yield (Span(f"? {clip(spot.file.problem, 300)}", Tone.BAD),)
    if spot.file.drift:
        yield (Span("▲ That file has drifted: it would be refused until that is resolved.", Tone.WARN),)
    if not spot.is_enabled:
        yield (Span("This memory is switched off in its configuration: the agent would not read it.", Tone.WARN),)
    yield ()
    yield quoted(order.text, MAX_QUOTED_CHARS)


def _budgets(now: Budget, after: Budget) -> Line:
    if now == after:
        return (Span(f"{used_words(now)}  stays"),)
    told = f"{now.used_chars:,} → {after.used_chars:,} / {after.limit_chars:,}  {now.percent} → {after.percent} %"
    return (Span(told, _tone(after)),)


def _percent(budget: Budget) -> str:
    return f"{budget.percent} %"


def _tone(budget: Budget) -> Tone:
    return Tone.BAD if budget.is_over else Tone.PLAIN


def answers_to_a_threat(order: Order) -> tuple[str, str]:
    """The answers when the scanner would block the text where it is to go."""
    return "Leave it here", f"{'Move' if order.is_move else 'Copy'} it all the same"


def done_words(order: Order, to: Spot, *, was_there: bool, is_near: bool) -> str:
    """What was done, and how it is taken back. `is_near`: the receiving file is of the home in use."""
    if was_there and not order.is_move:
        return f"The entry stands in {to.label} already; nothing was written."
    if order.is_move:
        return f"Moved to {to.label}. u takes back both halves."
    back = "u there takes it back." if is_near else "u takes it back once that home is open."
    return f"Copied to {to.label}. {back}"
