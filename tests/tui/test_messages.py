"""Messages never lie over what a person has to read or press next."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast
from tui_driver import MEMORY, SIZES, Home, OpenApp

from memtui.view.events import ProblemSeen
from memtui.view.texts import Level, Notice

WARNING = Notice("Something to know, in a whole sentence.", Level.WARNING)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("key", "shows"),
    [("d", "Remove entry"), ("a", "New entry"), ("question_mark", "Keys and marks"), ("H", "Versions")],
)
async def test_what_opens_puts_older_messages_away(
    open_app: OpenApp, home: Home, key: str, shows: str, size: tuple[int, int]
) -> None:
    async with open_app(size=size) as driver:
        driver.app.tell(WARNING)
        await driver.until_shown("Something to know")
        await driver.press(key)
        await driver.until_shown(shows)
        assert driver.notices == []
        await driver.until_gone("Something to know")


async def test_writes_of_another_program_are_one_message_of_each_file(open_app: OpenApp, home: Home) -> None:
    async with open_app(size=(80, 24)) as driver:
        texts = [*MEMORY]
        for number in range(5):
            texts.append(f"Note {number} of another program")
            home.write_outside(*texts)
            await driver.until_shown(f"Note {number}")
        home.write_outside("Prefers long answers", "Likes tea", path=home.user)
        await driver.until(lambda: any("USER.md changed" in one for one in driver.notices), "the other file")

        await driver.until(lambda: len(driver.notices) == 2, "one message of each")
        assert "+1 −0 ~0 (+5 −0 ~0 in all)" in driver.notices[0]
        await driver.until(lambda: len(driver.app.screen.query(Toast)) == 2, "two on the screen")


async def test_the_same_words_again_stand_once(open_app: OpenApp) -> None:
    async with open_app() as driver:
        for _ in range(4):
            driver.app.tell(WARNING)
            await driver.pilot.pause()
        await driver.press("ctrl+c", "ctrl+c")
        assert len(driver.notices) == 2
        assert driver.screen_text.count("Something to know") == 1


LONG = "The entry opens a place in the file system which a note has no reason to touch, whatever stands there, at all."


@pytest.mark.parametrize("width", [40, 60, 80, 90, 100, 110, 119, 120])
@pytest.mark.parametrize("message", ["Undid a change in memory (840/2200 chars used).", f"Added.\n{LONG}"])
async def test_a_message_is_shown_to_its_last_word(open_app: OpenApp, message: str, width: int) -> None:
    async with open_app(size=(width, 30)) as driver:
        driver.app.tell(Notice(message, Level.WARNING))

        await driver.until(lambda: message.split()[-1] in driver.screen_text.split(), "the last word")


async def test_a_change_puts_the_messages_of_the_one_before_away(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await driver.press("d", "r")
        await driver.until_shown("Removed from memory")
        await driver.press("u")
        await driver.until_shown("Undid a change")
        assert [message.split(" in ")[0] for message in driver.notices] == ["Undid a change"]


async def test_one_change_is_one_message(open_app: OpenApp, home: Home) -> None:
    home.memory.write_text("Project uses uv  \n§\nProject uses uv\n§\nCron runs at 03:00\n", encoding="utf-8")
    async with open_app() as driver:
        await driver.press("x")
        await driver.until_shown("Tidy it")
        await driver.press("right", "enter")
        await driver.until_shown("Tidied memory")
        assert len(driver.notices) == 1
        assert "1 repeated entry was folded" in driver.notices[0]


async def test_a_message_leaves_the_buttons_of_an_open_dialog_free(open_app: OpenApp, home: Home) -> None:
    async with open_app(size=(60, 20)) as driver:
        await driver.press("d")
        await driver.until_shown("Remove entry")
        driver.app.tell(WARNING)
        await driver.until_shown("Something to know")
        assert "Keep entry" in driver.screen_text
        assert "Remove entry" in driver.screen_text


@pytest.mark.parametrize("size", SIZES)
async def test_a_failure_is_told_once_above_the_footer_until_esc(
    open_app: OpenApp, home: Home, size: tuple[int, int]
) -> None:
    home.memory.write_text("x" * 3000, encoding="utf-8")
    async with open_app(size=size) as driver:
        await driver.press("a", *"Lunch", "ctrl+s")
        await driver.until_shown("MEMORY.md has drifted, so nothing was")
        assert driver.screen_text.count("has drifted, so nothing") == 1
        assert not driver.app._notifications

        await driver.press("escape")
        await driver.until_shown("Drop the text")
        await driver.press("tab", "enter", "escape")
        await driver.until_gone("has drifted, so nothing")


NOTHING = "There is nothing to undo"


@pytest.mark.parametrize(("key", "shows"), [("2", "USER"), ("j", "Live"), ("a", "New entry"), ("b", "Resolve")])
async def test_a_refusal_goes_with_the_next_key(open_app: OpenApp, home: Home, key: str, shows: str) -> None:
    async with open_app() as driver:
        await driver.press("u")
        await driver.until_shown(NOTHING)

        await driver.press(key)
        await driver.until_gone(NOTHING)
        await driver.until_shown(shows)


async def test_esc_puts_a_refusal_away_before_the_filter(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await driver.press("slash", *"uv", "enter", "u")
        await driver.until_shown(NOTHING)
        await driver.press("escape")
        await driver.until_gone(NOTHING)
        assert driver.app.state.query == "uv"


async def test_a_failure_that_is_no_answer_to_a_key_stays(open_app: OpenApp) -> None:
    async with open_app() as driver:
        driver.app.apply(ProblemSeen("A record cannot be read."))
        await driver.press("u")
        await driver.until_shown(NOTHING)
        driver.app.apply(ProblemSeen("A record cannot be read."))
        await driver.press("j", "2", "question_mark", "escape")
        await driver.until_shown("A record cannot be read.")
