"""Writes that wait, for a lock that another program holds or for their turn: told, ended, never lost, never a trap."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from agent_side import stage, staged_names
from audit_driver import POISON, audit_of, open_audit, pick
from tui_driver import MEMORY, Driver, Home, OpenApp, answer, held_lock

from memtui import open_store
from memtui.actions.transfer import Place, move_entry
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.audit import AuditScreen
from memtui.tui.screens.homes import HomesScreen
from memtui.tui.screens.resolver import ResolverScreen
from memtui.tui.screens.staged import StagedScreen

STILL = "A change is still being written"


async def until_waiting(driver: Driver) -> None:
    await driver.until(lambda: "MEMORY.md.lock" in driver.app.state.waiting, "the wait is told")
    await driver.until_shown("esc stops waiting")


async def until_done(driver: Driver) -> None:
    app = driver.app
    await driver.until(lambda: not app.state.waiting and not app.jobs.writes_left, "nothing is waited for")


@contextmanager
def busy(app: MemtuiApp) -> Iterator[None]:
    """Keep the store's thread from everything that is queued."""
    is_over = threading.Event()
    app.jobs.submit(is_over.wait)
    try:
        yield
    finally:
        is_over.set()


@pytest.fixture
def backup(poisoned: Home) -> Path:
    """The backup that holds a poisoned entry."""
    return poisoned.memory.parent / "MEMORY.md.bak.1764500000"


# ------------------------------------------------------------------------------------- a lock held by another


async def test_after_a_wait_the_audit_can_be_left(open_app: OpenApp, poisoned: Home, backup: Path) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "backup", POISON)
        with held_lock(poisoned.memory):
            await driver.press("d", "r")
            await until_waiting(driver)
        await driver.until(lambda: not backup.exists(), "deleted")
        await answer(driver, "Its text still lies in:", "escape")
        await until_done(driver)

        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.review, "left")


async def test_after_a_purge_that_waited_too(open_app: OpenApp, poisoned: Home, backup: Path) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)
        with held_lock(poisoned.memory):
            await driver.press("P")
            await answer(driver, "The text also lies in:", "p")
            await until_waiting(driver)
        await driver.until(lambda: not backup.exists(), "purged")
        await until_done(driver)

        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.review, "left")


async def test_a_wait_that_was_given_up_ends_no_later_one(open_app: OpenApp, home: Home) -> None:
    stage(home, "one", action="add", content="Coverage below 85 % fails the build")
    async with open_app() as driver:
        with held_lock(home.memory):
            await driver.press("d")
            await answer(driver, "Remove this entry", "r")
            await until_waiting(driver)
            await driver.press("escape")
            await until_done(driver)
        assert MEMORY[0] in home.text
        await driver.press("w")
        await driver.until(lambda: isinstance(driver.app.screen, StagedScreen) and bool(driver.app.screen.staged.views))

        with held_lock(home.memory):
            await driver.press("A")
            await answer(driver, "Approve", "tab", "enter")
            await until_waiting(driver)
        await driver.until(lambda: "Coverage below 85 %" in home.text, "approved")
        assert staged_names(home) == []


async def test_deleting_backups_tells_whom_it_waits_for_and_esc_ends_it(open_app: OpenApp, home: Home) -> None:
    same = home.memory.with_name("MEMORY.md.bak.1700000000")
    same.write_bytes(home.memory.read_bytes())
    async with open_app() as driver:
        await driver.press("b")
        await driver.until(
            lambda: isinstance(driver.app.screen, ResolverScreen) and bool(driver.app.screen.resolver.sources)
        )
        with held_lock(home.memory):
            await driver.press("D")
            await answer(driver, "Delete", "tab", "enter")
            await until_waiting(driver)

            await driver.press("escape")
            await until_done(driver)
            assert isinstance(driver.app.screen, ResolverScreen)
            await driver.until_told("cancelled")

        assert same.exists()


async def test_undo_of_a_move_waits_for_the_other_home_in_sight(open_app: OpenApp, home: Home, cut_off: Path) -> None:
    other = Home(cut_off / ".hermes")
    other.write_outside("Old fact")
    move_entry(Place(open_store(home.root), "memory"), MEMORY[0], Place(open_store(other.root), "memory"))
    async with open_app() as driver:
        with held_lock(other.memory):
            await driver.press("u")
            await until_waiting(driver)
            await driver.press("escape")
            await until_done(driver)

        await driver.until_told("stands in")
        assert MEMORY[0] in home.text
        assert MEMORY[0] in other.text


