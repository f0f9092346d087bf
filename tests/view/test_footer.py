"""The footer's keys at every width: the way to all others, and the way out, stand in each that has room for them."""

from __future__ import annotations

import pytest

from memtui.view.chrome import footer_line
from memtui.view.keys import Context, footer_commands
from memtui.view.lines import line_width

PLACES = (Context.REVIEW, Context.RESOLVER, Context.HISTORY, Context.AUDIT, Context.STAGED, Context.HOMES)


def shown_at(context: Context, width_cells: int) -> list[str]:
    line, slots = footer_line(footer_commands(context), frozenset(), width_cells)
    assert line_width(line) <= width_cells
    return [slot.target for slot in slots]


@pytest.mark.parametrize("context", PLACES)
@pytest.mark.parametrize("width_cells", [40, 60, 80, 100])
def test_help_and_the_way_back_give_way_last(context: Context, width_cells: int) -> None:
    shown = shown_at(context, width_cells)

    assert "app.help" in shown
    assert "place.leave" in shown or context is Context.REVIEW


@pytest.mark.parametrize("context", PLACES)
def test_the_keys_keep_their_order(context: Context) -> None:
    order = [entry.id for entry in footer_commands(context)]

    for width_cells in range(200):
        shown = shown_at(context, width_cells)
        assert shown == [one for one in order if one in shown]


def test_the_most_important_key_comes_first_where_there_is_room() -> None:
    assert shown_at(Context.REVIEW, 60)[:6] == [
        "entry.add", "entry.edit", "entry.remove", "change.undo", "filter.open", "drift.resolve",
    ]  # fmt: skip
