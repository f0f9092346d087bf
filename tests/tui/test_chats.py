"""The agent's real sessions as sources of the snapshot, and its archive."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from agent_side import HOSTILE, POISON, record_session
from test_hostile_text import assert_safe
from tui_driver import MEMORY, SIZES, USER, Driver, Home, OpenApp, answer

from memtui.core.diff import RowKind
from memtui.tui.screens.archive import ArchiveScreen
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.pick import PickScreen
from memtui.view.keys import Context, command, commands_in

SSH_NOTE = "SSH jump host is the entry `bastion` in ~/.ssh/config"


def kinds(driver: Driver) -> dict[str, RowKind]:
    """How each row of the memory stands, by its text."""
    rows = driver.app.state.groups[0].rows
    return {(row.live or row.snapshot).text: row.kind for row in rows}  # type: ignore[union-attr]


async def showing(driver: Driver, words: str) -> None:
    await driver.until(
        lambda: any(words in str(pane.border_title) for pane in driver.app.review.query("#snapshot")), words
    )


async def sources(driver: Driver) -> PickScreen:
    await driver.press("s")
    await driver.until(lambda: isinstance(driver.app.screen, PickScreen), "sources")
    picker = driver.app.screen
    assert isinstance(picker, PickScreen)
    return picker


# ------------------------------------------------------------------------------------------------------- sessions


async def test_the_newest_running_session_is_shown_by_itself(open_app: OpenApp, home: Home) -> None:
    record_session(home, "old", ("Very old",), age_s=9_000)
    record_session(home, "0912", (MEMORY[0], "Deploy needs VPN", "Old CI runs on Jenkins, far away"))
    record_session(home, "done", ("Ended",), age_s=60, ended=True)
    async with open_app() as driver:
        await showing(driver, "session 0912 (cli) · frozen")

        assert kinds(driver) == {
            MEMORY[0]: RowKind.SAME,
            MEMORY[1]: RowKind.CHANGED,
            MEMORY[2]: RowKind.NEW,
            "Old CI runs on Jenkins, far away": RowKind.REMOVED,
        }
        assert "1 held · 1 older · 1 not yet held · 1 gone from disk" in driver.screen_text


async def test_a_placeholder_in_the_prompt_stands_beside_the_entry_that_it_hides(open_app: OpenApp, home: Home) -> None:
    home.write_outside(POISON, SSH_NOTE, MEMORY[0])
    record_session(home, "0912", (POISON, SSH_NOTE, MEMORY[0]))
    async with open_app() as driver:
        await showing(driver, "session 0912")
        await driver.until(lambda: set(kinds(driver).values()) == {RowKind.SAME})
        home.write_outside(POISON, SSH_NOTE, MEMORY[0], "And more")
        await driver.until_shown("And more")

        assert kinds(driver)[POISON] is RowKind.SAME
        assert kinds(driver)["And more"] is RowKind.NEW


async def test_without_a_running_session_the_prediction_stays(open_app: OpenApp, home: Home) -> None:
    record_session(home, "done", ("Ended",), ended=True)
    record_session(home, "killed", ("Forgotten",), age_s=30 * 86_400)
    async with open_app() as driver:
        await showing(driver, "prediction, frozen")
        assert "a running agent may hold older text" in driver.screen_text


@pytest.mark.parametrize("size", SIZES)
async def test_another_session_is_chosen_and_the_prediction_again(
    open_app: OpenApp, home: Home, size: tuple[int, int]
) -> None:
    record_session(home, "0912", MEMORY)
    record_session(home, "0700", ("Held by the older one",), age_s=9_000, ended=True, title="Morning")
    async with open_app(size=size) as driver:
        await showing(driver, "session 0912")
        picker = await sources(driver)
        assert [row.words.split()[0] for row in picker.rows] == ["this", "a", "0912", "0700"]
        assert "running" in driver.screen_text
        await driver.press(*"morning")
        await driver.until(lambda: "1 gone from disk" in driver.screen_text or "gone from" in driver.screen_text)
        await driver.press("enter")
        await showing(driver, "session 0700")
        assert kinds(driver)["Held by the older one"] is RowKind.REMOVED

        await sources(driver)
        await driver.press("home", "up", "up", "up", "enter")
        await showing(driver, "prediction, frozen")
        assert set(kinds(driver).values()) == {RowKind.SAME}


async def test_n_shows_what_a_new_session_would_hold(open_app: OpenApp, home: Home) -> None:
    record_session(home, "0912", MEMORY[:1])
    async with open_app() as driver:
        await showing(driver, "session 0912")
        await driver.press("n")
        await showing(driver, "prediction, frozen")
        home.write_outside(*MEMORY, "Written later")
        await driver.until_shown("Written later")

        await showing(driver, "prediction, frozen")
        assert kinds(driver)["Written later"] is RowKind.NEW


async def test_a_session_that_begins_meanwhile_is_followed(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await showing(driver, "prediction")
        record_session(home, "fresh", MEMORY[:2], age_s=1)

        await showing(driver, "session fresh")
        assert kinds(driver)[MEMORY[2]] is RowKind.NEW


async def test_a_session_without_a_memory_block_is_said_and_not_shown(open_app: OpenApp, home: Home) -> None:
    record_session(home, "bare", (), prompt="You help. Nothing else.")
    async with open_app() as driver:
        await sources(driver)
        await driver.until_shown("no block")
        await driver.press("down", "down")
        await driver.until_shown("holds no memory block")
        await driver.press("enter")

        await driver.until(lambda: any("no memory block" in notice for notice in driver.notices))
        await showing(driver, "prediction")


async def test_a_file_without_a_block_in_the_prompt_is_told(open_app: OpenApp, home: Home) -> None:
    record_session(home, "0912", MEMORY)
    async with open_app() as driver:
        await showing(driver, "session 0912")
        await driver.press("2")

        await driver.until_shown("its prompt has no such block")
        assert driver.app.state.groups[1].rows[0].live.text == USER[0]  # type: ignore[union-attr]


def foreign(home: Home) -> None:
    with closing(sqlite3.connect(home.root / "state.db")) as database, database:
        database.execute("CREATE TABLE songs (title TEXT)")


def damaged(home: Home) -> None:
    (home.root / "state.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)


def no_database(home: Home) -> None:
    (home.root / "state.db").write_text("just a text")


def a_folder(home: Home) -> None:
    (home.root / "state.db").mkdir()


@pytest.mark.parametrize("spoil", [foreign, damaged, no_database, a_folder])
async def test_a_record_that_cannot_be_read_is_said_and_the_prediction_stays(
    open_app: OpenApp, home: Home, spoil: Callable[[Home], None]
) -> None:
    spoil(home)
    async with open_app() as driver:
        await driver.until_shown("no real session to show · s says why")
        await showing(driver, "prediction")
        picker = await sources(driver)

        assert len(picker.rows) == 2
        assert "state.db" in driver.screen_text


async def test_a_locked_record_holds_nothing_up(open_app: OpenApp, home: Home) -> None:
    record_session(home, "0912", MEMORY)
    with closing(sqlite3.connect(home.root / "state.db", isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        async with open_app() as driver:
            await driver.press("j")
            await driver.until(lambda: driver.picked_text == MEMORY[1])
            database.execute("ROLLBACK")
            home.write_outside(*MEMORY, "Touched")

            await showing(driver, "session 0912")


async def test_no_record_at_all_is_said(open_app: OpenApp, home: Home) -> None:
    async with open_app() as driver:
        await sources(driver)

        await driver.until_shown("The agent has recorded no session here")


@pytest.mark.parametrize("size", SIZES)
async def test_a_hostile_session_stays_text(open_app: OpenApp, home: Home, size: tuple[int, int]) -> None:
    record_session(home, HOSTILE, (HOSTILE, *MEMORY), title=HOSTILE)
    async with open_app(size=size) as driver:
        await driver.until(lambda: bool(driver.app.jobs.chats), "shown")
        for keys in ("tab", "j", "j", "j", "j", "s", "down", "down", "enter"):
            await driver.press(keys)
            await driver.settled()
            assert_safe(driver)
            assert "␛" in driver.screen_text


# -------------------------------------------------------------------------------------------------------- archive


@pytest.fixture
def archived(home: Home) -> Home:
    """A home whose agent evicted two entries; the third line is cut, the fourth names no file."""
    lines = [
        {"store": "memory", "entry": "Old builds run on Jenkins", "ts": 1_764_000_000, "action": "evicted"},
        {"store": "user", "entry": "Likes tables", "ts": 1_764_100_000, "reason": HOSTILE},
    ]
    text = "\n".join([*map(json.dumps, lines), '{"cut', json.dumps({"entry": "Nobody knows where from"})])
    (home.root / "memories" / "ARCHIVE.jsonl").write_text(text, encoding="utf-8")
    return home


async def archive_of(driver: Driver) -> ArchiveScreen:
    await driver.press("A")
    await driver.until(lambda: isinstance(driver.app.screen, ArchiveScreen), "archive")
    screen = driver.app.screen
    assert isinstance(screen, ArchiveScreen)
    await driver.until(lambda: screen.archive.archive is not None, "read")
    return screen


async def at_text(driver: Driver, screen: ArchiveScreen, text: str) -> None:
    at = next(at for at, entry in enumerate(screen.archive.entries) if entry.text == text)
    await driver.press("g", *("j" * at))


@pytest.mark.parametrize("size", SIZES)
async def test_an_archived_entry_is_brought_back(open_app: OpenApp, archived: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        screen = await archive_of(driver)
        await at_text(driver, screen, "Old builds run on Jenkins")
        await driver.press("enter")
        await answer(driver, "Bring this entry back?", "enter")
        assert "Jenkins" not in archived.text
        await driver.press("r")
        await answer(driver, "Bring this entry back?", "tab", "enter")

        await driver.until(lambda: archived.text.endswith("Old builds run on Jenkins"))
        await driver.until_shown("✓ live")
        await driver.press("escape", "u")
        await driver.until(lambda: "Jenkins" not in archived.text)


async def test_an_entry_of_an_unknown_file_goes_where_a_person_says(open_app: OpenApp, archived: Home) -> None:
    async with open_app() as driver:
        screen = await archive_of(driver)
        await at_text(driver, screen, "Nobody knows where from")
        await driver.press("enter")
        await answer(driver, "Bring this entry back?", "tab", "tab", "enter")

        await driver.until(lambda: "Nobody knows where from" in archived.user.read_text())


async def test_a_line_without_a_text_is_shown_and_not_brought_back(open_app: OpenApp, archived: Home) -> None:
    async with open_app() as driver:
        screen = await archive_of(driver)
        await at_text(driver, screen, "")
        assert "not JSON" in driver.screen_text
        await driver.press("enter")

        await driver.until(lambda: any("holds no text" in notice for notice in driver.notices))


async def test_an_archived_threat_comes_back_only_after_its_finding_was_shown(open_app: OpenApp, home: Home) -> None:
    (home.root / "memories" / "ARCHIVE.jsonl").write_text(json.dumps({"store": "memory", "entry": POISON}))
    async with open_app() as driver:
        await archive_of(driver)
        await driver.press("enter")
        await answer(driver, "Bring this entry back?", "tab", "enter")
        await answer(driver, "Bring it back all the same", "tab", "enter")

        await driver.until(lambda: POISON in home.text)


@pytest.mark.parametrize("raw_bytes", [None, b"", b"\xff\xfe\x00", b"[]\n7\n" + b"{" * 5_000])
async def test_an_odd_archive_is_no_reason_to_stop(open_app: OpenApp, home: Home, raw_bytes: bytes | None) -> None:
    if raw_bytes is not None:
        (home.root / "memories" / "ARCHIVE.jsonl").write_bytes(raw_bytes)
    async with open_app() as driver:
        await archive_of(driver)
        for key in ("j", "enter", "G", "shift+down"):
            await driver.press(key)
        assert_safe(driver)


async def test_the_archive_opens_from_the_history_too(open_app: OpenApp, archived: Home) -> None:
    async with open_app() as driver:
        await driver.press("H")
        await driver.until_shown("History")
        await driver.press("A")

        await driver.until_shown("Likes tables")


Came = Callable[[Driver, ArchiveScreen], bool]
CAME: dict[str, Came] = {
    "archive.restore": lambda driver, screen: isinstance(driver.app.screen, ChoiceScreen) or bool(driver.notices),
    "place.leave": lambda driver, screen: driver.app.screen is driver.app.review,
    "move.down": lambda driver, screen: screen.archive.position == 1,
    "move.up": lambda driver, screen: screen.archive.position == 0,
    "move.page_down": lambda driver, screen: screen.archive.position == 3,
    "move.page_up": lambda driver, screen: screen.archive.position == 0,
    "move.first": lambda driver, screen: screen.archive.position == 0,
    "move.last": lambda driver, screen: screen.archive.position == 3,
    "detail.down": lambda driver, screen: driver.app.is_running,
    "detail.up": lambda driver, screen: driver.app.is_running,
    "app.help": lambda driver, screen: "In the archive" in driver.screen_text,
    "app.theme": lambda driver, screen: driver.app.screen is not screen,
}


def test_every_command_of_the_archive_has_a_test() -> None:
    assert {entry.id for entry in commands_in(Context.ARCHIVE)} == set(CAME)


@pytest.mark.parametrize("command_id", [command_id for command_id in CAME if command(command_id).keys])
async def test_a_command_by_key(open_app: OpenApp, archived: Home, command_id: str) -> None:
    async with open_app(size=(80, 24)) as driver:
        screen = await archive_of(driver)
        await driver.press(command(command_id).keys[0])

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [command_id for command_id in CAME if command(command_id).in_palette])
async def test_a_command_by_palette(open_app: OpenApp, archived: Home, command_id: str) -> None:
    from test_palette import by_palette

    async with open_app() as driver:
        screen = await archive_of(driver)
        await by_palette(driver, command_id)

        await driver.until(lambda: CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("size", [(20, 6), (29, 7), (40, 10), (60, 20), (200, 60)])
async def test_no_size_crashes(open_app: OpenApp, archived: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await archive_of(driver)
        for _ in range(4):
            assert_safe(driver)
            await driver.press("j")
        await driver.pilot.resize_terminal(120, 40)
        await driver.pilot.resize_terminal(*size)

        assert driver.app.is_running
