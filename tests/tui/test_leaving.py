"""ctrl+q leaves from anywhere, and what would be lost asks first."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandPalette
from tui_driver import Home, OpenApp


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        (("d",), "Remove this entry"), (("question_mark",), "Keys and marks"), (("c",), "Copy"),
        (("ctrl+p",), "Find a command"), (("H", "question_mark"), "Keys and marks"),
    ],
)  # fmt: skip
async def test_ctrl_q_leaves_from_a_dialog(
    open_app: OpenApp, home: Home, cut_off: Path, keys: tuple[str, ...], shown: str
) -> None:
    Home(cut_off / ".hermes").write_outside("Old fact")
    before = home.text
    async with open_app() as driver:
        for key in keys:
            screen = driver.app.screen
            await driver.press(key)
            await driver.until(lambda screen=screen: driver.app.screen is not screen, key)
        assert shown in driver.screen_text or isinstance(driver.app.screen, CommandPalette)

        await driver.press("ctrl+q")
        await driver.until(lambda: not driver.app.is_running, "left")

    assert home.text == before


async def test_ctrl_q_above_an_unsaved_text_asks_about_it_once(open_app: OpenApp) -> None:
    async with open_app() as driver:
        await driver.press("a", *"draft", "ctrl+p")
        await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
        await driver.press("ctrl+q", "ctrl+q")
        await driver.until_shown("This text is not saved.")
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
        assert driver.app.is_running
