"""The resolver's state: what each event makes of it, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.actions.sources import Source, SourceVerdict
from memtui.core.budget import budget_of
from memtui.core.codec import parse, render
from memtui.core.model import MemoryFile
from memtui.core.resolve import FILE_NOW, Draft, cut, mark, start_draft
from memtui.view import resolver_texts as words
from memtui.view.lines import Line, line_width
from memtui.view.resolver import Column, Cut, ResolverState, SourceRow
from memtui.view.resolver_events import (
    ColumnCalled,
    CursorMoved,
    DraftChanged,
    DraftOpened,
    SourceCut,
    SourcesJudged,
    StepFailed,
)
from memtui.view.resolver_reducing import reduce_resolver
from memtui.view.resolver_rows import budget_line, detail_of, row_of

BACKUP = "MEMORY.md.bak.1700000000"


def draft_of(*texts: str) -> Draft:
    document = parse(render(texts))
    file = MemoryFile("memory", "MEMORY.md", True, document, budget_of(document.texts, 100))
    return start_draft(file)


def opened(*texts: str, reasons: tuple[str, ...] = ()) -> DraftOpened:
    draft = draft_of(*texts)
    return DraftOpened(draft, reasons, {one.text: one for one in mark(draft.pieces, texts, 100)})


def source(name: str, verdict: SourceVerdict, **more: object) -> Source:
    return Source(name, Path("/home/ada") / name, 1_700_000_000.0, 40, "ab" * 32, verdict, **more)  # type: ignore[arg-type]


def judged(*more: SourceRow) -> SourcesJudged:
    return SourcesJudged((SourceRow(source(FILE_NOW, SourceVerdict.FILE)), *more))


def state_of(*texts: str) -> ResolverState:
    state = reduce_resolver(ResolverState("memory", "MEMORY.md", 1_700_000_100.0), opened(*texts))
    return reduce_resolver(state, judged(SourceRow(source(BACKUP, SourceVerdict.MISSING, missing_count=1))))


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)


def test_opening_picks_what_stands_and_touches_nothing() -> None:
    state = state_of("one", "two")

    assert state.draft is not None
    assert state.draft.picked == ("one", "two")
    assert not state.is_touched


def test_picking_touches_and_picking_back_does_not() -> None:
    state = state_of("one", "two")
    assert state.draft is not None

    left_out = reduce_resolver(state, DraftChanged(state.draft.unpick("two")))
    assert left_out.is_touched
    assert left_out.draft is not None
    assert not reduce_resolver(left_out, DraftChanged(left_out.draft.pick("two"))).is_touched


def test_a_file_that_changed_underneath_keeps_picks_and_picks_what_came() -> None:
    state = state_of("one", "two")
    assert state.draft is not None
    state = reduce_resolver(state, DraftChanged(state.draft.unpick("one").pick("mine")))

    fresh = opened("one", "two", "theirs")
    state = reduce_resolver(state, DraftOpened(fresh.draft, (), fresh.marks, keeps_picks=True))

    assert state.draft is not None
    assert state.draft.picked == ("two", "mine", "theirs")
    assert state.is_touched


def test_another_encoding_drops_the_old_reading_and_keeps_what_came_from_a_copy() -> None:
    state = state_of("cafÃ©", "two")
    assert state.draft is not None
    state = reduce_resolver(state, DraftChanged(state.draft.pick("of a copy")))

    state = reduce_resolver(state, opened("café", "two"))

    assert state.draft is not None
    assert state.draft.picked == ("café", "two", "of a copy")


def test_a_source_keeps_its_cut_when_another_is_looked_at() -> None:
    state = state_of("- a\n- b", "two")
    assert state.draft is not None
    state = reduce_resolver(state, DraftChanged(state.draft.split(0)))
    state = reduce_resolver(state, CursorMoved(Column.SOURCES, 1))
    assert state.cut is None
    state = reduce_resolver(state, SourceCut(BACKUP, Cut(("of the backup",))))
    assert state.rows(Column.CANDIDATES) == ("of the backup",)

    state = reduce_resolver(state, CursorMoved(Column.SOURCES, 0))

    assert state.rows(Column.CANDIDATES) == ("- a", "- b", "two")


def test_a_late_cut_of_another_source_does_not_change_the_list() -> None:
    state = reduce_resolver(state_of("one"), SourceCut(BACKUP, Cut(("late",))))

    assert state.rows(Column.CANDIDATES) == ("one",)


@pytest.mark.parametrize("position", [-1_000_000_000, 1_000_000_000])
@pytest.mark.parametrize("column", list(Column))
def test_no_move_leaves_the_list(column: Column, position: int) -> None:
    state = reduce_resolver(state_of("one", "two"), CursorMoved(column, position))

    assert 0 <= state.positions[column] < max(len(state.rows(column)), 1)


def test_the_cursor_follows_the_text_that_was_moved() -> None:
    state = reduce_resolver(state_of("one", "two", "three"), ColumnCalled(Column.RESULT))
    assert state.draft is not None

    state = reduce_resolver(state, DraftChanged(state.draft.move("one", 2), "one"))

    assert state.text == "one"
    assert state.positions[Column.RESULT] == 2


def test_a_source_that_goes_gives_its_place_to_the_file() -> None:
    state = reduce_resolver(state_of("one"), CursorMoved(Column.SOURCES, 1))

    assert reduce_resolver(state, judged()).source == FILE_NOW


def test_a_failure_is_said_until_the_next_step() -> None:
    state = reduce_resolver(state_of("one"), StepFailed("It did not work."))
    assert state.problem == "It did not work."
    assert state.draft is not None

    assert reduce_resolver(state, DraftChanged(state.draft.unpick("one"))).problem == ""


def test_new_texts_are_to_be_compared() -> None:
    state = state_of("one", "two")
    assert state.unmarked == ()
    assert state.draft is not None

    assert reduce_resolver(state, DraftChanged(state.draft.edit("one", "uno"))).unmarked == ("uno",)


@pytest.mark.parametrize("width_cells", [1, 10, 20, 38, 60, 120])
@pytest.mark.parametrize("column", list(Column))
def test_a_row_is_never_wider_than_its_list(column: Column, width_cells: int) -> None:
    state = state_of("A text that is longer than a narrow list is wide, with 漢字 in it", "\x1b[31mred")

    for position in range(len(state.rows(column))):
        assert line_width(row_of(state, column, position, True, width_cells)) <= width_cells
    assert line_width(budget_line(state, width_cells)) <= width_cells


def test_a_candidate_says_whether_it_is_picked_and_what_it_is() -> None:
    state = state_of("one", "two")

    line = text_of(row_of(state, Column.CANDIDATES, 0, False, 60))

    assert "[x] ✓ one" in line
    assert "live" in line


def test_an_over_full_draft_says_by_how_much() -> None:
    state = state_of("x" * 60)
    assert state.draft is not None
    state = reduce_resolver(state, DraftChanged(state.draft.pick("y" * 60)))

    assert "▲ 23 over" in text_of(budget_line(state, 100))


def test_the_detail_of_a_near_duplicate_quotes_its_like() -> None:
    candidates = mark(cut("Cron runs at 03:00!"), ["Cron runs at 03:00"], 100, "backup")
    state = reduce_resolver(state_of("Cron runs at 03:00"), CursorMoved(Column.SOURCES, 1))
    state = reduce_resolver(
        state, SourceCut(BACKUP, Cut(("Cron runs at 03:00!",)), {one.text: one for one in candidates})
    )

    detail = detail_of(reduce_resolver(state, ColumnCalled(Column.CANDIDATES)))

    assert any("like: Cron runs at 03:00" in text_of(line) for line in detail.paragraphs)


def test_the_offer_lists_what_goes_and_what_stays() -> None:
    rows = (
        SourceRow(source(FILE_NOW, SourceVerdict.FILE)),
        SourceRow(source("a", SourceVerdict.IDENTICAL), is_identical=True),
        SourceRow(source("b", SourceVerdict.ALL_LIVE)),
        SourceRow(source("c", SourceVerdict.MISSING, missing_count=2), why_kept="2 entries are not live"),
    )

    question = words.clean_up_question(rows, "MEMORY.md", ("Resolved.",))

    assert question is not None
    assert [option.label for option in question.options] == [
        "Keep all",
        "Delete 1 identical",
        "Delete 2 backups",
    ]
    told = [text_of(line) for line in question.body]
    assert told[0] == "Resolved."
    assert any(line.startswith("✓ c") and "2 entries are not live" in line for line in told)


def test_nothing_is_offered_when_every_backup_says_more() -> None:
    rows = (
        SourceRow(source("c", SourceVerdict.MISSING, missing_count=2), why_kept="2 entries are not live"),
    )

    assert words.clean_up_question(rows, "MEMORY.md") is None


def test_the_safe_answer_stands_first_everywhere() -> None:
    state = state_of("one")
    assert state.draft is not None
    questions = [
        words.write_question(state.draft, ["one"], ()),
        words.draft_question(state),
        words.restore_question("a", "MEMORY.md", (), ("It is drifted.",)),
        words.refusal_question("No.", "MEMORY.md"),
    ]

    assert [question.options[0].value for question in questions] == ["keep"] * 4
    assert not any(question.options[0].is_dangerous for question in questions)
