"""The audit screen, what is known and fine, purging, rewording: by key and palette, at every size, any text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from audit_driver import PLAIN, POISON, SEEN, SSH, audit_of, mark_fine, open_audit, pick, rules_listed
from test_hostile_text import HOSTILE, assert_safe
from test_palette import by_palette
from tui_driver import SIZES, Driver, Home, OpenApp

from memtui.core.errors import WriteFailed
from memtui.core.model import entry_name
from memtui.core.threats import scan
from memtui.disk.folders import history_path, suppressions_path
from memtui.disk.own_rules import rules_folder, use_own_rules
from memtui.disk.pending import PendingQueue
from memtui.disk.suppressions import Suppressions
from memtui.opening import open_store
from memtui.tui.screens.audit import AuditScreen
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.known import KnownScreen
from memtui.tui.screens.reading import ReadingScreen
from memtui.tui.screens.reason import ReasonScreen
from memtui.tui.screens.staged import StagedScreen
from memtui.view.keys import COMMANDS, Context, command

# ---------------------------------------------------------------------------------------------- the list


@pytest.mark.parametrize("size", SIZES)
async def test_everything_is_listed_the_worst_first(open_app: OpenApp, poisoned: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await open_audit(driver)

        assert rules_listed(driver) == [
            ("memory", "tag_characters"),
            ("memory", "ignore_prior_instructions"),
            ("staged", "ignore_prior_instructions"),
            ("backup", "ignore_prior_instructions"),
            ("memory", "hidden_from_agent"),
        ]
        assert "4 block" in driver.screen_text
        assert "Never mention this" in driver.screen_text


async def test_the_detail_says_everything_of_a_finding(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)

        for words in ("agent reads it", "tag_characters · block", "It says: “Never mention this”", "Remove the entry"):
            assert words in driver.screen_text


async def test_an_empty_audit_says_so(open_app: OpenApp) -> None:
    async with open_app() as driver:
        await open_audit(driver)

        assert "Nothing was found" in driver.screen_text


async def test_filters_by_class_state_and_words(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)

        await driver.press("c")
        assert screen.audit.family == "agent_view"
        assert rules_listed(driver) == [("memory", "hidden_from_agent")]
        await driver.press("escape", "s")
        assert screen.audit.entry_state == "agent reads it"
        await driver.press("escape", "slash", *"backup", "enter")
        assert rules_listed(driver) == [("backup", "ignore_prior_instructions")]
        assert "only “backup”: 1" in driver.screen_text
        await driver.press("escape")
        assert len(screen.audit.shown) == 5
        await driver.press("escape")
        assert driver.app.screen is driver.app.review


async def test_words_that_match_nothing(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await driver.press("slash", *"zzz", "enter")
        assert "No finding is like that" in driver.screen_text

        await driver.press("d", "enter", "e", "f", "P", "y")
        assert driver.app.screen is screen


async def test_all_homes_on_demand(open_app: OpenApp, poisoned: Home, cut_off: Path) -> None:
    other = Home(cut_off / ".hermes")
    other.write_outside(POISON)
    async with open_app() as driver:
        screen = await open_audit(driver)

        await driver.press("o")
        await driver.until(lambda: screen.audit.is_every_home and not screen.audit.is_running)

        assert "~/.hermes: MEMORY 1" in driver.screen_text
        assert screen.audit.looked.homes == 2
        await driver.press("o")
        await driver.until(lambda: not screen.audit.is_every_home and not screen.audit.is_running)
        assert screen.audit.looked.homes == 1


async def pick_in_another_home(driver: Driver) -> None:
    """The audit of every home, at the first finding of one that is not open."""
    screen = await open_audit(driver)
    await driver.press("o")
    await driver.until(lambda: screen.audit.is_every_home and not screen.audit.is_running)
    at = next(at for at, row in enumerate(screen.audit.listed) if row.home_label)
    await driver.press("g", *["down"] * at)


async def test_an_entry_of_another_home_is_removed_there(open_app: OpenApp, poisoned: Home, cut_off: Path) -> None:
    other = Home(cut_off / ".hermes")
    other.write_outside("Keep this", POISON)
    async with open_app() as driver:
        await pick_in_another_home(driver)

        await driver.press("d", "r")
        await driver.until(lambda: other.text == "Keep this")

        assert POISON in poisoned.text


# ----------------------------------------------------------------------------------------------- actions


async def test_enter_goes_to_the_entry(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", SSH)

        await driver.press("enter")

        assert driver.app.screen is driver.app.review
        assert driver.picked_text == SSH


async def test_edit_goes_there_and_opens_the_editor(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)

        await driver.press("e")
        await driver.until(lambda: driver.app.review.editor is not None)

        assert driver.app.review.editor is not None
        assert driver.app.review.editor.draft.before == POISON


@pytest.mark.parametrize("size", SIZES)
async def test_two_keys_remove_a_poisoned_entry(open_app: OpenApp, poisoned: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await open_audit(driver)

        driver.burst("d", "r")
        await driver.until(lambda: SEEN not in poisoned.text)

        assert POISON in poisoned.text


UNTYPABLE = f"{POISON} \x1b[31mnow"
"""No argument may hold it, so only its name or the entry itself can mean it."""


async def test_an_entry_that_reads_like_the_poisoned_ones_name_stays(open_app: OpenApp, home: Home) -> None:
    decoy = f"#{entry_name(UNTYPABLE)}"
    home.write_outside(UNTYPABLE, PLAIN, decoy)
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", UNTYPABLE)

        await driver.press("d", "r")
        await driver.until(lambda: UNTYPABLE not in home.text)

        assert home.text == f"{PLAIN}\n§\n{decoy}"


async def test_nor_does_it_go_in_another_home(open_app: OpenApp, poisoned: Home, cut_off: Path) -> None:
    other, decoy = Home(cut_off / ".hermes"), f"#{entry_name(POISON)}"
    other.write_outside(POISON, decoy)
    async with open_app() as driver:
        await pick_in_another_home(driver)

        await driver.press("d", "r")
        await driver.until(lambda: POISON not in other.text)

        assert other.text == decoy


async def test_two_keys_remove_it_in_the_review_too(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await driver.press("down", "down")

        await driver.press("d", "r")
        await driver.until_shown("Its text still lies in:")

        assert POISON not in poisoned.text


async def test_esc_and_enter_remove_nothing(open_app: OpenApp, poisoned: Home) -> None:
    before = poisoned.text
    async with open_app() as driver:
        await open_audit(driver)
        for key in ("escape", "enter"):
            await driver.press("d")
            assert isinstance(driver.app.screen, ChoiceScreen)
            await driver.press(key)

        assert poisoned.text == before


async def test_after_a_removal_it_is_purged_where_it_still_lies(open_app: OpenApp, poisoned: Home) -> None:
    backup = poisoned.memory.parent / "MEMORY.md.bak.1764500000"
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)
        await driver.press("d", "r")
        await driver.until_shown("Its text still lies in:")
        for words in ("the backup MEMORY.md.bak.1764500000", "the staged write", "history of MEMORY.md"):
            assert words in driver.screen_text

        await driver.press("p")
        await driver.until(lambda: any("Purged for good" in notice for notice in driver.notices))

        assert not backup.exists()
        assert PendingQueue(poisoned.root).count() == 0
        versions = [version.raw.decode() for version in open_store(poisoned.root).history("memory")]
        assert not any(POISON in version for version in versions)
        await driver.until(lambda: not audit_of(driver).audit.is_running)
        assert POISON not in [row.one.text for row in audit_of(driver).audit.rows]


@pytest.mark.parametrize("key", ["escape", "c"], ids=["left whole", "cut out"])
async def test_entries_that_hold_the_text_and_more_are_asked_about_by_themselves(
    open_app: OpenApp, poisoned: Home, key: str
) -> None:
    backup = poisoned.memory.parent / "MEMORY.md.bak.1764500009"
    backup.write_text(f"A longer note: {POISON}\n§\nTea", encoding="utf-8")
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)
        await driver.press("d", "r")
        await driver.until_shown("Its text still lies in:")
        await driver.press("p")
        await driver.until_shown("Other entries hold the text and more:")
        assert "A longer note" in driver.screen_text

        await driver.press(key)
        await driver.until(lambda: any("Purged for good" in notice for notice in driver.notices))

        assert backup.exists() is (key == "escape")


async def test_what_nobody_can_read_is_asked_about_by_itself(open_app: OpenApp, poisoned: Home) -> None:
    backup = poisoned.memory.parent / "MEMORY.md.bak.1764500000"
    history_path().parent.mkdir(parents=True, exist_ok=True)
    aside = history_path().with_name("history.db.damaged-1764500000")
    aside.write_bytes(b"no database")
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "backup", POISON)
        await driver.press("P")
        await driver.until_shown("The text also lies in:")
        assert "could not be searched" in driver.screen_text
        await driver.press("escape")
        await driver.until_shown("Nobody can tell whether the text lies in:")

        await driver.press("x")
        await driver.until(lambda: not aside.exists())

        assert backup.exists()
        assert PendingQueue(poisoned.root).count() == 1


async def test_leaving_it_there_purges_nothing(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)
        await driver.press("d", "r")
        await driver.until_shown("Its text still lies in:")

        await driver.press("enter")

        assert PendingQueue(poisoned.root).count() == 1
        await driver.press("escape", "u")
        await driver.until(lambda: POISON in poisoned.text)


async def test_a_staged_write_is_rejected(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "staged", POISON)

        await driver.press("d", "r")
        await driver.until(lambda: PendingQueue(poisoned.root).count() == 0)

        assert POISON in poisoned.text


BATCH = (
    {"action": "add", "content": "A precious list of made-up hosts"},
    {"action": "add", "content": f"{POISON} now"},
    {"action": "remove", "old_text": "Some old note"},
)


async def test_what_else_a_staged_write_holds_is_shown_and_kept(open_app: OpenApp, home: Home) -> None:
    PendingQueue(home.root).stage("memory", "batch", BATCH)
    async with open_app() as driver:
        await open_audit(driver)

        await driver.press("d")
        await driver.until_shown("Reject this staged write?")
        assert "2 other operations go with it." in driver.screen_text
        assert "+ A precious list of made-up hosts" in driver.screen_text
        assert "− Some old note" in driver.screen_text
        await driver.press("r")
        await driver.until(lambda: PendingQueue(home.root).count() == 0)

        versions = [version.raw.decode() for version in open_store(home.root).history("memory")]
        assert any("A precious list of made-up hosts" in version for version in versions)


async def test_a_staged_write_that_changed_since_the_audit_stays(open_app: OpenApp, home: Home) -> None:
    staged = PendingQueue(home.root).stage("memory", "batch", BATCH)
    record = PendingQueue(home.root).folder / f"{staged.id}.json"
    async with open_app() as driver:
        await open_audit(driver)
        await driver.press("d")
        await driver.until_shown("Reject this staged write?")
        record.write_text(record.read_text().replace("precious list", "quite other list"))

        await driver.press("r")
        await driver.until(lambda: any("not the one that was shown" in notice for notice in driver.notices))

        assert record.exists()


async def test_enter_goes_to_the_staged_write_and_esc_comes_back(open_app: OpenApp, poisoned: Home) -> None:
    PendingQueue(poisoned.root).stage("user", "add", [{"action": "add", "content": "A plain wish."}])
    async with open_app() as driver:
        audit = await open_audit(driver)
        await pick(driver, "staged", POISON)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, StagedScreen) and driver.app.screen.staged.view)
        view = driver.app.screen.staged.view
        assert [one.content for one in view.staged.operations] == [POISON]

        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is audit and not audit.audit.is_running)


async def test_a_backup_is_deleted_and_the_rest_kept(open_app: OpenApp, poisoned: Home) -> None:
    backup = poisoned.memory.parent / "MEMORY.md.bak.1764500000"
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "backup", POISON)

        await driver.press("d", "r")
        await driver.until(lambda: not backup.exists())

        versions = [version.raw.decode() for version in open_store(poisoned.root).history("memory")]
        assert any("Old note" in version and POISON not in version for version in versions)


async def test_a_purge_of_what_still_stands_leaves_the_entry(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", POISON)

        await driver.press("P")
        await driver.until_shown("The text also lies in:")
        await driver.press("p")
        await driver.until(lambda: PendingQueue(poisoned.root).count() == 0)

        assert POISON in poisoned.text


@pytest.mark.parametrize("key", ["d", "e", "f", "P"])
async def test_read_only_refuses_every_writing_key_of_the_audit_at_once(
    open_app: OpenApp, poisoned: Home, key: str
) -> None:
    async with open_app(read_only=True) as driver:
        screen = await open_audit(driver)
        for kind in ("memory", "staged", "backup"):
            await pick(driver, kind, POISON)
            driver.app.clear_notifications()
            await driver.press(key)
            await driver.until(lambda: "Nothing can be written here: it was opened read-only" in driver.notices)

            assert driver.app.screen is screen
        assert driver.app.state.problem == ""


async def test_read_only_takes_nothing_back_from_what_is_known(open_app: OpenApp, poisoned: Home) -> None:
    Suppressions.load(suppressions_path()).add(POISON, "some_rule", reason="x")
    async with open_app(read_only=True) as driver:
        await open_audit(driver)
        await driver.press("l")
        await driver.until_shown("some_rule")
        await driver.press("d")

        await driver.until(lambda: "Nothing can be written here: it was opened read-only" in driver.notices)


async def test_a_refusal_that_no_command_answers_is_told_in_its_own_words(open_app: OpenApp) -> None:
    async def refused() -> None:
        raise WriteFailed("Nothing was removed: the disk is full.")

    async with open_app() as driver:
        driver.app.start(refused())

        await driver.until(lambda: driver.app.state.problem == "Nothing was removed: the disk is full.")


# ---------------------------------------------------------------------------------------- known and fine


async def test_known_and_fine_asks_why_and_sorts_last(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await mark_fine(driver, "a test")
        await driver.until(lambda: any(row.finding.suppressed for row in screen.audit.rows))

        assert screen.audit.rows[-1].finding.suppressed
        assert "1 known and fine" in driver.screen_text
        (known,) = Suppressions.load(suppressions_path()).items
        assert known.reason == "a test"
        await driver.until(lambda: driver.app.state.groups[0].load.threat_count == 1)  # type: ignore[union-attr]


async def test_it_dies_with_one_changed_byte(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await mark_fine(driver, "x")
        await driver.until(lambda: any(row.finding.suppressed for row in screen.audit.rows))

        poisoned.write_outside(PLAIN, SEEN + ".")
        await driver.press("r")
        await driver.until(lambda: not screen.audit.is_running and len(screen.audit.rows) == 3)

        assert not any(row.finding.suppressed for row in screen.audit.rows)


async def test_without_a_reason_nothing_is_marked(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await driver.press("f", "enter")
        assert "Say in a few words why" in driver.screen_text
        await driver.press("escape")

        assert Suppressions.load(suppressions_path()).items == ()


async def test_the_agents_own_scan_is_not_silenced(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await open_audit(driver)
        await pick(driver, "memory", SSH)

        await driver.press("f")

        assert any("the agent's own scan" in notice for notice in driver.notices)


async def test_it_is_listed_and_taken_back(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        screen = await open_audit(driver)
        await mark_fine(driver, "a made-up reason")
        await driver.until(lambda: any(row.finding.suppressed for row in screen.audit.rows))

        await driver.press("l")
        await driver.until_shown("a made-up reason")
        await driver.press("d")
        await driver.until_shown("Nothing is known and fine.")
        await driver.press("escape")
        await driver.until(lambda: not screen.audit.is_running and len(screen.audit.rows) == 5)

        assert not any(row.finding.suppressed for row in screen.audit.rows)
        assert Suppressions.load(suppressions_path()).items == ()


# ------------------------------------------------------------------------------------ report, rewording


async def test_the_report_is_copied_without_secrets(open_app: OpenApp, home: Home) -> None:
    secret = "ghp_n0tAr3alQ8fK2mX7vB4cT9wL1zR6yH3dJ5sP"
    home.write_outside(PLAIN, f"Deploy token is {secret}")
    async with open_app() as driver:
        await open_audit(driver)

        await driver.press("y")

        assert any("clipboard" in notice for notice in driver.notices)
        assert "provider_key" in driver.app.clipboard
        assert secret not in driver.app.clipboard


async def test_other_words_are_shown_and_put_into_the_editor(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await driver.press("down")
        assert "“the SSH config” instead of “~/.ssh/config”" in driver.screen_text

        await driver.press("r")
        await driver.until(lambda: driver.app.review.editor is not None)
        await driver.press("ctrl+s")
        await driver.until(lambda: "the SSH config" in poisoned.text)

        assert not open_store(poisoned.root).agent_view("memory")[1].hidden


@pytest.mark.parametrize(("downs", "told"), [(0, "The agent sees this entry"), (2, "no other words")])
async def test_nothing_else_is_reworded(open_app: OpenApp, poisoned: Home, downs: int, told: str) -> None:
    async with open_app() as driver:
        await driver.press(*["down"] * downs, "r")

        assert any(told in notice for notice in driver.notices)
        assert driver.app.review.editor is None


async def test_the_snapshot_shows_the_placeholder_beside_what_it_hides(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        await driver.press("tab", "down", "down")

        assert "[BLOCKED: MEMORY.md entry contained threat pattern(s): prompt_injection" in driver.screen_text
        assert "It stands for this entry:" in driver.screen_text
        assert POISON in driver.screen_text


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
async def test_of_a_file_that_is_not_utf8_the_agent_reads_nothing(
    open_app: OpenApp, home: Home, encoding: str
) -> None:
    home.memory.write_bytes(f"{POISON}\n§\ncafé at nine".encode(encoding))
    home.user.unlink()

    async with open_app() as driver:
        await driver.until_shown("not read")
        assert "agent reads it" not in driver.screen_text
        assert "⊘" in driver.screen_text
        await driver.until_told("The agent reads nothing of this file: its bytes are not UTF-8.")

        await driver.press("tab")
        await driver.until_told("The agent reads nothing of this file: its bytes are not UTF-8.")
        await driver.press("p")
        await driver.until_told("The agent reads nothing of MEMORY.md: its bytes are not UTF-8.")
        assert "store is empty" not in driver.told


@pytest.mark.parametrize("raw", [f"{POISON}\n§\nPlain\n§\n{POISON}", f"\ufeff{POISON}\n§\nPlain"])
async def test_a_hidden_entry_is_blocked_wherever_it_stands(open_app: OpenApp, home: Home, raw: str) -> None:
    home.memory.write_bytes(raw.encode())

    async with open_app() as driver:
        await driver.until_shown("blocked")

        assert "agent reads it" not in driver.screen_text


async def test_a_file_that_became_readable_is_told_apart_from_the_session_that_could_not_read_it(
    open_app: OpenApp, home: Home
) -> None:
    home.memory.write_bytes(b"good one\n\xc2\xa7\nbad \xff bytes\n")
    then = "could not read this file when it was frozen: its bytes were not UTF-8"
    async with open_app() as driver:
        await driver.until_shown("2 unseen")
        home.memory.write_bytes("good one\n§\nbad ÿ bytes\n".encode())
        await driver.until_told(then)
        await driver.until(lambda: all(one.load and one.load.is_scanned for one in driver.app.state.groups), "scanned")
        await driver.until_told(then)
        assert "unseen" not in driver.screen_text
        assert "can't see" not in driver.screen_text
        assert "reads nothing" not in driver.screen_text
        await driver.press("p")
        await driver.until_told("could not read MEMORY.md when it was frozen")
        await driver.press("escape", "n")
        await driver.until_gone("could not read")



async def test_the_chosen_rules_are_in_the_header(open_app: OpenApp, poisoned: Home) -> None:
    async with open_app() as driver:
        assert "hermes 0.19 rules" in driver.screen_text


async def test_a_broken_rule_of_ones_own_is_told(open_app: OpenApp, poisoned: Home, tmp_path: Path) -> None:
    rules_folder().mkdir(parents=True)
    (rules_folder() / "house.toml").write_text("[[rule]]\nid = 'half'\n", encoding="utf-8")
    async with open_app() as driver:
        await driver.until_shown("house.toml")
        await open_audit(driver)

        assert "rule half" in driver.screen_text
    use_own_rules(tmp_path)


# -------------------------------------------------------------------------- commands, sizes, hostile text


Came = Callable[[Driver, AuditScreen], bool]
CAME: dict[str, Came] = {
    "finding.go": lambda driver, screen: driver.app.screen is driver.app.review,
    "finding.remove": lambda driver, screen: isinstance(driver.app.screen, ChoiceScreen),
    "finding.edit": lambda driver, screen: any("every byte" in notice for notice in driver.notices),
    "finding.know": lambda driver, screen: isinstance(driver.app.screen, ReasonScreen),
    "finding.purge": lambda driver, screen: "The text also lies in" in driver.screen_text,
    "audit.class": lambda driver, screen: screen.audit.family != "",
    "audit.class_back": lambda driver, screen: screen.audit.family != "",
    "audit.state": lambda driver, screen: screen.audit.entry_state != "",
    "audit.state_back": lambda driver, screen: screen.audit.entry_state != "",
    "audit.filter": lambda driver, screen: screen.context is Context.FILTER,
    "audit.homes": lambda driver, screen: screen.audit.is_every_home,
    "audit.again": lambda driver, screen: screen.audit.looked.homes == 1,
    "audit.copy": lambda driver, screen: "memtui audit" in driver.app.clipboard,
    "known.open": lambda driver, screen: isinstance(driver.app.screen, KnownScreen),
    "move.down": lambda driver, screen: screen.audit.position == 1,
    "move.up": lambda driver, screen: screen.audit.position == 0,
    "move.page_down": lambda driver, screen: screen.audit.position > 0,
    "move.page_up": lambda driver, screen: screen.audit.position == 0,
    "move.first": lambda driver, screen: screen.audit.position == 0,
    "move.last": lambda driver, screen: screen.audit.position == 4,
    "detail.down": lambda driver, screen: driver.app.is_running,
    "detail.up": lambda driver, screen: driver.app.is_running,
    "app.help": lambda driver, screen: isinstance(driver.app.screen, ReadingScreen),
    "app.theme": lambda driver, screen: driver.app.screen is not screen,
    "place.leave": lambda driver, screen: driver.app.screen is driver.app.review,
}
HERE = [entry for entry in COMMANDS if Context.AUDIT in entry.contexts]


def test_every_command_of_the_screen_has_a_test() -> None:
    assert {entry.id for entry in HERE} == set(CAME)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command_id", [entry.id for entry in HERE if entry.keys])
async def test_a_command_by_key(open_app: OpenApp, poisoned: Home, command_id: str, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        screen = await open_audit(driver)

        await driver.press(command(command_id).keys[0])

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [entry.id for entry in HERE if entry.in_palette])
async def test_a_command_by_palette(open_app: OpenApp, poisoned: Home, command_id: str) -> None:
    async with open_app(size=(80, 24)) as driver:
        screen = await open_audit(driver)

        await by_palette(driver, command_id)

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("size", [(1, 1), (20, 6), (30, 8), (40, 9), (300, 100)])
async def test_no_size_crashes(open_app: OpenApp, poisoned: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await open_audit(driver)
        await driver.press("down", "d", "escape", "f", "x", "escape", "l", "escape", "slash", "y", "escape", "c", "s")

        assert driver.app.is_running


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_hostile_text_on_every_screen(open_app: OpenApp, home: Home, size: tuple[int, int]) -> None:
    home.write_outside(*(f"{text} {POISON}" for text in HOSTILE))
    (home.memory.parent / "MEMORY.md.bak.\x1b[31m").write_text(f"{HOSTILE[0]} {POISON}", encoding="utf-8")
    queue = PendingQueue(home.root)
    for text in HOSTILE[:4]:
        queue.stage("memory", "add", [{"action": "add", "content": f"{text} {POISON}"}])
    suppressions = Suppressions.load(suppressions_path())
    for text in HOSTILE:
        suppressions.add(text, "\x1b[2J\u202erule", reason=f"why {text}", who=f"who {text}")
    async with open_app(size=size) as driver:
        screen = await open_audit(driver)
        for _ in screen.audit.shown:
            assert_safe(driver)
            await driver.press("down")
        for key, dialog in (("d", ChoiceScreen), ("f", ReasonScreen), ("P", ChoiceScreen)):
            await pick(driver, "memory", f"{HOSTILE[0]} {POISON}")
            await driver.press(key)
            await driver.until(lambda dialog=dialog: isinstance(driver.app.screen, dialog), key)  # type: ignore[misc]
            assert_safe(driver)
            assert "␛" in driver.screen_text
            await driver.press("escape")
            await driver.until(lambda: driver.app.screen is screen)
        await driver.press("l")
        await driver.until(lambda: isinstance(driver.app.screen, KnownScreen) and bool(driver.app.screen.items))
        for _ in HOSTILE:
            assert_safe(driver)
            await driver.press("down")


async def test_a_thousand_findings_scroll(open_app: OpenApp, home: Home) -> None:
    home.write_outside(*(f"{POISON} number {number}" for number in range(1_000)))
    async with open_app() as driver:
        screen = await open_audit(driver)
        assert len(screen.audit.rows) >= 1_000

        await driver.press("G")
        await driver.press("g")

        assert screen.audit.position == 0


@pytest.mark.parametrize(
    ("text", "told"), [(SSH, "r there rewords it"), ("Notes on pulling\u200b from " + POISON, "e there edits it")]
)
async def test_the_agents_own_verdict_names_the_key_that_helps(
    open_app: OpenApp, home: Home, text: str, told: str
) -> None:
    home.write_outside(text)
    Suppressions.load(suppressions_path()).allow(text, {one.id for one in scan(text)}, reason="x")
    async with open_app() as driver:
        screen = await open_audit(driver)
        at = next(at for at, row in enumerate(screen.audit.listed) if row.finding.id == "hidden_from_agent")
        await driver.press("g", *["down"] * at, "f")

        await driver.until(lambda: any(told in notice for notice in driver.notices))
