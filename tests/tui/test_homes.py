"""The home chooser by keys, comparing two homes, and copying or moving an entry between them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_side import HOSTILE, POISON, record_session, stage
from test_hostile_text import assert_safe
from tui_driver import MEMORY, SIZES, USER, Driver, Home, OpenApp

from memtui import open_store
from memtui.disk.homes import Home as FoundHome
from memtui.opening import open_home
from memtui.tui.app import MemtuiApp
from memtui.tui.home_jobs import listed
from memtui.tui.screens.audit import AuditScreen
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.comparing import CompareScreen
from memtui.tui.screens.homes import HomesScreen
from memtui.tui.screens.pick import PickScreen
from memtui.view.comparing import Side
from memtui.view.keys import Context, command, commands_in
from memtui.view.state import Phase

WORK = ("Deploy needs the VPN and a second factor", "Project uses uv")


@pytest.fixture
def work(home: Home) -> Home:
    """A second profile of the same agent."""
    (home.root / "config.yaml").write_text("memory:\n  memory_enabled: true\n")
    work = Home(home.root / "profiles" / "work")
    work.write_outside(*WORK)
    return work


async def homes_of(driver: Driver, count: int = 2) -> HomesScreen:
    """Press o and wait until every home was read and scanned."""
    await driver.press("o")
    await driver.until(lambda: isinstance(driver.app.screen, HomesScreen), "homes")
    screen = driver.app.screen
    assert isinstance(screen, HomesScreen)
    await driver.until(lambda: len(screen.homes.homes) == count and not screen.homes.is_reading, "read")
    return screen


async def compared(driver: Driver) -> CompareScreen:
    """Compare the home in use with the second one."""
    await homes_of(driver)
    await driver.press("j", "c")
    await driver.until(lambda: isinstance(driver.app.screen, CompareScreen), "comparison")
    screen = driver.app.screen
    assert isinstance(screen, CompareScreen)
    await driver.until(lambda: bool(screen.compare.pairs), "compared")
    return screen


async def places(driver: Driver, count: int) -> PickScreen:
    """Wait for the picker and until it holds so many places."""
    await driver.until(lambda: isinstance(driver.app.screen, PickScreen), "picker")
    picker = driver.app.screen
    assert isinstance(picker, PickScreen)
    await driver.until(lambda: len(picker.rows) == count, "places")
    return picker


# ------------------------------------------------------------------------------------------------------ the chooser


async def test_every_home_is_listed_with_what_calls_for_a_person(open_app: OpenApp, home: Home, work: Home) -> None:
    (work.root / "config.yaml").write_text("memory:\n  user_profile_enabled: false\n  write_approval: true\n")
    work.write_outside(POISON, "x" * 3_000)
    stage(work, "one", action="add", content="x")
    async with open_app() as driver:
        await homes_of(driver)
        row = next(line for line in driver.screen_text.splitlines() if "profiles/work" in line)
        assert "▲ 1" in row
        assert "⊘ 1" in row
        assert "+ 1" in row
        assert "off" in row
        await driver.press("j")

        assert "USER.md" in driver.screen_text
        assert "switched off in the configuration" in driver.screen_text
        assert "1 staged write waits for approval" in driver.screen_text
        assert "drift" in driver.screen_text


@pytest.mark.parametrize("size", SIZES)
async def test_enter_opens_the_home_in_the_app(
    open_app: OpenApp, home: Home, work: Home, size: tuple[int, int]
) -> None:
    async with open_app(size=size) as driver:
        await homes_of(driver)
        await driver.press("j", "enter")
        await driver.until(lambda: driver.app.screen is driver.app.review)
        await driver.until(lambda: bool(driver.app.state.home and driver.app.state.home.profile == "work"), "opened")
        await driver.until(lambda: all(group.load and group.load.is_scanned for group in driver.app.state.groups))
        assert driver.picked_text == WORK[0]
        await driver.press("a", *"Lunch", "ctrl+s")
        await driver.until(lambda: "Lunch" in work.text)
        assert "Lunch" not in home.text

        home.write_outside("The old home changed")
        work.write_outside("The new home changed")
        await driver.until_shown("The new home changed")
        assert "The old home changed" not in driver.screen_text


async def test_the_home_in_use_is_marked_and_opening_it_goes_back(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        await homes_of(driver)
        assert "▸● " in driver.screen_text
        await driver.press("enter")

        await driver.until(lambda: driver.app.screen is driver.app.review)
        assert driver.picked_text == MEMORY[0]


async def test_t_audits_the_home_under_the_cursor(open_app: OpenApp, home: Home, work: Home) -> None:
    work.write_outside(POISON)
    async with open_app() as driver:
        await homes_of(driver)
        await driver.press("G", "t")
        await driver.until(lambda: isinstance(driver.app.screen, AuditScreen), "audit")

        screen = driver.app.screen
        assert isinstance(screen, AuditScreen)
        await driver.until(lambda: bool(screen.audit.rows) and not screen.audit.is_running, "audited")
        assert driver.app.jobs.home.root == work.root
        assert {row.one.text for row in screen.audit.rows} == {POISON}
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.review, "left")


async def test_homes_are_filtered_by_words(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        screen = await homes_of(driver)
        await driver.press("slash", *"work")
        await driver.until(lambda: len(screen.homes.shown) == 1)
        await driver.press("enter")
        assert screen.context is Context.HOMES
        await driver.press("escape")
        await driver.until(lambda: len(screen.homes.shown) == 2)
        await driver.press("slash", *"zzz")
        await driver.until_shown("Nothing matches “zzz”.")
        await driver.press("escape", "escape")
        await driver.until(lambda: driver.app.screen is driver.app.review)


async def test_the_chooser_opens_where_no_home_is_found(open_app: OpenApp, tmp_path: Path) -> None:
    def nothing() -> None:
        return open_store(tmp_path / "no memory.txt")  # type: ignore[return-value]

    (tmp_path / "no memory.txt").write_text("x")
    async with open_app(nothing, is_ready=False) as driver:
        await driver.until(lambda: driver.app.state.phase is Phase.MISSING)
        await driver.press("o")
        await driver.until_shown("No home was found.")
        for key in ("enter", "space", "c", "r"):
            await driver.press(key)
        assert driver.app.is_running


def known(*names: str) -> list[Home]:
    """Homes where agents are known to keep them."""
    root = Path.home() / ".hermes"
    homes = [Home(root), *(Home(root / "profiles" / name) for name in names)]
    for one in homes:
        one.write_outside(f"Note of {one.root.name}")
    return homes


@pytest.mark.parametrize("count", [1, 3])
async def test_several_homes_are_offered_at_the_start_when_none_was_named(count: int) -> None:
    known(*("alpha", "beta")[: count - 1])
    app = MemtuiApp(open_store, open_home, chooses=True)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.until(lambda: all(group.load and group.load.is_scanned for group in app.state.groups or ()))
        await driver.until(lambda: bool(app.state.groups))
        if count == 1:
            await driver.settled()
            assert app.screen is app.review
            return
        await driver.until(lambda: isinstance(app.screen, HomesScreen))
        await driver.until_shown("Homes   3 homes")
        await driver.press("escape")
        await driver.until_shown("Note of .hermes")


async def test_rows_come_while_the_rest_is_still_being_read(
    open_app: OpenApp, work: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui import homes_overview
    from memtui.tui import home_jobs

    go_on = threading.Event()
    read = homes_overview.home_row

    def slow(found: FoundHome, *, scan: bool) -> object:
        if found.root == work.root and not go_on.is_set():
            go_on.wait(10)
        return read(found, scan=scan)

    monkeypatch.setattr(home_jobs, "home_row", slow)
    monkeypatch.setattr(home_jobs, "SLICE_S", 0.0)
    async with open_app() as driver:
        await driver.press("o")
        await driver.until_shown("1 home")
        assert "looking" in driver.screen_text
        go_on.set()

        await driver.until_shown("2 homes")


async def test_a_draft_asks_before_another_home_is_opened(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        await driver.press("a", *"Draft")
        await driver.app.push_screen(HomesScreen())
        screen = driver.app.screen
        assert isinstance(screen, HomesScreen)
        await driver.until(lambda: len(screen.homes.homes) == 2 and not screen.homes.is_reading)
        await driver.press("j", "enter")
        await driver.until_shown("This text is not saved.")
        await driver.press("enter")
        assert driver.app.review.editor is not None
        await driver.press("enter")
        await driver.until_shown("This text is not saved.")
        await driver.press("tab", "enter")

        await driver.until(lambda: bool(driver.app.state.home and driver.app.state.home.profile == "work"))
        assert driver.app.review.editor is None


async def test_a_home_that_went_is_said_in_words(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        await homes_of(driver)
        shutil.rmtree(work.root)
        await driver.press("j", "enter")

        await driver.until(lambda: driver.app.screen is driver.app.review)
        await driver.until_shown("does not exist yet")


# -------------------------------------------------------------------------------------------------------- comparing


@pytest.mark.parametrize("size", SIZES)
async def test_two_homes_stand_side_by_side(open_app: OpenApp, work: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        screen = await compared(driver)
        state = screen.compare
        pairs = [(state.text(Side.LEFT, at), state.text(Side.RIGHT, at)) for at in range(len(state.rows))]

        assert pairs == [(None, WORK[0]), (MEMORY[0], WORK[1]), (MEMORY[1], None), (MEMORY[2], None)]
        await driver.press("2")
        await driver.until(lambda: screen.compare.current == 1)
        assert screen.compare.text(Side.LEFT, 0) == USER[0]
        await driver.press("escape")
        assert isinstance(driver.app.screen, HomesScreen)


async def test_a_marked_home_is_one_side(open_app: OpenApp, home: Home, work: Home) -> None:
    third = Home(home.root / "profiles" / "third")
    third.write_outside("Third")
    async with open_app() as driver:
        screen = await homes_of(driver, 3)
        await driver.press("j", "space")
        assert "is marked" in driver.screen_text
        await driver.press("j", "c")
        await driver.until(lambda: isinstance(driver.app.screen, CompareScreen))
        compare = driver.app.screen
        assert isinstance(compare, CompareScreen)

        assert [one.root.name for one in compare.homes] == ["third", "work"]
        await driver.press("escape", "k", "space")
        assert screen.homes.marked == ""


async def test_a_home_is_not_compared_with_itself(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        await homes_of(driver)
        await driver.press("c")

        await driver.until(lambda: any("Mark a home" in notice for notice in driver.notices))


# --------------------------------------------------------------------------------------------------- copies and moves


@pytest.mark.parametrize("size", SIZES)
async def test_an_entry_is_copied_to_another_home(
    open_app: OpenApp, home: Home, work: Home, size: tuple[int, int]
) -> None:
    async with open_app(size=size) as driver:
        await driver.press("G", "c")
        await places(driver, 3)
        assert "There  " in driver.screen_text
        assert "Here   " in driver.screen_text
        await driver.press(*"memory")
        await driver.press("enter")

        await driver.until(lambda: work.text.endswith(MEMORY[2]))
        assert home.text.endswith(MEMORY[2])
        await driver.until(lambda: any("Copied to MEMORY.md of" in notice for notice in driver.notices))
        open_store(work.root).undo("memory")
        assert MEMORY[2] not in work.text


async def test_an_entry_is_moved_to_the_other_file_and_one_undo_takes_back_both(open_app: OpenApp, home: Home) -> None:
    before = home.memory.read_bytes(), home.user.read_bytes()
    async with open_app() as driver:
        await driver.press("m")
        await places(driver, 1)
        await driver.press("enter")
        await driver.until(lambda: MEMORY[0] not in home.text)
        assert home.user.read_text().endswith(MEMORY[0])
        await driver.until(lambda: any("u takes back both halves" in notice for notice in driver.notices))
        await driver.until(lambda: len(driver.app.state.groups[1].rows) == 2, "the other file shows it")
        await driver.press("u")

        await driver.until(lambda: (home.memory.read_bytes(), home.user.read_bytes()) == before)
        await driver.until(lambda: all(
            group.load is not None and group.load.file.raw == raw
            for group, raw in zip(driver.app.state.groups, before, strict=True)
        ))
        assert not any("changed outside" in notice for notice in driver.notices)


async def test_an_entry_is_moved_to_another_home(open_app: OpenApp, home: Home, work: Home) -> None:
    async with open_app() as driver:
        await driver.press("m")
        await places(driver, 3)
        await driver.press(*"user.md work")
        await driver.press("enter")
        await driver.until(lambda: MEMORY[0] not in home.text)
        assert work.user.read_text() == MEMORY[0]
        await driver.until(lambda: MEMORY[0] not in driver.app.state.groups[0].load.file.document.texts)  # type: ignore[union-attr]
        await driver.press("u")

        await driver.until(lambda: MEMORY[0] in home.text)
        assert MEMORY[0] not in work.user.read_text()


async def test_what_has_no_room_is_refused_in_words(open_app: OpenApp, home: Home, work: Home) -> None:
    work.write_outside("x" * 2_190)
    async with open_app() as driver:
        await driver.press("m")
        await places(driver, 3)
        await driver.press(*"memory work")
        await driver.until_shown("There is no room for it: it would be refused.")
        await driver.press("enter")

        await driver.until(lambda: any("too many" in notice for notice in driver.notices))
        assert MEMORY[0] in home.text


async def test_a_threat_is_copied_only_after_its_finding_was_shown(open_app: OpenApp, home: Home, work: Home) -> None:
    home.write_outside(POISON)
    async with open_app() as driver:
        await driver.press("c")
        await places(driver, 3)
        await driver.press(*"memory", "enter")
        await driver.until_shown("The scanner would block this text.")
        assert "Copy it all the same" in driver.screen_text
        await driver.press("enter")
        assert POISON not in work.text


async def test_what_stands_there_already_is_not_written_again(open_app: OpenApp, home: Home, work: Home) -> None:
    before = work.memory.read_bytes()
    async with open_app() as driver:
        await driver.press("c")
        await places(driver, 3)
        await driver.press(*"memory")
        await driver.until_shown("It stands there already")
        await driver.press("enter")

        await driver.until(lambda: any("already; nothing was written" in notice for notice in driver.notices))
        assert work.memory.read_bytes() == before


async def test_an_entry_goes_from_the_comparison_to_the_other_home(open_app: OpenApp, home: Home, work: Home) -> None:
    work.write_outside("Only at work", *WORK)
    async with open_app() as driver:
        screen = await compared(driver)
        at = next(at for at in range(9) if screen.compare.text(Side.RIGHT, at) == "Only at work")
        await driver.press("tab", *("j" * at), "m")
        await places(driver, 3)
        await driver.press("enter")

        await driver.until(lambda: "Only at work" in home.text and "Only at work" not in work.text)
        await driver.until(lambda: driver.app.screen is screen)
        await driver.until(lambda: "Only at work" in screen.compare.pairs[0].comparison.left)
        assert not any("changed outside" in notice for notice in driver.notices)


async def test_where_a_home_has_no_entry_there_is_nothing_to_copy(open_app: OpenApp, work: Home) -> None:
    async with open_app() as driver:
        screen = await compared(driver)
        at = next(at for at in range(9) if screen.compare.text(Side.RIGHT, at) is None)
        await driver.press("tab", *("j" * at), "c")

        await driver.until(lambda: any("no entry here" in notice for notice in driver.notices))


# ------------------------------------------------------------------------------------------- commands, sizes, hostile


HomesCame = Callable[[Driver, HomesScreen], bool]
HOMES_CAME: dict[str, HomesCame] = {
    "home.open": lambda driver, screen: driver.app.screen is driver.app.review,
    "home.audit": lambda driver, screen: isinstance(driver.app.screen, AuditScreen),
    "home.mark": lambda driver, screen: screen.homes.marked != "",
    "home.compare": lambda driver, screen: any("Mark a home" in notice for notice in driver.notices),
    "home.filter": lambda driver, screen: screen.context is Context.FILTER,
    "home.again": lambda driver, screen: len(screen.homes.homes) == 2,
    "place.leave": lambda driver, screen: driver.app.screen is driver.app.review,
    "move.down": lambda driver, screen: screen.homes.position == 1,
    "move.up": lambda driver, screen: screen.homes.position == 0,
    "move.page_down": lambda driver, screen: screen.homes.position == 1,
    "move.page_up": lambda driver, screen: screen.homes.position == 0,
    "move.first": lambda driver, screen: screen.homes.position == 0,
    "move.last": lambda driver, screen: screen.homes.position == 1,
    "detail.down": lambda driver, screen: driver.app.is_running,
    "detail.up": lambda driver, screen: driver.app.is_running,
    "app.help": lambda driver, screen: "Among the homes" in driver.screen_text,
    "app.theme": lambda driver, screen: driver.app.screen is not screen,
}
CompareCame = Callable[[Driver, CompareScreen], bool]
COMPARE_CAME: dict[str, CompareCame] = {
    "entry.copy_to": lambda driver, screen: "Copy this entry" in driver.screen_text,
    "entry.move_to": lambda driver, screen: "Move this entry" in driver.screen_text,
    "group.pick": lambda driver, screen: screen.compare.current == 0,
    "list.next": lambda driver, screen: screen.compare.side is Side.RIGHT,
    "list.previous": lambda driver, screen: screen.compare.side is Side.RIGHT,
    "place.leave": lambda driver, screen: isinstance(driver.app.screen, HomesScreen),
    "move.down": lambda driver, screen: screen.compare.position == 1,
    "move.up": lambda driver, screen: screen.compare.position == 0,
    "move.page_down": lambda driver, screen: screen.compare.position == 2,
    "move.page_up": lambda driver, screen: screen.compare.position == 0,
    "move.first": lambda driver, screen: screen.compare.position == 0,
    "move.last": lambda driver, screen: screen.compare.position == 2,
    "detail.down": lambda driver, screen: driver.app.is_running,
    "detail.up": lambda driver, screen: driver.app.is_running,
    "app.help": lambda driver, screen: "Comparing two homes" in driver.screen_text,
    "app.theme": lambda driver, screen: driver.app.screen is not screen,
}


@pytest.fixture
def twin(home: Home) -> Home:
    """A second profile with the same entries: every row has both halves."""
    (home.root / "config.yaml").write_text("memory: {}\n")
    twin = Home(home.root / "profiles" / "work")
    twin.write_outside(*MEMORY)
    return twin


def test_every_command_of_these_screens_has_a_test() -> None:
    assert {entry.id for entry in commands_in(Context.HOMES)} == set(HOMES_CAME)
    assert {entry.id for entry in commands_in(Context.COMPARE)} == set(COMPARE_CAME)


@pytest.mark.parametrize("command_id", [command_id for command_id in HOMES_CAME if command(command_id).keys])
async def test_a_command_of_the_chooser_by_key(open_app: OpenApp, twin: Home, command_id: str) -> None:
    async with open_app(size=(80, 24)) as driver:
        screen = await homes_of(driver)
        await driver.press(command(command_id).keys[0])

        await driver.until(lambda: HOMES_CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [command_id for command_id in HOMES_CAME if command(command_id).in_palette])
async def test_a_command_of_the_chooser_by_palette(open_app: OpenApp, twin: Home, command_id: str) -> None:
    from test_palette import by_palette

    async with open_app() as driver:
        screen = await homes_of(driver)
        await by_palette(driver, command_id)

        await driver.until(lambda: HOMES_CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [command_id for command_id in COMPARE_CAME if command(command_id).keys])
async def test_a_command_of_the_comparison_by_key(open_app: OpenApp, twin: Home, command_id: str) -> None:
    async with open_app() as driver:
        screen = await compared(driver)
        await driver.press(command(command_id).keys[0])

        await driver.until(lambda: COMPARE_CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("command_id", [command_id for command_id in COMPARE_CAME if command(command_id).in_palette])
async def test_a_command_of_the_comparison_by_palette(open_app: OpenApp, twin: Home, command_id: str) -> None:
    from test_palette import by_palette

    async with open_app() as driver:
        screen = await compared(driver)
        await by_palette(driver, command_id)

        await driver.until(lambda: COMPARE_CAME[command_id](driver, screen), command_id)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["[@click=app.quit]x[\\", "\u202ebidi \x1b[31m", "漢字"])
async def test_hostile_homes_stay_text(open_app: OpenApp, home: Home, size: tuple[int, int], name: str) -> None:
    other = Home(Path.home() / f".hermes-{name}")
    other.write_outside(HOSTILE, HOSTILE + "x")
    (home.root / "config.yaml").write_text(f"memory:\n  memory_char_limit: '{name[:3]}'\n")
    other.user.parent.joinpath("USER.md").mkdir()
    record_session(home, HOSTILE, (HOSTILE,), title=HOSTILE)
    (Path.home() / ".hermes").symlink_to(other.root)
    home.write_outside(HOSTILE, *MEMORY)
    async with open_app(size=size) as driver:
        await homes_of(driver)
        frames = driver.screen_text
        for keys in ("j", "space", "k", "c", "j", "tab", "j", "2", "1", "c", "down", "escape", "escape", "escape", "s"):
            await driver.press(keys)
            await driver.settled()
            assert_safe(driver)
            frames += driver.screen_text
        assert "␛" in frames


@pytest.mark.parametrize("size", [(20, 6), (29, 7), (40, 10), (60, 20), (200, 60)])
async def test_no_size_crashes(open_app: OpenApp, twin: Home, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await compared(driver)
        await driver.press("c")
        await driver.until(lambda: isinstance(driver.app.screen, PickScreen | ChoiceScreen))
        await driver.pilot.resize_terminal(120, 40)
        await driver.pilot.resize_terminal(*size)

        assert driver.app.is_running


async def test_leaving_while_homes_are_read_is_no_fault(
    open_app: OpenApp, work: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, left = threading.Event(), threading.Event()

    def slow(row: object) -> object:
        waits.set()
        left.wait(10)
        return listed(row)  # type: ignore[arg-type]

    monkeypatch.setattr("memtui.tui.home_jobs.listed", slow)
    async with open_app() as driver:
        await driver.press("o")
        await driver.until(waits.is_set)
        await driver.press("q")
        left.set()
        await driver.until(lambda: not [w for w in driver.app.workers if w.group == "homes" and w.is_running])

        assert driver.app.state.problem == ""
