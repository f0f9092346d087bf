"""Every command by key and by palette, at every size; the table and the screen agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.command import CommandList, CommandPalette
from textual.screen import Screen
from textual.widgets import Input
from tui_driver import MEMORY, SIZES, Driver, Home, OpenApp

from memtui.tui.actions import handlers
from memtui.tui.screens.archive import ArchiveScreen
from memtui.tui.screens.audit import AuditScreen
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.homes import HomesScreen
from memtui.tui.screens.pick import PickScreen
from memtui.tui.screens.reading import ReadingScreen
from memtui.tui.screens.resolver import ResolverScreen
from memtui.tui.screens.staged import StagedScreen
from memtui.tui.screens.timeline import TimelineScreen
from memtui.view.keys import COMMANDS, Context, command
from memtui.view.rows import Side

Came = Callable[[Driver, Home], bool]

CAME: dict[str, Came] = {
    "entry.add": lambda driver, home: driver.app.review.editor is not None,
    "entry.edit": lambda driver, home: driver.app.review.editor is not None,
    "entry.edit_outside": lambda driver, home: MEMORY[0] + " outside" in home.text,
    "entry.remove": lambda driver, home: isinstance(driver.app.screen, ChoiceScreen),
    "change.undo": lambda driver, home: bool(driver.notices),
    "change.redo": lambda driver, home: bool(driver.notices),
    "drift.resolve": lambda driver, home: isinstance(driver.app.screen, ResolverScreen),
    "history.open": lambda driver, home: isinstance(driver.app.screen, TimelineScreen),
    "file.tidy": lambda driver, home: any("nothing to tidy" in notice for notice in driver.notices),
    "entry.split": lambda driver, home: any("nothing to split" in notice for notice in driver.notices),
    "threats.open": lambda driver, home: isinstance(driver.app.screen, AuditScreen),
    "entry.reword": lambda driver, home: any("The agent sees this entry" in notice for notice in driver.notices),
    "filter.open": lambda driver, home: driver.app.review.context is Context.FILTER,
    "session.freeze": lambda driver, home: any("Frozen anew" in notice for notice in driver.notices),
    "block.preview": lambda driver, home: isinstance(driver.app.screen, ReadingScreen),
    "entry.copy": lambda driver, home: driver.app.clipboard == MEMORY[0],
    "group.pick": lambda driver, home: driver.app.state.current == 0,
    "pane.switch": lambda driver, home: driver.app.state.side is Side.SNAPSHOT,
    "move.first": lambda driver, home: driver.picked_text == MEMORY[0],
    "move.last": lambda driver, home: driver.picked_text == MEMORY[-1],
    "move.down": lambda driver, home: driver.picked_text == MEMORY[1],
    "move.up": lambda driver, home: driver.picked_text == MEMORY[0],
    "move.page_down": lambda driver, home: driver.picked_text == MEMORY[-1],
    "move.page_up": lambda driver, home: driver.picked_text == MEMORY[0],
    "detail.down": lambda driver, home: driver.app.is_running,
    "detail.up": lambda driver, home: driver.app.is_running,
    "step.back": lambda driver, home: not driver.app.state.problem,
    "staged.open": lambda driver, home: isinstance(driver.app.screen, StagedScreen),
    "home.choose": lambda driver, home: isinstance(driver.app.screen, HomesScreen),
    "snapshot.choose": lambda driver, home: isinstance(driver.app.screen, PickScreen),
    "entry.copy_to": lambda driver, home: "Copy this entry" in driver.screen_text,
    "entry.move_to": lambda driver, home: "Move this entry" in driver.screen_text,
    "archive.open": lambda driver, home: isinstance(driver.app.screen, ArchiveScreen),
    "app.help": lambda driver, home: isinstance(driver.app.screen, ReadingScreen),
    "app.theme": lambda driver, home: isinstance(driver.app.screen, CommandPalette),
    "app.quit": lambda driver, home: not driver.app.is_running,
}
REVIEW_COMMANDS = [entry for entry in COMMANDS if Context.REVIEW in entry.contexts]


@pytest.fixture(autouse=True)
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "editor.sh"
    program.write_text('#!/bin/sh\nprintf " outside" >> "$1"\n')
    program.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(program))


async def by_palette(driver: Driver, command_id: str) -> None:
    """Find a command in the palette by its sentence and run it."""
    await driver.press("ctrl+p")
    await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
    palette = driver.app.screen
    palette.query_one(Input).value = command(command_id).help
    await driver.until(lambda: _is_first(palette, command(command_id).label), "the command in the palette")
    await driver.press("enter")


def _is_first(palette: Screen[object], label: str) -> bool:
    found = palette.query_one(CommandList)
    if not found.option_count or found.highlighted is None:
        return False
    return label in str(found.get_option_at_index(found.highlighted).prompt)


def test_every_command_has_a_handler_and_a_test() -> None:
    assert {entry.id for entry in COMMANDS} == set(handlers())
    assert {entry.id for entry in REVIEW_COMMANDS} == set(CAME)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command_id", [entry.id for entry in REVIEW_COMMANDS if entry.keys])
async def test_a_command_by_every_key(open_app: OpenApp, home: Home, command_id: str, size: tuple[int, int]) -> None:
    keys = command(command_id).keys[:2]
    for key in keys[:1] if command_id in ("change.undo", "group.pick") else keys:
        home.write_outside(*MEMORY)
        async with open_app(size=size) as driver:
            await driver.press(key)

            await driver.until(lambda: CAME[command_id](driver, home), f"{command_id} by {key}")  # noqa: B023


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command_id", [entry.id for entry in REVIEW_COMMANDS if entry.in_palette])
async def test_a_command_by_palette(open_app: OpenApp, home: Home, command_id: str, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await by_palette(driver, command_id)

        await driver.until(lambda: CAME[command_id](driver, home), command_id)


async def test_the_palette_saves_an_open_editor(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await driver.press("a", *"Lunch")
        await by_palette(driver, "editor.save")

        await driver.until(lambda: "Lunch" in home.text)


async def test_the_palette_offers_only_what_can_run(open_app: OpenApp, home: Home) -> None:
    async with open_app(read_only=True) as driver:
        await driver.press("ctrl+p")
        await driver.until_shown("New session")

        assert "Write a new entry." not in driver.screen_text


@pytest.mark.parametrize(
    ("typed", "found", "not_found"),
    [
        ("theme", "Theme", "Undo"),
        ("hist", "History", "Drift"),
        ("writes approved", "Staged", "Undo"),
        ("svg", "No matches found", "History"),
    ],
)
async def test_the_palette_finds_names_by_letters_and_sentences_by_words(
    open_app: OpenApp, home: Home, typed: str, found: str, not_found: str
) -> None:
    async with open_app() as driver:

        def titles() -> list[str]:
            options = driver.app.screen.query_one(CommandList).options
            return [str(option.prompt).split("\n")[0].split("  ")[0] for option in options]

        await driver.press("ctrl+p", *(("space" if letter == " " else letter) for letter in typed))
        await driver.until(lambda: any(found in title for title in titles()[:1]), found)

        assert not_found not in titles()
