"""What is known and fine while the app runs: every screen follows the record, whoever changes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_driver import MANY, POISON, SEEN, audit_of, open_audit
from tui_driver import Driver, Home, OpenApp

from memtui.core.threats import scan
from memtui.core.threats.finding import suppression_key
from memtui.disk.folders import suppressions_path
from memtui.disk.suppressions import Suppressions
from memtui.tui.screens.reason import ReasonScreen
from memtui.view.rows import Badge


def badges_of(driver: Driver, text: str) -> tuple[Badge, ...]:
    (group,) = [group for group in driver.app.state.groups if group.key == "memory"]
    return next(row.live.badges for row in group.rows if row.live and row.live.text == text)


def mark_outside(text: str) -> None:
    """What the command line does in another process."""
    rule_ids = {finding.id for finding in scan(text)}
    Suppressions.load(suppressions_path()).allow(text, rule_ids, reason="marked elsewhere")


def revoke_outside(text: str) -> None:
    known = Suppressions.load(suppressions_path())
    for finding in scan(text):
        known.revoke(suppression_key(text, finding.id))


async def test_the_review_follows_what_another_program_marks_and_revokes(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        before = badges_of(driver, SEEN)
        assert before
        mark_outside(SEEN)
        await driver.until(lambda: not badges_of(driver, SEEN), "known and fine")

        revoke_outside(SEEN)
        await driver.until(lambda: badges_of(driver, SEEN) == before, "shown again")


async def test_an_open_audit_follows_too(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        mark_outside(POISON)
        await driver.until_shown("3 known and fine")

        revoke_outside(POISON)
        await driver.until_shown("0 known and fine")
        await driver.until(lambda: not audit_of(driver).audit.is_running)


async def test_the_open_list_of_what_is_known_follows_too(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await driver.press("l")
        await driver.until_shown("Nothing is known and fine.")

        mark_outside(SEEN)

        await driver.until_shown("marked elsewhere")


async def test_what_all_marks_is_listed_the_worst_first_though_the_filter_hides_it(
    open_app: OpenApp, home: Home
) -> None:
    home.write_outside(MANY)
    async with open_app(size=(100, 30)) as driver:
        screen = await open_audit(driver)
        await driver.press("slash", *"fetch", "enter", "f")
        await driver.until(lambda: isinstance(driver.app.screen, ReasonScreen))

        others = [row.finding for row in screen.audit.rows if row.finding.id != "fetch_and_run"]
        places = [driver.screen_text.find(f" {one.id} · {one.severity.value}") for one in others]
        assert len(others) > 2
        assert 0 < driver.screen_text.index("Mark all") < places[0]
        assert places == sorted(places)


async def test_the_hint_names_the_keys_that_mark_all(open_app: OpenApp, home: Home) -> None:
    home.write_outside(MANY)
    async with open_app(size=(100, 30)) as driver:
        await open_audit(driver)
        await driver.press("f")
        await driver.until_shown("tab tab enter all")
        await driver.press(*"why", "tab", "tab", "enter")

        await driver.until_shown("0 block")


async def test_a_long_question_is_scrolled_while_the_reason_is_typed(open_app: OpenApp, home: Home) -> None:
    home.write_outside(MANY)
    async with open_app(size=(80, 20)) as driver:
        await open_audit(driver)
        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ReasonScreen))
        assert "fetch_and_run · warn" not in driver.screen_text
        await driver.press("pagedown", "pagedown", "pagedown")

        await driver.until_shown("fetch_and_run · warn")


@pytest.fixture
def damaged() -> Path:
    """A record that is no record any more."""
    path = suppressions_path()
    path.parent.mkdir(parents=True)
    path.write_text("{ half", encoding="utf-8")
    return path


async def test_a_damaged_record_is_told_in_every_screen_that_follows_it(
    open_app: OpenApp, poisoned: Home, damaged: Path
) -> None:
    told = "not a list of suppressions"
    async with open_app(size=(120, 40)) as driver:
        await driver.until_told(told)

        await open_audit(driver)
        assert driver.told.count(told) == 1
        await driver.press("l")
        await driver.until_shown("cannot be read")

        assert driver.told.count(told) == 1
        assert "Nothing is known and fine" not in driver.screen_text


async def test_a_record_that_is_damaged_while_the_app_runs_is_told(open_app: OpenApp, poisoned: Home) -> None:
    mark_outside(SEEN)
    async with open_app() as driver:
        suppressions_path().write_text("[]", encoding="utf-8")

        await driver.until_told("not a list of suppressions")
        await driver.until(lambda: bool(badges_of(driver, SEEN)), "shown again")
