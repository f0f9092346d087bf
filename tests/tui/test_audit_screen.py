"""The audit screen in use: where the cursor stays, what is counted, what a narrow terminal keeps, other homes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit_driver import MANY, PLAIN, POISON, SEEN, SSH, audit_of, mark_fine, open_audit, pick, rules_listed
from tui_driver import Driver, Home, OpenApp

from memtui import open_store
from memtui.disk.choices import choices_path
from memtui.disk.folders import suppressions_path
from memtui.disk.own_rules import rules_folder, use_own_rules
from memtui.disk.pending import PendingQueue
from memtui.disk.suppressions import Suppressions
from memtui.tui.screens.homes import HomesScreen
from memtui.tui.screens.reason import ReasonScreen
from memtui.tui.screens.staged import StagedScreen
from memtui.view.amounts import full_moment_words

REASON = "a made-up reason that is long enough to be cut in any list: " + "word " * 19 + "last"


@pytest.fixture
def bad_rules(tmp_path: Path) -> Iterator[None]:
    """Nine faulty rules of one's own in three files."""
    rules_folder().mkdir(parents=True)
    for number in range(3):
        rules = "".join(f"[[rule]]\nid = 'half{at}'\n" for at in range(3))
        (rules_folder() / f"bad{number}.toml").write_text(rules, encoding="utf-8")
    yield
    use_own_rules(tmp_path)


def lines_of(driver: Driver) -> list[str]:
    return driver.screen_text.split("\n")


async def until_marked(driver: Driver, count: int) -> None:
    audit = audit_of(driver)
    await driver.until(
        lambda: not audit.audit.is_running and sum(row.finding.suppressed for row in audit.audit.rows) == count,
        f"{count} marked",
    )


# ------------------------------------------------------------------------------------------ known and fine


async def test_after_marking_the_next_finding_is_selected(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await driver.press("down")

        await mark_fine(driver, "x")
        # The same text stands in the staged write and in the backup, too; there it is known and fine as well.
        await until_marked(driver, 3)

        assert screen.audit.picked is not None
        assert (screen.audit.position, screen.audit.picked.one.text) == (1, SSH)


async def test_after_marking_the_last_of_all_the_cursor_stays_near(open_app: OpenApp, home: Home) -> None:
    home.write_outside(SEEN, POISON)
    async with open_app() as driver:
        screen = await open_audit(driver)
        await driver.press("down")
        await mark_fine(driver, "x")
        await until_marked(driver, 1)
        assert screen.audit.picked is not None
        assert screen.audit.picked.one.text == SEEN


async def test_marking_is_offered_only_where_it_marks(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        assert " f Fine " in lines_of(driver)[-1]

        await pick(driver, "memory", SSH)
        assert " f Fine " not in lines_of(driver)[-1]

        await driver.press("g")
        await mark_fine(driver, "x")
        await until_marked(driver, 1)
        await driver.press("G")
        assert " f Fine " not in lines_of(driver)[-1]


async def test_all_findings_of_an_entry_are_marked_at_once(open_app: OpenApp, home: Home) -> None:
    home.write_outside(PLAIN, MANY)
    async with open_app() as driver:
        screen = await open_audit(driver)
        count = len(screen.audit.rows)
        assert count > 2

        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ReasonScreen))
        assert f"The entry has {count} findings" in driver.screen_text
        await driver.press(*"quoted", "tab", "tab", "enter")
        await until_marked(driver, count)

        assert {known.reason for known in Suppressions.load(suppressions_path()).items} == {"quoted"}
        assert any(f"{count} findings are known and fine" in notice for notice in driver.notices)


async def test_enter_in_the_reason_marks_the_one_finding(open_app: OpenApp, home: Home) -> None:
    home.write_outside(PLAIN, MANY)
    async with open_app() as driver:
        await open_audit(driver)

        await mark_fine(driver, "x")
        await until_marked(driver, 1)


async def test_all_at_once_needs_a_reason_too(open_app: OpenApp, home: Home) -> None:
    home.write_outside(PLAIN, MANY)
    async with open_app() as driver:
        await open_audit(driver)

        await driver.press("f", "tab", "tab", "enter")

        assert "Say in a few words why" in driver.screen_text
        assert Suppressions.load(suppressions_path()).items == ()


