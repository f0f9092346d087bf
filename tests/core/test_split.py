"""Cutting a text into notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.split import block_count, has_headings, split_blocks, split_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        (" \n ", ()),
        ("one", ("one",)),
        ("a\n§\nb\n § \nc", ("a", "b", "c")),
        ("§ [ONE] - x\n- a\n- b\n§ [TWO] - y", ("[ONE] - x\n- a\n- b", "[TWO] - y")),
        ("a§\nb§ \nc", ("a", "b", "c")),
        ("as said in §\n12 of the law", ("as said in §\n12 of the law",)),
        ("§ router\n\n§ model", ("router", "model")),
        ("see § 4\n\nsee §8.4", ("see § 4", "see §8.4")),
        ("para one\nwrapped\n\npara two", ("para one\nwrapped", "para two")),
        (
            "# Top\n\n## Style\n- Short.\n- Euro.\n\n## Rules\n1. Check.\n2) Stop.",
            ("# Top\n\n## Style\n- Short.", "- Euro.", "## Rules\n1. Check.", "2) Stop."),
        ),
        ("Hosts:\n- web\n  more\n  - nested\n- db", ("Hosts:\n- web\n  more\n  - nested", "- db")),
        ("x\n\n  - a\n    - deep\n  - b", ("x", "- a\n    - deep", "- b")),
        ("- a\n\n  still a\n- b", ("- a\n\n  still a", "- b")),
        ("x\n```\n# no heading\n\n- no item\n```\ny", ("x\n```\n# no heading\n\n- no item\n```\ny",)),
        ("open\n```\nnever closed\n\nnext", ("open\n```\nnever closed", "next")),
        ("# a\n\n# b", ("# a\n\n# b",)),
        ("# Top\n\n## Sub\n- only", ("# Top\n\n## Sub\n- only",)),
        ("# Top\n\nfirst\nsecond\n```\ncode\n\n```", ("# Top\n\nfirst", "second", "```\ncode\n\n```")),
        ("text\n\n# last heading", ("text", "# last heading")),
    ],
)
def test_notes_are_cut(text: str, parts: tuple[str, ...]) -> None:
    assert split_parts(text) == parts


LINES = ("§", " § ", "§ x", "y§", "# h", "- i", "  - n", "1. k", "", "p", "  q", "```", "===", "---", "z:")
notes = st.lists(st.sampled_from(LINES)).map("\n".join)


def lines_of(text: str) -> list[str]:
    bare = (line.strip("§ ") for line in text.split("\n"))
    return [line for line in bare if line]


@given(st.one_of(notes, st.text(alphabet="§ \n#-`ab1.")))
def test_every_line_is_in_exactly_one_part(text: str) -> None:
    parts = split_parts(text)

    assert [line for part in parts for line in lines_of(part)] == lines_of(text)
    assert all(part == part.strip() != "" for part in parts)


@given(notes)
def test_cutting_a_part_again_loses_nothing(text: str) -> None:
    for part in split_blocks(text):
        assert [line for again in split_blocks(part) for line in lines_of(again)] == lines_of(part)


def test_blocks_and_headings_are_seen_outside_of_code_only() -> None:
    assert has_headings("# a")
    assert not has_headings("#a")
    assert not has_headings("```\n# a\n```")
    assert (block_count("a\n\n\nb\nc"), block_count("```\na\n\nb\n```"), block_count("\n")) == (2, 1, 0)
