"""The staged writes by keys: listed, judged, approved, edited, rejected, one or all."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from agent_side import HOSTILE, POISON, stage, staged_names
from test_hostile_text import assert_safe
from tui_driver import MEMORY, SIZES, Driver, Home, OpenApp, answer

from memtui.tui.screens.pick import PickScreen
from memtui.tui.screens.staged import StagedScreen
from memtui.view.keys import Context, command, commands_in

NEW = "Coverage below 85 % fails the build"


@pytest.fixture
def staging(home: Home) -> Home:
    """A home with an addition, a replacement and a removal that wait, the addition first."""
    stage(home, "add1", age_s=7_300, action="add", content=NEW)
    stage(home, "rep1", age_s=600, action="replace", content="Deploy needs the VPN and MFA", old_text="VPN")
    stage(home, "rem1", age_s=60, action="remove", old_text="Cron runs")
    return home


async def staged_of(driver: Driver) -> StagedScreen:
    """Press w and wait until the records are read."""
    await driver.press("w")
    await driver.until(lambda: isinstance(driver.app.screen, StagedScreen), "staged writes")
    screen = driver.app.screen
    assert isinstance(screen, StagedScreen)
    await driver.until(lambda: screen.staged.views is not None, "read")
    return screen


# ------------------------------------------------------------------------------------------------------- the list


async def test_each_record_is_shown_with_age_origin_text_and_what_it_changes(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        await staged_of(driver)
        assert "2 h" in driver.screen_text
        assert "background_review" in driver.screen_text
        assert f"+ {NEW}" in driver.screen_text

        await driver.press("j")
        assert "− Deploy needs the VPN" in driver.screen_text
        assert "+ Deploy needs the VPN and MFA" in driver.screen_text
        assert "59 → 67 / 2,200" in driver.screen_text


async def test_findings_near_duplicates_and_refusals_are_told_before_anything_is_pressed(
    open_app: OpenApp, home: Home
) -> None:
    stage(home, "a", age_s=30, action="add", content=POISON)
    stage(home, "b", age_s=20, action="add", content="deploy NEEDS the vpn!")
    stage(home, "c", age_s=10, action="remove", old_text="absent")
    async with open_app() as driver:
        await staged_of(driver)
        assert "✗ threat" in driver.screen_text
        assert "It holds a threat, told below: approving asks" in driver.screen_text
        assert "≈ near-duplicate" in driver.screen_text
        assert "✗ no such entry" in driver.screen_text

        await driver.press("j")
        assert "Nearly the same stands there: “Deploy needs the VPN”" in driver.screen_text


async def test_a_new_record_appears_by_itself_and_is_counted_everywhere(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        assert "staged" not in driver.screen_text.splitlines()[0]
        stage(home, "late", action="add", content=NEW)
        await driver.until_shown("+ 1 staged")
        await driver.until(lambda: any("staged write waits for approval" in notice for notice in driver.notices))

        screen = await staged_of(driver)
        stage(home, "later", action="add", content="Another one")
        await driver.until(lambda: len(screen.staged.views or ()) == 2, "the second record")
        await driver.until_shown("+ 2 staged")
        await driver.press("escape", "H")
        await driver.until_shown("History")
        assert "+ 2 staged" in driver.screen_text


async def test_what_is_staged_before_the_start_is_counted_without_a_notice(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        await driver.until_shown("+ 3 staged")

        assert not any("staged write" in notice for notice in driver.notices)


async def test_no_record_is_said_in_words(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await staged_of(driver)
        await driver.until_shown("No write waits for approval.")
        for key in ("enter", "e", "r", "A", "R"):
            await driver.press(key)

        assert isinstance(driver.app.screen, StagedScreen)
        assert any("no staged write to answer" in notice for notice in driver.notices)


# ------------------------------------------------------------------------------------------------------- answering


@pytest.mark.parametrize("size", SIZES)
async def test_a_record_is_approved_by_a_key(open_app: OpenApp, staging: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await staged_of(driver)
        await driver.press("enter")

        await driver.until(lambda: staged_names(staging) == ["rem1", "rep1"], "the record gone")
        assert staging.text.endswith(NEW)
        await driver.until_shown("+ 2 staged")
        await driver.press("escape", "u")
        await driver.until(lambda: NEW not in staging.text, "undone")


async def test_a_text_is_edited_and_then_approved(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        screen = await staged_of(driver)
        await driver.press("e", *"!!", "ctrl+s")

        await driver.until(lambda: f"{NEW}!!" in staging.text)
        await driver.until(lambda: "add1" not in staged_names(staging))
        assert screen.context is Context.STAGED


async def test_an_edited_text_that_is_refused_stays_in_the_editor(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        screen = await staged_of(driver)
        await driver.press("e")
        await driver.type(" " + "x" * 2_300)
        await driver.press("ctrl+s")

        await driver.until(lambda: any("too many" in notice for notice in driver.notices))
        assert screen.editor is not None
        assert screen.editor.draft.text.endswith("xxx")
        assert "add1" in staged_names(staging)


async def test_leaving_the_editor_asks_before_a_text_is_dropped(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        screen = await staged_of(driver)
        await driver.press("e", "x", "escape")
        await answer(driver, "This text is not saved", "enter")
        assert screen.editor is not None
        await driver.press("escape")
        await answer(driver, "This text is not saved", "tab", "enter")

        await driver.until(lambda: screen.editor is None)


async def test_a_text_that_was_left_alone_is_not_asked_about(open_app: OpenApp, staging: Home) -> None:
    async with open_app() as driver:
        screen = await staged_of(driver)
        await driver.press("e")
        await driver.until(lambda: screen.editor is not None)

        await driver.press("escape")

        await driver.until(lambda: screen.editor is None)


async def test_one_text_of_a_batch_is_chosen_and_edited(open_app: OpenApp, home: Home) -> None:
    operations = [
        {"action": "add", "content": "First text"},
        {"action": "remove", "old_text": "Cron runs"},
        {"action": "add", "content": "Second text"},
    ]
    stage(home, "batch", action="batch", operations=operations)
    async with open_app() as driver:
        await staged_of(driver)
        assert "2 of 3 · remove" in driver.screen_text
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.app.screen, PickScreen))
        await driver.press("down", "enter")
        await driver.until_shown("New entry")
        await driver.press(*"!!", "ctrl+s")

        await driver.until(lambda: "Second text!!" in home.text)
        assert "First text" in home.text
        assert "Cron" not in home.text


async def test_rejecting_asks_and_drops_only_the_record(open_app: OpenApp, staging: Home) -> None:
    before = staging.memory.read_bytes()
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("r")
        await answer(driver, "Reject this staged write?", "enter")
        assert "add1" in staged_names(staging)
        await driver.press("r")
        await answer(driver, "Reject this staged write?", "tab", "enter")

        await driver.until(lambda: "add1" not in staged_names(staging))
        assert staging.memory.read_bytes() == before


async def test_all_are_approved_after_asking_and_the_refused_stay(open_app: OpenApp, staging: Home) -> None:
    stage(staging, "bad", age_s=10, action="add", content=POISON)
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("A")
        await answer(driver, "Approve 3 staged writes?", "enter")
        assert len(staged_names(staging)) == 4
        await driver.press("A")
        await answer(driver, "1 is refused as things stand", "tab", "enter")

        await driver.until(lambda: staged_names(staging) == ["bad"])
        assert staging.text == f"Project uses uv\n§\nDeploy needs the VPN and MFA\n§\n{NEW}"
        await driver.until(lambda: any("Approved 3 of 3" in notice for notice in driver.notices))
        assert not any("changed outside" in notice for notice in driver.notices)


async def test_a_record_that_changes_while_the_question_is_open_stays(open_app: OpenApp, home: Home) -> None:
    stage(home, "a", action="add", content="first harmless note")
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("r")
        await driver.until_shown("Reject this staged write?")
        stage(home, "a", action="add", content="another precious note")

        await driver.press("r")
        await answer(driver, "is not the one that was shown any more", "enter")

        assert staged_names(home) == ["a"]


async def test_all_are_rejected_after_asking(open_app: OpenApp, staging: Home) -> None:
    before = staging.memory.read_bytes()
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("R")
        await answer(driver, "Reject 3 staged writes?", "tab", "enter")

        await driver.until(lambda: staged_names(staging) == [])
        assert staging.memory.read_bytes() == before
        await driver.until_shown("No write waits for approval.")
        await driver.press("escape")
        await driver.until_gone("staged")


async def test_what_one_approval_makes_impossible_is_listed_with_its_reason(open_app: OpenApp, home: Home) -> None:
    stage(home, "one", age_s=30, action="remove", old_text="Cron runs")
    stage(home, "two", age_s=20, action="remove", old_text="Cron runs at")
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("A")
        await answer(driver, "Approve 2 staged writes?", "tab", "enter")

        await answer(driver, "Approved 1 of 2", "enter")
        assert staged_names(home) == ["two"]


async def test_a_threat_is_approved_only_after_its_finding_was_shown(open_app: OpenApp, home: Home) -> None:
    stage(home, "bad", action="add", content=POISON)
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("enter")
        await driver.until_shown("The scanner would block this text")
        assert "Keep editing" not in driver.screen_text
        await answer(driver, "Leave it staged", "enter")
        assert POISON not in home.text
        await driver.press("enter")
        await answer(driver, "The scanner would block this text", "tab", "enter")

        await driver.until(lambda: POISON in home.text and staged_names(home) == [])


@pytest.mark.parametrize("key", ["enter", "e", "r", "A", "R"])
async def test_nothing_is_answered_in_a_home_that_is_read_only(open_app: OpenApp, staging: Home, key: str) -> None:
    async with open_app(read_only=True) as driver:
        screen = await staged_of(driver)
        await driver.press(key)

        await driver.until(lambda: "Nothing can be written here: it was opened read-only" in driver.notices)
        assert driver.app.screen is screen
        assert len(staged_names(staging)) == 3


# -------------------------------------------------------------------------------------------- the entry that was meant


async def test_an_entry_that_changed_since_it_was_listed_shows_both_texts(open_app: OpenApp, home: Home) -> None:
    stage(home, "rep1", action="replace", content="Deploy needs MFA", old_text="VPN")
    async with open_app() as driver:
        screen = await staged_of(driver)
        home.write_outside(MEMORY[0], "The VPN was retired", MEMORY[2])
        await driver.until(lambda: bool(screen.staged.view and screen.staged.is_other(screen.staged.view)), "changed")
        await driver.until_shown("changed since listed")
        await driver.press("enter")

        await driver.until_shown("The entry changed: nothing was written.")
        assert "Deploy needs the VPN" in driver.screen_text
        assert "The VPN was retired" in driver.screen_text
        await driver.press("enter")
        assert "The VPN was retired" in home.text
        assert staged_names(home) == ["rep1"]


async def test_it_is_approved_once_it_was_judged_anew(open_app: OpenApp, home: Home) -> None:
    stage(home, "rep1", action="replace", content="Deploy needs MFA", old_text="VPN")
    async with open_app() as driver:
        screen = await staged_of(driver)
        home.write_outside(MEMORY[0], "The VPN was retired", MEMORY[2])
        await driver.until(lambda: bool(screen.staged.view and screen.staged.is_other(screen.staged.view)), "changed")
        await driver.press("enter")
        await answer(driver, "The entry changed", "j")
        await driver.until_gone("changed since listed")
        await driver.press("enter")

        await driver.until(lambda: "Deploy needs MFA" in home.text)
        assert "retired" not in home.text


async def test_a_pinned_entry_that_is_gone_is_never_replaced_by_another(open_app: OpenApp, home: Home) -> None:
    stage(home, "pin", action="remove", old_text="VPN", matched_entry="Deploy needs the old VPN")
    async with open_app() as driver:
        await staged_of(driver)
        assert "✗ entry changed" in driver.screen_text
        await driver.press("enter")

        await driver.until_shown("The entry changed: nothing was written.")
        assert "Deploy needs the VPN" in home.text


async def test_a_record_that_was_changed_on_disk_is_not_approved_unseen(open_app: OpenApp, home: Home) -> None:
    stage(home, "add1", action="add", content=NEW)
    async with open_app() as driver:
        screen = await staged_of(driver)
        stage(home, "add1", action="add", content="Something else entirely")
        await driver.until(lambda: bool(screen.staged.view and screen.staged.is_other(screen.staged.view)), "changed")
        await driver.press("enter")

        await driver.until_shown("The entry changed: nothing was written.")
        assert "Something else" not in home.text


# ---------------------------------------------------------------------------------------- commands, sizes, bad records


Came = Callable[[Driver, StagedScreen], bool]
CAME: dict[str, Came] = {
    "staged.approve": lambda driver, screen: len(screen.staged.views or ()) == 2,
    "staged.edit": lambda driver, screen: screen.editor is not None,
    "staged.reject": lambda driver, screen: "Reject this staged write?" in driver.screen_text,
    "staged.approve_all": lambda driver, screen: "Approve 3 staged writes?" in driver.screen_text,
    "staged.reject_all": lambda driver, screen: "Reject 3 staged writes?" in driver.screen_text,
    "place.leave": lambda driver, screen: driver.app.screen is driver.app.review,
    "move.down": lambda driver, screen: screen.staged.position == 1,
    "move.up": lambda driver, screen: screen.staged.position == 0,
    "move.page_down": lambda driver, screen: screen.staged.position >= 1,
    "move.page_up": lambda driver, screen: screen.staged.position == 0,
    "move.first": lambda driver, screen: screen.staged.position == 0,
    "move.last": lambda driver, screen: screen.staged.position == 2,
    "detail.down": lambda driver, screen: driver.app.is_running,
    "detail.up": lambda driver, screen: driver.app.is_running,
    "app.help": lambda driver, screen: "Among the staged writes" in driver.screen_text,
    "app.theme": lambda driver, screen: driver.app.screen is not screen,
}


def test_every_command_of_the_staged_writes_has_a_test() -> None:
    assert {entry.id for entry in commands_in(Context.STAGED)} == set(CAME)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command_id", [command_id for command_id in CAME if command(command_id).keys])
async def test_a_command_by_key(open_app: OpenApp, staging: Home, command_id: str, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        screen = await staged_of(driver)
        await driver.press(command(command_id).keys[0])

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [command_id for command_id in CAME if command(command_id).in_palette])
async def test_a_command_by_palette(open_app: OpenApp, staging: Home, command_id: str) -> None:
    from test_palette import by_palette

    async with open_app() as driver:
        screen = await staged_of(driver)
        await by_palette(driver, command_id)

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


BAD_RECORDS: dict[str, bytes] = {
    "not_json": b"{not json",
    "empty": b"",
    "a_list": b"[1, 2]",
    "no_payload": b'{"id": "x"}',
    "no_action": b'{"payload": {"target": "memory"}}',
    "wrong_types": b'{"payload": {"action": 7, "target": [], "content": {}}}',
    "wrong_content": b'{"payload": {"action": "add", "target": "memory", "content": 7}}',
    "bad_bytes": b"\xff\xfe{}",
    "deep": b"[" * 20_000,
    "no_operations": b'{"payload": {"action": "batch", "target": "memory", "operations": []}}',
    "unknown_target": b'{"payload": {"action": "add", "target": "../../auth", "content": "x"}}',
}


@pytest.mark.parametrize("name", BAD_RECORDS)
async def test_a_record_that_cannot_be_understood_is_shown_and_can_be_dropped(
    open_app: OpenApp, home: Home, name: str
) -> None:
    folder = home.root / "pending" / "memory"
    folder.mkdir(parents=True)
    (folder / f"{name}.json").write_bytes(BAD_RECORDS[name])
    async with open_app() as driver:
        await staged_of(driver)
        await driver.until(lambda: "cannot be read" in driver.screen_text or "✗" in driver.screen_text, "told")
        await driver.press("enter", "e")
        await driver.until(lambda: bool(driver.notices))
        assert staged_names(home) == [name]
        await driver.press("escape")
        if driver.app.screen is driver.app.review:
            await staged_of(driver)
        await driver.press("r")
        await answer(driver, "Reject this staged write?", "tab", "enter")

        await driver.until(lambda: staged_names(home) == [])


async def test_an_id_that_looks_like_a_path_leads_nowhere(open_app: OpenApp, home: Home) -> None:
    secret = home.root / "auth.json"
    secret.write_text("{}")
    path = stage(home, "plain", action="add", content=NEW)
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "id": "../../auth"}))
    async with open_app() as driver:
        await staged_of(driver)
        await driver.press("r")
        await answer(driver, "Reject this staged write?", "tab", "enter")

        await driver.until(lambda: staged_names(home) == [])
        assert secret.exists()


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_records_stay_text(open_app: OpenApp, home: Home, size: tuple[int, int]) -> None:
    home.write_outside(HOSTILE, *MEMORY)
    stage(home, "a", age_s=30, action="add", content=HOSTILE + "\n" + HOSTILE)
    stage(home, "b", age_s=20, action="replace", content="plain", old_text="owned")
    stage(home, "[@click=app.quit]x", age_s=10, action=HOSTILE)
    operations = [{"action": "add", "content": HOSTILE + str(number)} for number in range(3)]
    path = stage(home, "c", age_s=5, action="batch", operations=operations)
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "origin": HOSTILE, "summary": HOSTILE}))
    async with open_app(size=size) as driver:
        await staged_of(driver)
        frames = driver.screen_text
        for keys in ("j", "j", "j", "r", "escape", "A", "escape", "R", "escape", "enter", "escape", "e"):
            await driver.press(keys)
            await driver.settled()
            assert_safe(driver)
            frames += driver.screen_text
        assert "␛" in frames


@pytest.mark.parametrize("size", [(20, 6), (29, 7), (40, 10), (60, 20), (80, 24), (200, 60)])
async def test_no_size_crashes(open_app: OpenApp, staging: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await staged_of(driver)
        await driver.press("j", "e", "x")
        await driver.pilot.resize_terminal(120, 40)
        await driver.pilot.resize_terminal(*size)

        assert driver.app.is_running
