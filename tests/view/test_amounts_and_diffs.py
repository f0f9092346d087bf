"""Times, sizes and diffs as people read them; the banner of the review screen."""

from __future__ import annotations

import time

import pytest

from memtui.core.budget import budget_of
from memtui.core.codec import parse
from memtui.core.diff import line_diff
from memtui.core.drift import agent_refusal, find_drift, find_merged
from memtui.core.model import MemoryFile
from memtui.view.amounts import counted, moment_words, size_words
from memtui.view.banner import banner
from memtui.view.diffs import MAX_LINES, diff_paragraphs, diff_summary
from memtui.view.lines import Line, Tone
from memtui.view.state import GroupLoad, GroupView, ViewState

NOW_S = time.mktime((2026, 11, 27, 12, 0, 0, 0, 0, -1))


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ((2026, 11, 27, 9, 14, 0), "09:14"),
        ((2026, 11, 26, 9, 14, 0), "26 Nov 09:14"),
        ((2025, 3, 1, 0, 0, 0), "1 Mar 2025"),
    ],
)
def test_a_moment_is_told_as_shortly_as_it_can_be(when: tuple[int, ...], words: str) -> None:
    assert moment_words(time.mktime((*when, 0, 0, -1)), NOW_S) == words


@pytest.mark.parametrize("when_s", [0.0, -5.0, 1e300])
def test_no_moment_is_a_dash(when_s: float) -> None:
    assert moment_words(when_s, NOW_S) == "—"


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (3_300, "3.3 kB"),
        (9_960, "10 kB"),
        (610_723, "611 kB"),
        (999_600, "1.0 MB"),
    ],
)
def test_a_size_has_two_figures(size_bytes: int, words: str) -> None:
    assert size_words(size_bytes) == words


def test_counts_agree_with_their_noun() -> None:
    assert (counted(1, "entry", "entries"), counted(2_000, "entry", "entries")) == (
        "1 entry",
        "2,000 entries",
    )


def test_a_diff_shows_changes_and_folds_the_rest() -> None:
    before = "\n".join(f"line {number}" for number in range(50))

    told = [text_of(line) for line in diff_paragraphs(line_diff(before, before.replace("line 25", "other")))]

    assert told == [
        "⋯ 23 unchanged lines", "  line 23", "  line 24", "− line 25", "+ other", "  line 26", "  line 27",
        "⋯ 22 unchanged lines",
    ]  # fmt: skip


def test_a_giant_diff_is_cut_and_says_so() -> None:
    lines = line_diff("", "\n".join(map(str, range(5_000))))

    paragraphs = diff_paragraphs(lines)

    assert len(paragraphs) == MAX_LINES + 1
    assert "more lines of the diff" in text_of(paragraphs[-1])
    assert diff_summary(lines) == "+5,000 −1 lines"


def test_a_diff_draws_control_characters_as_marks() -> None:
    (line,) = diff_paragraphs(line_diff("same", "same"))[:1]
    assert "unchanged" in text_of(line)

    told = "".join(text_of(line) for line in diff_paragraphs(line_diff("a", "\x1b]0;x\x07\u202eb\r")))

    assert not any(ord(letter) < 32 or letter == "\u202e" for letter in told)


def state_of(raw_bytes: bytes, limit_chars: int = 100, agent_refuses: str | None = None) -> ViewState:
    document = parse(raw_bytes)
    file = MemoryFile(
        "memory", "MEMORY.md", True, document, budget_of(document.texts, limit_chars),
        drift=find_drift(document, limit_chars), merged=find_merged(document),
        agent_refuses=agent_refusal(document, limit_chars) if agent_refuses is None else agent_refuses,
    )  # fmt: skip
    return ViewState(groups=(GroupView("memory", "MEMORY", "MEMORY.md", load=GroupLoad(1, file, ())),))


@pytest.mark.parametrize(
    ("raw_bytes", "words"),
    [
        (b"caf\xe9", "▲ Drift, b resolves it: byte 0xE9"),
        (b"x" * 101, "▲ Drift, b resolves it: one entry is longer"),
        ("§ one\n§ two".encode(), "S splits the selected one, b resolves all"),
        (b"a\n\n\xc2\xa7\nb", "x tidies: Hermes"),
        ("\n§\n".join(["x" * 60, "y" * 60]).encode(), "over its budget"),
    ],
)
def test_the_banner_names_the_key_for_the_worst_thing(raw_bytes: bytes, words: str) -> None:
    sentence, tone = banner(state_of(raw_bytes))

    assert words.casefold() in sentence.casefold()
    assert tone is Tone.WARN


def test_a_layout_that_nobody_refuses_is_no_warning() -> None:
    sentence, tone = banner(state_of(b"a\r\n\xc2\xa7\r\nb", agent_refuses=""))

    assert sentence.startswith("· Layout, x tidies it: ")
    assert tone is Tone.NOTE


@pytest.mark.parametrize("raw_bytes", [b"", b"a", b"a\n\xc2\xa7\nb\n"])
def test_a_clean_file_has_no_banner(raw_bytes: bytes) -> None:
    assert banner(state_of(raw_bytes))[0] == ""
