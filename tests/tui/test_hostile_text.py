"""Text that others wrote cannot drive the terminal, become markup, hide, or shift a border, wherever it is shown."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from textual.command import CommandPalette
from tui_driver import Driver, Home, OpenApp

from memtui import open_store
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.reading import ReadingScreen
from memtui.view.fields import typeable
from memtui.view.state import Phase
from memtui.view.texts import EDITOR_CANNOT_HOLD, dropped_from_paste

HOSTILE = (
    "\x1b]0;owned\x07 title",
    "\x1b[2J\x1b[31m red \x9b31m",
    "close [/x] and [bold]bold[/] and [",
    "[@click=app.quit]click me[/]",
    "bidi \u202etxet\u202c \u2066x\u2069 \u200f",
    "tab\there\tand\tthere",
    "漢字かな交じり文 한국어 ｆｕｌｌ",
    "family 👩‍👩‍👧‍👦 flag 🇩🇪 tone 👍🏽 heart ❤️",
    "zero\u200bwidth\u2060joined\ufeff",
    "tags \U000e0041\U000e0042\U000e0043",
    "line\u2028sep para\u2029sep next\u0085line \x0b\x0c\x1c",
    "zalgo " + "e" + "\u0301" * 40,
    "\u0301starts with a mark",
    "\rcarriage\x08\x08back\x7f",
    "a" * 5_000,
)
FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def assert_safe(driver: Driver) -> None:
    """No line on screen holds anything a terminal obeys or does not draw, and every line is as wide as the screen."""
    width = driver.app.size.width
    for strip in driver.app.screen._compositor.render_strips():
        text = strip.text
        assert not FORBIDDEN.search(text), repr(text)
        assert strip.cell_length == width, repr(text)
        for segment in strip:
            assert not (segment.style and segment.style.meta.get("@click")), repr(segment)
        assert not any(unicodedata.category(character) == "Cs" for character in text), repr(text)


def field_text(driver: Driver) -> str:
    """What the field that is typed into holds."""
    editor, bar = driver.app.review.editor, driver.app.review.filter_bar
    return editor.field.text if editor else bar.value if bar else ""


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_in_both_panes_and_in_the_detail(open_app: OpenApp, home: Home, size: tuple[int, int]) -> None:
    home.write_outside(*HOSTILE)
    async with open_app(size=size) as driver:
        for _ in HOSTILE:
            assert_safe(driver)
            await driver.press("tab")
            assert_safe(driver)
            await driver.press("tab", "down")
        assert driver.app.is_running


async def test_as_changed_and_removed_rows(open_app: OpenApp, home: Home) -> None:
    home.write_outside(*HOSTILE)
    async with open_app() as driver:
        home.write_outside(*(f"{text} and more" for text in HOSTILE[:8]))
        await driver.until_shown("gone from disk")
        for _ in range(len(driver.app.state.groups[0].rows)):
            assert_safe(driver)
            await driver.press("tab", "tab", "down")


@pytest.mark.parametrize("text", HOSTILE)
async def test_in_questions_notices_preview_and_after_a_click(open_app: OpenApp, home: Home, text: str) -> None:
    home.write_outside(text, "Deploy needs the VPN")
    async with open_app() as driver:
        await driver.press("d")
        await driver.until_shown("Remove this entry")
        assert_safe(driver)
        await driver.press("escape", "p")
        await driver.until_shown("The block that the agent gets")
        assert_safe(driver)
        await driver.press("escape", "y", "e")
        await driver.until(lambda: driver.app.review.editor is not None or EDITOR_CANNOT_HOLD in driver.notices)
        assert_safe(driver)
        await driver.press("escape")
        for row in range(6):
            await driver.pilot.click("#detail", offset=(4, row))
            await driver.pilot.click("#live", offset=(8, row))
        assert driver.app.is_running


async def test_in_the_palette(open_app: OpenApp, home: Home) -> None:
    home.write_outside(*HOSTILE)
    async with open_app() as driver:
        await driver.press("ctrl+p")
        await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
        await driver.until_shown("Remove")

        assert_safe(driver)


async def test_in_a_conflict_and_in_the_editor(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await driver.press("e", *" mine")
        home.write_outside(HOSTILE[3] + " Project uses uv", "Deploy needs the VPN", "Cron runs at 03:00")
        await driver.until_shown("Another program changed this entry")
        assert_safe(driver)

        await driver.press("ctrl+s")
        await driver.until_shown("disk")
        assert_safe(driver)


@pytest.mark.parametrize("paste", HOSTILE)
async def test_in_a_paste_and_what_is_said_of_it(open_app: OpenApp, paste: str) -> None:
    async with open_app() as driver:
        await driver.press("a")
        await driver.type(paste)
        cleaned, dropped = typeable(paste)
        editor = driver.app.review.editor
        assert editor is not None
        await driver.until(lambda: editor.field.text == cleaned, "pasted")
        await driver.until(lambda: not dropped or dropped_from_paste(dropped) in driver.notices, "told")
        assert_safe(driver)
        await driver.press("ctrl+s")
        await driver.settled()

        assert_safe(driver)


@pytest.mark.parametrize("text", HOSTILE)
async def test_in_the_filter(open_app: OpenApp, home: Home, text: str) -> None:
    home.write_outside(text)
    async with open_app() as driver:
        await driver.press("slash")
        await driver.type(text[:40].splitlines()[0] + "zz")
        await driver.until_shown("Nothing matches")

        assert_safe(driver)


@pytest.mark.parametrize("name", ["\x1b[31mred", "[@click=app.quit]x[/]", "[/x]", "\u202ebidi", "漢字"])
async def test_in_the_name_of_a_home(open_app: OpenApp, tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / name)
    home.write_outside("Project uses uv")
    async with open_app(lambda: open_store(home.root)) as driver:
        assert_safe(driver)
        await driver.press("a", *"text", "ctrl+s")
        await driver.until(lambda: "text" in home.text)
        assert_safe(driver)


async def test_in_the_name_of_a_home_that_is_not_there(open_app: OpenApp, tmp_path: Path) -> None:
    file = tmp_path / "\x1b]0;x\x07[@click=app.quit]x\u202e.txt"
    file.write_text("no memory")
    async with open_app(lambda: open_store(file), is_ready=False) as driver:
        await driver.until(lambda: driver.app.state.phase is not Phase.OPENING)

        assert_safe(driver)


async def test_bytes_that_are_not_utf_8(open_app: OpenApp, home: Home) -> None:
    home.memory.write_bytes(b"caf\xe9 \x1b[31m\n\xc2\xa7\n\x00nul \xed\xa0\x80 surrogate")
    async with open_app() as driver:
        for _ in range(3):
            assert_safe(driver)
            await driver.press("down", "p")
            await driver.until(lambda: isinstance(driver.app.screen, ReadingScreen))
            assert_safe(driver)
            await driver.press("escape", "d")
            await driver.until(lambda: isinstance(driver.app.screen, ChoiceScreen))
            assert_safe(driver)
            await driver.press("escape")


@pytest.mark.parametrize("key", ["slash", "a"])
async def test_in_a_copied_entry_that_is_pasted_into_a_field(open_app: OpenApp, home: Home, key: str) -> None:
    home.write_outside(HOSTILE[0] + HOSTILE[4])
    async with open_app() as driver:
        await driver.press("y", key, "ctrl+v", "x")
        await driver.until(lambda: field_text(driver).endswith("x") and len(field_text(driver)) > 1, "pasted")

        assert_safe(driver)
