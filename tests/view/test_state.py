"""`reduce`: what an event does to what is on screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memtui.core.budget import budget_of
from memtui.core.change import Change, Step
from memtui.core.codec import parse, render
from memtui.core.model import ExternalChange, MemoryFile
from memtui.view.events import (
    ChangeCommitted,
    ChangeRefused,
    EntryPicked,
    FileLoaded,
    FilterMatched,
    FilterTyped,
    FindingsArrived,
    HomeNotFound,
    HomeOpened,
    LockAwaited,
    ProblemDismissed,
    SideSwitched,
    SnapshotFrozen,
    TargetSwitched,
    WaitEnded,
    WatchChanged,
)
from memtui.view.looks import Material, Session, build_load
from memtui.view.reducing import reduce
from memtui.view.rows import Side
from memtui.view.state import Capabilities, GroupLoad, GroupView, HomeView, Phase, ViewState
from memtui.view.texts import pane_title

HOME = HomeView("~/.hermes", "work", "hermes", "hermes 0.19 rules")
TEXTS = ("one", "two", "three")


def load_of(serial: int, *texts: str, frozen: tuple[str, ...] = TEXTS) -> GroupLoad:
    document = parse(render(texts))
    file = MemoryFile("memory", "/home/MEMORY.md", True, document, budget_of(texts, 100))
    return build_load(serial, Material(file, Session(parse(render(frozen)), "09:12")))


def group_of(state: ViewState) -> GroupView:
    assert state.group is not None
    return state.group


def picked_text(state: ViewState) -> str:
    assert state.picked is not None
    return state.picked.key.text


@pytest.fixture
def opened() -> ViewState:
    groups = (GroupView("memory", "MEMORY", "MEMORY.md"), GroupView("user", "USER", "USER.md"))
    state = reduce(ViewState(watch="watching"), HomeOpened(HOME, groups))
    return reduce(state, FileLoaded("memory", load_of(1, *TEXTS)))


def test_opening_keeps_what_is_known_of_the_watch(opened: ViewState) -> None:
    assert opened.phase is Phase.OPEN
    assert opened.watch == "watching"
    assert opened.home == HOME


def test_a_home_that_is_not_found_is_said(opened: ViewState) -> None:
    state = reduce(opened, HomeNotFound("No memory found."))

    assert (state.phase, state.problem, state.groups) == (Phase.MISSING, "No memory found.", ())


def test_picking_stays_inside_the_rows(opened: ViewState) -> None:
    assert picked_text(reduce(opened, EntryPicked(99))) == "three"
    assert picked_text(reduce(opened, EntryPicked(-5))) == "one"


def test_an_older_look_never_replaces_a_newer_one(opened: ViewState) -> None:
    newer = reduce(opened, FileLoaded("memory", load_of(7, "seven")))

    older = reduce(newer, FindingsArrived("memory", load_of(6, *TEXTS)))

    assert [row.key.text for row in group_of(older).rows if row.live] == ["seven"]


def test_selection_follows_the_entry_when_others_come_before_it(opened: ViewState) -> None:
    state = reduce(opened, EntryPicked(1))

    state = reduce(state, FileLoaded("memory", load_of(2, "zero", *TEXTS)))

    assert picked_text(state) == "two"
    assert group_of(state).position == 2


def test_selection_follows_an_entry_that_another_program_changed(opened: ViewState) -> None:
    state = reduce(opened, EntryPicked(1))
    external = ExternalChange(changed=(("two", "two and more"),))

    state = reduce(state, FileLoaded("memory", load_of(2, "one", "two and more", "three"), external))

    assert picked_text(state) == "two and more"


def test_selection_goes_to_the_row_that_the_snapshot_still_has(opened: ViewState) -> None:
    state = reduce(opened, EntryPicked(1))

    state = reduce(state, FileLoaded("memory", load_of(2, "one", "three"), ExternalChange(removed=("two",))))

    assert picked_text(state) == "two"
    assert state.picked is not None
    assert state.picked.live is None


def test_selection_goes_to_the_nearest_row_when_the_entry_is_gone_everywhere(opened: ViewState) -> None:
    state = reduce(opened, EntryPicked(2))

    state = reduce(state, FileLoaded("memory", load_of(2, "one", frozen=("one",))))

    assert picked_text(state) == "one"


def test_the_second_of_two_equal_entries_stays_selected(opened: ViewState) -> None:
    state = reduce(opened, FileLoaded("memory", load_of(2, "same", "other", "same", frozen=())))
    state = reduce(state, EntryPicked(2))

    state = reduce(state, FileLoaded("memory", load_of(3, "first", "same", "other", "same", frozen=())))

    assert group_of(state).position == 3


def test_a_committed_addition_is_selected(opened: ViewState) -> None:
    change = Change("memory", "add", (Step(None, "four"),), (*TEXTS, "four"), 20, 100)

    state = reduce(opened, ChangeCommitted("memory", change, load_of(2, *TEXTS, "four")))

    assert picked_text(state) == "four"


def test_a_refusal_leaves_everything_but_the_problem(opened: ViewState) -> None:
    state = reduce(opened, ChangeRefused("memory", "locked", "The lock is held."))

    assert state == replace(opened, problem="The lock is held.", is_refusal=True)
    assert reduce(state, ProblemDismissed()) == opened


def test_waiting_begins_and_ends(opened: ViewState) -> None:
    waiting = reduce(opened, LockAwaited("waiting for the lock"))

    assert waiting.waiting == "waiting for the lock"
    assert reduce(waiting, ChangeRefused("user", "locked", "An earlier one.")).waiting == "waiting for the lock"
    assert reduce(waiting, WaitEnded()) == opened


def test_a_filter_shows_what_matched_and_keeps_the_entry(opened: ViewState) -> None:
    state = reduce(reduce(opened, EntryPicked(2)), FilterTyped("t"))

    state = reduce(state, FilterMatched("memory", 1, "t", (1, 2)))

    assert [group_of(state).rows[i].key.text for i in group_of(state).shown] == ["two", "three"]
    assert picked_text(state) == "three"
    cleared = reduce(state, FilterTyped(""))
    assert group_of(cleared).shown == (0, 1, 2)
    assert picked_text(cleared) == "three"


@pytest.mark.parametrize(("serial", "query"), [(0, "t"), (1, "old words")])
def test_matches_of_an_older_look_or_query_are_dropped(opened: ViewState, serial: int, query: str) -> None:
    state = reduce(opened, FilterTyped("t"))

    assert reduce(state, FilterMatched("memory", serial, query, ())) == state


def test_a_change_while_filtering_keeps_the_matches(opened: ViewState) -> None:
    state = reduce(reduce(opened, FilterTyped("t")), FilterMatched("memory", 1, "t", (1, 2)))

    state = reduce(state, FileLoaded("memory", load_of(2, "zero", *TEXTS)))

    assert [group_of(state).rows[i].key.text for i in group_of(state).shown] == ["two", "three"]


def test_switching_group_and_pane(opened: ViewState) -> None:
    assert reduce(opened, TargetSwitched(1)).current == 1
    assert reduce(opened, TargetSwitched(5)) == opened
    assert reduce(opened, SideSwitched(Side.SNAPSHOT)).side is Side.SNAPSHOT
    assert reduce(opened, WatchChanged("polling")).watch == "polling"


def test_a_new_session_forgets_what_came_from_outside(opened: ViewState) -> None:
    external = ExternalChange(added=("four",))
    state = reduce(opened, FileLoaded("memory", load_of(2, *TEXTS, "four"), external))
    assert group_of(state).outside

    state = reduce(state, SnapshotFrozen((("memory", load_of(3, *TEXTS, "four", frozen=(*TEXTS, "four"))),)))

    assert not group_of(state).outside


def test_groups_without_limit_snapshot_or_drift_are_shown_too() -> None:
    facts = GroupView("facts", "FACTS", "facts.db", Capabilities(False, False, False, False))
    document = parse(render(("a fact",)))
    file = MemoryFile("facts", "/facts.db", True, document, budget_of(("a fact",), 0))
    state = reduce(ViewState(), HomeOpened(HOME, (facts,)))

    state = reduce(state, FileLoaded("facts", build_load(1, Material(file, None))))

    assert picked_text(state) == "a fact"
    assert group_of(state).load is not None
    assert state.picked is not None
    assert state.picked.snapshot is None


@pytest.mark.parametrize("side", list(Side))
def test_a_pane_says_that_its_marks_are_still_to_come(opened: ViewState, side: Side) -> None:
    group = group_of(opened)
    assert "scanning …" in pane_title(group, side, is_alone=False)

    assert group.load is not None
    scanned = replace(group, load=replace(group.load, is_scanned=True))
    assert "scanning" not in pane_title(scanned, side, is_alone=False)
