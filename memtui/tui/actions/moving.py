"""Commands that move: the selection, the pane, the group, the text of a long entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.tui.widgets.panes import Panes
from memtui.tui.widgets.text_box import TextBox
from memtui.view.events import EntryPicked, SideSwitched, TargetSwitched
from memtui.view.rows import Side

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.review import ReviewScreen


def _move(screen: ReviewScreen, rows: int) -> None:
    if group := screen.state.group:
        screen.memtui.apply(EntryPicked(group.position + rows))


def _move_page(screen: ReviewScreen, pages: int) -> None:
    pane = screen.query_one(Panes).pane(screen.state.side)
    _move(screen, pages * pane.page_rows())


def _scroll_detail(screen: ReviewScreen, direction: int) -> None:
    screen.query_one("#detail", TextBox).page(direction / 2)


def _to(screen: ReviewScreen, position: int) -> None:
    screen.memtui.apply(EntryPicked(position))


def last(screen: ReviewScreen, key: str) -> None:
    """To the last row."""
    if group := screen.state.group:
        _to(screen, len(group.shown) - 1)


def switch_pane(screen: ReviewScreen, key: str) -> None:
    """To the other pane, where the group has one."""
    group = screen.state.group
    if group is not None and group.capabilities.has_snapshot:
        other = Side.SNAPSHOT if screen.state.side is Side.LIVE else Side.LIVE
        screen.memtui.apply(SideSwitched(other))


def pick_group(screen: ReviewScreen, key: str) -> None:
    """To the group whose number the key is."""
    screen.memtui.apply(TargetSwitched(int(key) - 1))


HANDLERS: Mapping[str, Handler] = {
    "move.down": lambda screen, key: _move(screen, 1),
    "move.up": lambda screen, key: _move(screen, -1),
    "move.page_down": lambda screen, key: _move_page(screen, 1),
    "move.page_up": lambda screen, key: _move_page(screen, -1),
    "move.first": lambda screen, key: _to(screen, 0),
    "move.last": last,
    "pane.switch": switch_pane,
    "group.pick": pick_group,
    "detail.down": lambda screen, key: _scroll_detail(screen, 1),
    "detail.up": lambda screen, key: _scroll_detail(screen, -1),
}
