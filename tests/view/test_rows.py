"""Rows and details: the state of every entry as mark, word and sentence."""

from __future__ import annotations

import pytest

from memtui.core.budget import budget_of
from memtui.core.codec import parse, render
from memtui.core.model import Drift, DriftKind, MemoryFile, Merged
from memtui.core.threats.finding import Finding, Severity
from memtui.view import rows
from memtui.view.detail import MAX_DETAIL_CHARS, detail_of, marked_text
from memtui.view.lines import Tone, line_width
from memtui.view.pane import row_line
from memtui.view.rows import Badge, RowView, Side, SnapshotText, build_rows
from memtui.view.state import GroupLoad, GroupView, ViewState


def finding(severity: Severity, *spans: tuple[int, int], suppressed: bool = False) -> Finding:
    return Finding("rule_a", "injection", severity, spans, "raw", "matched", "hidden words", "It is dangerous.",
                   "Remove it.", "1", suppressed=suppressed)  # fmt: skip


def file_of(*texts: str, findings: tuple[tuple[Finding, ...], ...] = (), **more: object) -> MemoryFile:
    document = parse(render(texts))
    return MemoryFile(
        "memory", "/MEMORY.md", True, document, budget_of(texts, 100), findings=findings, **more
    )  # type: ignore[arg-type]


def seen(*texts: str) -> tuple[SnapshotText, ...]:
    return tuple(SnapshotText(text, text) for text in texts)


def hidden(text: str) -> SnapshotText:
    return SnapshotText(text, "[BLOCKED: …]", True, ("their_rule",))


def badges(row: RowView, side: Side = Side.LIVE) -> tuple[Badge, ...]:
    half = row.half(side)
    assert half is not None
    return half.badges


def detail_text(file: MemoryFile, built: tuple[RowView, ...], side: Side = Side.LIVE) -> str:
    group = GroupView("memory", "MEMORY", "MEMORY.md", load=GroupLoad(1, file, built), shown=(0,))
    lines = detail_of(ViewState(groups=(group,), side=side)).paragraphs
    return "\n".join("".join(span.text for span in line) for line in lines)


@pytest.mark.parametrize(
    ("severity", "is_hidden", "badge"),
    [
        (Severity.BLOCK, False, rows.DANGEROUS),
        (Severity.BLOCK, True, rows.BLOCKED),
        (Severity.WARN, False, rows.WARNED),
        (Severity.WARN, True, rows.UNSEEN),
        (None, True, rows.UNSEEN),
        (None, False, None),
        (Severity.INFO, False, None),
    ],
)
def test_the_four_states_of_an_entry(severity: Severity | None, is_hidden: bool, badge: Badge | None) -> None:
    findings = (finding(severity, (0, 3)),) if severity else ()
    file = file_of("text", findings=(findings,))

    row = build_rows(file, (hidden("text"),) if is_hidden else seen("text"))[0]

    assert badges(row) == ((badge,) if badge else ())
    assert badges(row, Side.SNAPSHOT)[:1] == ((rows.BLOCKED,) if is_hidden else (badge,) if badge else ())


def test_a_finding_known_and_fine_makes_no_badge() -> None:
    file = file_of("text", findings=((finding(Severity.BLOCK, (0, 3), suppressed=True),),))

    assert badges(build_rows(file, seen("text"))[0]) == ()


def test_a_new_entry_that_the_next_session_would_hide_says_so() -> None:
    row = build_rows(file_of("text"), (), unseen={0: hidden("text")})[0]

    assert badges(row) == (rows.UNSEEN, rows.NEW)


def test_new_changed_moved_and_gone_stand_side_by_side() -> None:
    file = file_of("kept one", "kept two", "moved one", "deploy needs vpn and mfa", "brand new thing")

    built = build_rows(file, seen("moved one", "kept one", "kept two", "deploy needs vpn", "gone forever"))
    words = {(row.live and row.live.text): [badge.word for half in (row.live, row.snapshot) if half
                                            for badge in half.badges] for row in built}  # fmt: skip

    assert words["deploy needs vpn and mfa"] == ["changed", "changed"]
    assert words["brand new thing"] == ["new"]
    assert words[None] == ["gone from disk"]
    assert words["moved one"] == ["moved", "moved"]
    assert words["kept one"] == []


def test_duplicates_merged_and_too_long_entries_are_marked() -> None:
    file = file_of(
        "same", "many notes", "same",
        merged=(Merged(1, ("many", "notes"), "two blocks"),),
        drift=(Drift(DriftKind.TOO_LONG, "too long", 1, 2, entry_index=0),),
    )  # fmt: skip

    built = build_rows(file, seen("same", "many notes"))

    assert rows.TOO_LONG in badges(built[0])
    assert badges(built[1])[0].word == "2 notes"
    assert rows.DUPLICATE in badges(built[2])


def test_what_other_programs_wrote_is_marked() -> None:
    assert rows.OUTSIDE in badges(build_rows(file_of("text"), (), outside={"text"})[0])


@pytest.mark.parametrize("width", [4, 10, 39, 40, 58, 120])
def test_a_row_is_exactly_as_wide_as_the_pane(width: int) -> None:
    for row in build_rows(file_of("漢字 " * 30, "short"), seen("short", "gone 👩‍👩‍👧")):
        for side in Side:
            if row.half(side) is not None and width > 12:
                assert line_width(row_line(row, side, True, 5, width)) == width


def test_the_detail_shows_why_what_is_hidden_and_what_to_do() -> None:
    file = file_of("bad text", findings=((finding(Severity.BLOCK, (0, 3)),),))

    shown = detail_text(file, build_rows(file, seen("bad text")))

    for part in ("rule_a · block", "It is dangerous.", "“hidden words”", "Remove it.", "bad text"):
        assert part in shown


def test_a_flagged_stretch_is_marked_and_nothing_else() -> None:
    line = marked_text("fine bad fine", [(5, 8, Tone.FLAG)])

    assert [(span.text, span.tone) for span in line] == [
        ("fine ", Tone.PLAIN), ("bad", Tone.FLAG), (" fine", Tone.PLAIN),
    ]  # fmt: skip


def test_a_changed_entry_shows_both_texts() -> None:
    file = file_of("deploy needs vpn and mfa")

    shown = detail_text(file, build_rows(file, seen("deploy needs vpn")))

    assert "The session still holds:" in shown
    assert shown.count("deploy needs") == 2


def test_a_giant_entry_is_shown_in_part_and_says_so() -> None:
    text = "".join(span.text for span in marked_text("x" * (MAX_DETAIL_CHARS + 5)))

    assert "5 more characters" in text
    assert len(text) < MAX_DETAIL_CHARS + 200