async def test_the_detail_of_a_known_finding_says_why(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app(size=(80, 24)) as driver:
        await open_audit(driver)
        await mark_fine(driver, "a made-up reason")
        await until_marked(driver, 1)

        await driver.press("G")

        assert driver.screen_text.count("✓ known and fine: a made-up reason") == 1


async def test_the_known_list_shows_date_reason_and_the_whole_text(open_app: OpenApp, home: Home) -> None:
    home.write_outside(f"{POISON} {'and then some more words ' * 8}to the very end")
    async with open_app(size=(100, 36)) as driver:
        await open_audit(driver)
        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ReasonScreen))
        await driver.type(REASON)
        await driver.press("enter")
        await until_marked(driver, 1)

        await driver.press("l")
        await driver.until_shown("to the very end")

        (known,) = Suppressions.load(suppressions_path()).items
        shown = " ".join(driver.screen_text.replace("│", " ").split())
        assert known.reason in shown
        assert full_moment_words(known.when) in shown


async def test_the_known_list_says_when_only_the_start_of_a_text_is_left(open_app: OpenApp, home: Home) -> None:
    Suppressions.load(suppressions_path()).add("gone " * 40, "some_rule", reason="x")
    async with open_app() as driver:
        await open_audit(driver)

        await driver.press("l")

        await driver.until_shown("Only its start is kept")


# ------------------------------------------------------------------------------------------------ the head


