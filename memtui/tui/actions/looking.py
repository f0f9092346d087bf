"""Commands that only look: filter, new session, prompt preview, copy, help, leaving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.tui.asides import prompt_block
from memtui.view import texts
from memtui.view.events import FilterTyped, ProblemDismissed
from memtui.view.lines import Line, Span, Tone

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.review import ReviewScreen


async def open_filter(screen: ReviewScreen, key: str) -> None:
    """Show the filter bar and go there."""
    from memtui.tui.widgets.filter_bar import FilterBar

    if screen.filter_bar is None:
        screen.filter_bar = FilterBar()
        await screen.mount(screen.filter_bar, before="#panes")
    screen.filter_bar.display = True
    screen.set_focus(screen.filter_bar)


def accept_filter(screen: ReviewScreen, key: str) -> None:
    """Keep the filter and go to the list."""
    if screen.filter_bar is not None:
        screen.filter_bar.display = bool(screen.state.query.strip())
    screen.focus_list()


def clear_filter(screen: ReviewScreen, key: str) -> None:
    """Show everything again and go to the list."""
    if screen.filter_bar is not None:
        screen.filter_bar.value = ""
        screen.filter_bar.display = False
    screen.memtui.apply(FilterTyped(""))
    screen.focus_list()


def step_back(screen: ReviewScreen, key: str) -> None:
    """One step out: a wait, then a message, then the filter."""
    if screen.state.waiting:
        screen.memtui.jobs.give_up_waiting()
    elif screen.state.problem:
        screen.memtui.apply(ProblemDismissed())
    elif screen.state.query:
        clear_filter(screen, key)


def freeze(screen: ReviewScreen, key: str) -> None:
    """Freeze the snapshot anew."""
    app = screen.memtui

    async def frozen() -> None:
        app.apply(await app.jobs.run(app.jobs.freeze))
        await app.lookout.scan_all()

    app.start(frozen())


def preview(screen: ReviewScreen, key: str) -> None:
    """Show the block that the agent gets."""
    from memtui.tui.screens.reading import ReadingScreen
    from memtui.view.agent_notes import unread_words
    from memtui.view.detail import marked_text

    app = screen.memtui

    async def shown() -> None:
        unread, block = await app.jobs.run(lambda: prompt_block(app.jobs.store))
        loads = {group.file_name: group.load for group in screen.state.groups}
        mended = {name for name in unread if (load := loads.get(name)) and load.file.document.bad_byte is None}
        body: list[Line] = [
            (Span(f"⊘ {unread_words(name, is_mended=name in mended)}", Tone.WARN),) for name in unread
        ]
        if block or not body:
            body.append(marked_text(block) if block else (Span(texts.PREVIEW_EMPTY, Tone.DIM),))
        app.push_screen(ReadingScreen(texts.PREVIEW_TITLE, tuple(body)))

    app.start(shown())


def copy(screen: ReviewScreen, key: str) -> None:
    """Send the selected entry to the terminal's clipboard."""
    row = screen.state.picked
    half = row and (row.half(screen.state.side) or row.live or row.snapshot)
    if half:
        screen.app.copy_to_clipboard(half.text)
        screen.memtui.tell(texts.Notice(texts.COPIED))


async def show_help(screen: ReviewScreen, key: str) -> None:
    """Show every key."""
    from memtui.tui.screens.reading import ReadingScreen
    from memtui.view.help import HANGING_CELLS, help_page

    await screen.app.push_screen(ReadingScreen(texts.HELP_TITLE, help_page(), HANGING_CELLS))


async def leave_app(screen: ReviewScreen, key: str) -> None:
    """Leave; an unsaved text asks first."""
    await screen.memtui.action_quit()


HANDLERS: Mapping[str, Handler] = {
    "filter.open": open_filter,
    "filter.accept": accept_filter,
    "filter.clear": clear_filter,
    "step.back": step_back,
    "session.freeze": freeze,
    "block.preview": preview,
    "entry.copy": copy,
    "app.help": show_help,
    "app.theme": lambda screen, key: screen.app.action_change_theme(),
    "app.palette": lambda screen, key: screen.app.action_command_palette(),
    "app.quit": leave_app,
    "app.leave": leave_app,
}
