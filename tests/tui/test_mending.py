"""Tidy and split by keys, and the banner that names the key for what is the matter."""

from __future__ import annotations

import pytest
from tui_driver import SIZES, Home, OpenApp, answer

from memtui.tui.screens.resolver import ResolverScreen

MERGED = "§ The client is Blue Heron\n§ Invoices leave on the 3rd\n§ The contact is Cleo Sample"


@pytest.mark.parametrize("size", SIZES)
async def test_tidy_shows_what_changes_and_then_tidies(
    open_app: OpenApp, home: Home, size: tuple[int, int]
) -> None:
    raw_bytes = b"One\r\n\r\n\xc2\xa7\r\nTwo\r\n\xc2\xa7\r\n"
    home.memory.write_bytes(raw_bytes)
    async with open_app(size=size) as driver:
        await driver.until_shown("x tidies")
        await driver.press("x")
        await answer(driver, "CRLF", "enter")
        assert home.memory.read_bytes() == raw_bytes
        await driver.press("x")
        await answer(driver, "Tidy the layout of MEMORY.md?", "tab", "enter")

        await driver.until(lambda: home.memory.read_bytes() == "One\n§\nTwo".encode())
        await driver.until_gone("x tidies")
        assert "changed outside" not in " ".join(driver.notices)
        await driver.press("u")
        await driver.until(lambda: home.memory.read_bytes() == raw_bytes)


@pytest.mark.parametrize("size", SIZES)
async def test_split_shows_the_parts_and_the_size_and_then_splits(
    open_app: OpenApp, home: Home, size: tuple[int, int]
) -> None:
    home.memory.write_text(MERGED, encoding="utf-8")
    async with open_app(size=size) as driver:
        await driver.until_shown("S splits")
        await driver.press("S")
        await answer(driver, "into 3 entries?", "enter")
        assert home.text == MERGED
        await driver.press("S")
        await answer(driver, "Afterwards 81 of 2,200 characters", "tab", "enter")

        await driver.until(lambda: home.text == MERGED.removeprefix("§ ").replace("\n§ ", "\n§\n"))
        await driver.until_gone("S splits")
        assert "changed outside" not in " ".join(driver.notices)


async def test_one_note_is_not_split(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await driver.press("S")

        await driver.until(lambda: any("nothing to split" in notice for notice in driver.notices))


async def test_a_drifted_file_is_not_tidied_and_the_way_out_is_named(open_app: OpenApp, home: Home) -> None:
    home.memory.write_bytes(b"caf\xe9\n")
    async with open_app() as driver:
        await driver.until_shown("b resolves it")
        await driver.press("x")

        await driver.until(lambda: any("b resolves it first" in notice for notice in driver.notices))


async def test_a_final_newline_alone_is_no_matter(open_app: OpenApp, home: Home) -> None:
    home.memory.write_text("One\n§\nTwo\n", encoding="utf-8")
    async with open_app() as driver:
        assert "Layout" not in driver.screen_text


async def test_a_layout_that_nobody_refuses_is_told_calmly(open_app: OpenApp, home: Home) -> None:
    home.memory.write_text("§\nOne\n§\nTwo", encoding="utf-8")
    async with open_app() as driver:
        await driver.until_shown("x ")

        assert "Drift" not in driver.screen_text.splitlines()[2]


async def test_nothing_is_mended_read_only(open_app: OpenApp, home: Home) -> None:
    home.memory.write_text(MERGED + "\n\n", encoding="utf-8")
    before = home.memory.read_bytes()
    async with open_app(read_only=True) as driver:
        for key in ("x", "S"):
            await driver.press(key)
            # The same refusal again takes the first one's place.
            await driver.until(lambda: len(driver.notices) == 1)
        await driver.press("b")
        await driver.until(lambda: isinstance(driver.app.screen, ResolverScreen))

        assert home.memory.read_bytes() == before