async def test_entries_staged_writes_and_backups_are_counted_once(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app(size=(100, 30)) as driver:
        await open_audit(driver)

        assert "this home · 5 entries, 1 staged, 1 backup " in lines_of(driver)[0]
        assert driver.screen_text.count("1 staged") == 1


async def test_the_count_follows_the_file(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await pick(driver, "memory", SSH)

        poisoned.write_outside(PLAIN, SSH, "One more", "Another", "And one")
        await driver.until_shown("6 entries, ")
        await driver.until(lambda: not screen.audit.is_running)

        assert screen.audit.picked is not None
        assert screen.audit.picked.one.text == SSH
        assert [kind for kind, _ in rules_listed(driver)] == ["staged", "backup", "memory"]


async def test_a_new_staged_write_is_counted(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)

        PendingQueue(poisoned.root).stage("user", "add", [{"action": "add", "content": "Likes tea"}])

        await driver.until_shown("2 staged")


async def test_a_new_backup_is_counted(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)

        (poisoned.memory.parent / "MEMORY.md.bak.1764500001").write_text("Another old note", encoding="utf-8")

        await driver.until_shown("2 backups")


# -------------------------------------------------------------------------------------------- narrow terminals


@pytest.mark.parametrize("size", [(74, 24), (80, 24)])
async def test_the_severity_stands_in_a_narrow_list(open_app: OpenApp, poisoned: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await open_audit(driver)

        row = next(line for line in lines_of(driver) if "tag_characters" in line)
        assert " block " in row
        assert "Never" in row
        assert "MEMORY 4" in row


@pytest.mark.usefixtures("bad_rules")
async def test_faults_in_own_rules_take_one_line(open_app: OpenApp, poisoned: Home) -> None:
    told = "9 faults in your own rules, first bad0.toml"
    async with open_app(size=(80, 24)) as driver:
        await driver.until_shown(told)
        await open_audit(driver)

        assert driver.screen_text.count("own rules") == 1
        assert "`memtui check` lists them" in next(line for line in lines_of(driver) if told in line)
        await driver.press("escape")
        assert driver.screen_text.count("own rules") == 1


@pytest.mark.usefixtures("bad_rules")
async def test_a_useless_choice_and_faults_in_own_rules_are_both_told(open_app: OpenApp, poisoned: Home) -> None:
    choices_path().write_text('hermes_rules = "0.20"')
    async with open_app() as driver:
        await driver.until_shown("9 faults in your own rules")
        assert "'0.20'" in driver.screen_text

        await open_audit(driver)

        assert driver.screen_text.count("'0.20'") == 1
        assert driver.screen_text.count("own rules") == 1


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_the_header_names_the_rules_that_the_home_is_judged_by(
    open_app: OpenApp, poisoned: Home, size: tuple[int, int]
) -> None:
    choices_path().parent.mkdir(parents=True)
    choices_path().write_text('hermes_rules = "later"')
    async with open_app(size=size) as driver:
        await open_audit(driver)

        assert "hermes later rules" in lines_of(driver)[0]


# ---------------------------------------------------------------------------------------------------- filters


async def test_the_state_filter_speaks_as_the_badges_do(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        came = []
        for _ in range(5):
            await driver.press("s")
            came.append((screen.audit.entry_state, len(screen.audit.shown)))
            assert f"only {screen.audit.entry_state}: 1" in driver.screen_text

        assert [word for word, _ in came] == ["agent reads it", "blocked", "staged", "agent can't see", "in a backup"]
        await driver.press("s")
        assert screen.audit.entry_state == ""


async def test_the_filter_keys_stand_in_the_footer(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app(size=(100, 30)) as driver:
        await open_audit(driver)

        assert " c Class  s State " in lines_of(driver)[-1]


# ----------------------------------------------------------------------------------------- editing, other homes


async def test_a_text_no_editor_here_can_hold_keeps_the_audit_open(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)

        await driver.press("e")

        assert driver.app.screen is screen
        assert any("$EDITOR" in notice for notice in driver.notices)


async def audit_of_all(driver: Driver) -> None:
    screen = await open_audit(driver)
    await driver.press("o")
    await driver.until(lambda: screen.audit.is_every_home and not screen.audit.is_running)


async def pick_elsewhere(driver: Driver, kind: str) -> None:
    listed = audit_of(driver).audit.listed
    at = next(at for at, row in enumerate(listed) if row.home_label and row.one.kind == kind)
    await driver.press("g", *["down"] * at)


@pytest.fixture
def other(cut_off: Path) -> Home:
    """Another home, with a poisoned entry and a poisoned staged write."""
    other = Home(cut_off / ".hermes")
    other.write_outside("Keep this", POISON)
    PendingQueue(other.root).stage("user", "add", [{"action": "add", "content": POISON}])
    return other


async def test_enter_opens_the_other_home_at_the_entry(open_app: OpenApp, poisoned: Home, other: Home) -> None:
    async with open_app() as driver:
        await audit_of_all(driver)
        await pick_elsewhere(driver, "memory")

        await driver.press("enter")
        await driver.until(lambda: bool(driver.app.state.groups) and driver.app.screen is driver.app.review)

        assert driver.app.jobs.home.root == other.root
        assert driver.picked_text == POISON


async def test_e_opens_the_other_home_and_the_editor(open_app: OpenApp, poisoned: Home, other: Home) -> None:
    async with open_app() as driver:
        await audit_of_all(driver)
        await pick_elsewhere(driver, "memory")

        await driver.press("e")
        await driver.until(lambda: driver.app.review.editor is not None)

        assert driver.app.jobs.home.root == other.root
        assert driver.app.review.editor is not None
        assert driver.app.review.editor.draft.before == POISON


async def test_enter_opens_the_other_home_at_the_staged_write(open_app: OpenApp, poisoned: Home, other: Home) -> None:
    async with open_app() as driver:
        await audit_of_all(driver)
        await pick_elsewhere(driver, "staged")

        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, StagedScreen) and driver.app.screen.staged.view)

        assert driver.app.jobs.home.root == other.root


async def test_from_a_profile_all_homes_are_those_of_the_homes_screen(open_app: OpenApp, poisoned: Home) -> None:
    profiles = poisoned.root / "profiles"
    Home(profiles / "work").write_outside(PLAIN)
    (profiles / "fresh").mkdir()

    async with open_app(lambda: open_store(profiles / "work")) as driver:
        screen = await open_audit(driver)
        assert not screen.audit.rows

        await driver.press("o")
        await driver.until(lambda: screen.audit.is_every_home and not screen.audit.is_running)

        assert POISON in {row.one.text for row in screen.audit.rows}
        assert screen.audit.looked.homes == 3
        assert not screen.audit.problems
        await driver.press("q", "o")
        listed = driver.app.screen
        assert isinstance(listed, HomesScreen)
        await driver.until(lambda: not listed.homes.is_reading)
        assert len(listed.homes.homes) == 3


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root looks into every folder")
async def test_profiles_that_cannot_be_listed_are_no_all_clear(open_app: OpenApp, poisoned: Home) -> None:
    profiles = poisoned.root / "profiles"
    Home(profiles / "work").write_outside(PLAIN)
    profiles.chmod(0o100)

    try:
        async with open_app(lambda: open_store(profiles / "work")) as driver:
            await audit_of_all(driver)

            assert any("cannot be searched" in problem for problem in audit_of(driver).audit.problems)
    finally:
        profiles.chmod(0o700)


async def test_a_job_that_is_replaced_before_it_began_leaves_no_trace(
    open_app: OpenApp, recwarn: pytest.WarningsRecorder
) -> None:
    done: list[str] = []

    async def job(name: str) -> None:
        done.append(name)

    async with open_app() as driver:
        app = driver.app
        app.start(job("first"), "twice", exclusive=True)
        await app.start(job("second"), "twice", exclusive=True).wait()

    gc.collect()
    assert done == ["second"]
    assert [str(one.message) for one in recwarn if "never awaited" in str(one.message)] == []