async def test_esc_in_the_home_chooser_ends_a_wait_before_it_leaves(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        with held_lock(home.memory):
            await driver.press("d")
            await answer(driver, "Remove this entry", "r")
            await until_waiting(driver)
            await driver.press("o")
            await driver.until(lambda: isinstance(driver.app.screen, HomesScreen))
            await until_waiting(driver)

            await driver.press("escape")
            await until_done(driver)

            assert isinstance(driver.app.screen, HomesScreen)


async def test_the_end_of_one_wait_hides_no_other_that_began_meanwhile(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        app, waits = driver.app, threading.Event()
        told = app.jobs.store.waiting
        assert told is not None

        def tell(words: str) -> None:
            told(words)
            waits.set()

        app.jobs.store.waiting = tell
        with held_lock(home.memory):
            await driver.press("u")
            await until_waiting(driver)
            await confirmed_removal(driver, writes=2)
            waits.clear()
            app.jobs.give_up_waiting()
            waits.wait()  # on the event loop: it hears of both at once, as when a frame takes long

            await driver.until(lambda: app.jobs.writes_left == 1, "the first ended")
            await until_waiting(driver)
            await driver.press("escape")
            await until_done(driver)

        assert MEMORY[0] in home.text


# ------------------------------------------------------------------------------------- a turn that has not come


async def confirmed_removal(driver: Driver, writes: int = 1) -> None:
    await driver.press("d")
    await answer(driver, "Remove this entry", "r")
    await driver.until(lambda: driver.app.jobs.writes_left == writes, "queued")


async def test_leaving_waits_until_a_confirmed_write_is_done(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        with busy(driver.app):
            await confirmed_removal(driver)
            for key in ("q", "ctrl+q"):
                await driver.press(key)
            assert driver.app.is_running
            assert any(STILL in notice for notice in driver.notices)
        await driver.until(lambda: MEMORY[0] not in home.text, "written")
        await until_done(driver)

        await driver.press("q")
        await driver.until(lambda: not driver.app.is_running, "left")


async def test_no_other_home_is_opened_meanwhile(open_app: OpenApp, home: Home, cut_off: Path) -> None:
    Home(cut_off / ".hermes").write_outside("Old fact")
    async with open_app() as driver:
        with busy(driver.app):
            await confirmed_removal(driver)
            await driver.press("o")
            await driver.until_shown("~/.hermes")
            await driver.press("G", "enter")
            assert driver.app.jobs.home.root == home.root
            assert any(STILL in notice for notice in driver.notices)
        await driver.until(lambda: MEMORY[0] not in home.text, "written")
        await until_done(driver)

        await driver.press("enter")
        await driver.until_shown("Old fact")


async def test_what_ends_the_app_from_outside_drops_no_confirmed_write(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        with busy(driver.app):
            await confirmed_removal(driver)
            driver.app.exit(return_code=143)
            await driver.until(lambda: not driver.app.is_running, "ended")
            assert MEMORY[0] in home.text
        await driver.until(lambda: MEMORY[0] not in home.text, "written all the same")


NOT_YET = "A change is not written yet."


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
@pytest.mark.parametrize("before", [("d", "r"), ("d", "r", "u"), ("x", "right", "enter")], ids=["d", "u", "x"])
async def test_leaving_in_sight_of_a_wait_asks_and_esc_waits_on(
    open_app: OpenApp, home: Home, key: str, before: tuple[str, ...]
) -> None:
    *_, last = before
    if last == "enter":
        home.memory.write_bytes(b"one  \n\xc2\xa7\ntwo\n")
    async with open_app() as driver:
        if last == "u":
            await driver.press("d", "r")
            await driver.until(lambda: MEMORY[0] not in home.text, "removed")
            await until_done(driver)
            before = ("u",)
        old = home.text
        with held_lock(home.memory):
            for one in before:
                await driver.press(one)
            await until_waiting(driver)
            await driver.press(key)
            await answer(driver, NOT_YET, "escape")
            await driver.until_gone(NOT_YET)
            assert driver.app.is_running
            assert driver.app.state.waiting
            assert home.text == old
        await driver.until(lambda: home.text != old, "written")


async def test_who_leaves_without_a_waiting_change_leaves_it_unwritten(
    open_app: OpenApp, poisoned: Home, backup: Path
) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "backup", POISON)
        with held_lock(poisoned.memory):
            await driver.press("d", "r")
            await until_waiting(driver)
            assert isinstance(driver.app.screen, AuditScreen)
            assert audit_of(driver) is driver.app.screen

            await driver.press("ctrl+q")
            await answer(driver, NOT_YET, "right", "enter")
            await driver.until(lambda: not driver.app.is_running, "left")

        assert backup.exists()


async def test_the_question_about_a_wait_goes_when_the_wait_is_over(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        with held_lock(home.memory):
            await driver.press("d", "r")
            await until_waiting(driver)
            await driver.press("q")
            await answer(driver, NOT_YET, "ctrl+q")
            assert driver.screen_text.count(NOT_YET) == 1
        await driver.until(lambda: MEMORY[0] not in home.text, "written")
        await driver.until(lambda: driver.app.screen is driver.app.review, "the question went")
        await driver.until_told("Removed from memory")
        assert driver.app.is_running


# ------------------------------------------------------------------------------------------- a disk that is slow


@pytest.mark.parametrize(("keys", "shown"), [("t", "Nothing was found"), ("o", "1 home"), ("c", "Copy")])
async def test_the_event_loop_asks_no_disk_where_a_home_lies(
    open_app: OpenApp, home: Home, monkeypatch: pytest.MonkeyPatch, keys: str, shown: str
) -> None:
    real, asked = os.path.realpath, []

    def watched(path: str | os.PathLike[str], **options: bool) -> str:
        if os.fspath(path).startswith(str(home.root)):
            asked.append(threading.current_thread())
        return real(path, **options)

    async with open_app() as driver:
        monkeypatch.setattr(os.path, "realpath", watched)
        await driver.press(keys)
        await driver.until_shown(shown)

        assert asked
        assert threading.main_thread() not in asked
