"""Which entry a caller means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.core.change import Exactly
from memtui.core.errors import Ambiguous, InvalidArgument, NoMatch
from memtui.core.matching import differing_part, locate
from memtui.core.model import entry_name

EXPORT = "Nightly export job writes to the shared bucket and must finish before the morning sync, in zone "


def test_an_equal_entry_beats_the_ones_that_contain_the_text() -> None:
    assert locate(["Run lint before every push", "lint"], "lint") == 1


def test_the_only_entry_that_contains_the_text_is_found() -> None:
    assert locate(["Alpha", "Run lint before every push"], " lint\n") == 1
    assert locate(["one\ntwo"], "one\r\ntwo") == 0


def test_identical_duplicates_count_as_one() -> None:
    assert locate(["a b", "x", "a b"], "a b") == 0
    assert locate(["x", "a b", "a b"], "a") == 1


def test_an_entry_is_named_by_the_name_that_lists_show() -> None:
    texts = ["Alpha", "Alpha and more"]

    assert locate(texts, f"#{entry_name(texts[0])}") == 0
    assert locate(texts, f"#{entry_name(texts[1]).upper()}") == 1
    with pytest.raises(NoMatch):
        locate(texts, "#00000000")


def test_a_name_that_is_also_the_whole_text_of_another_entry_is_ambiguous() -> None:
    name = f"#{entry_name('Alpha')}"

    with pytest.raises(Ambiguous) as refused:
        locate(["Alpha", name], name)

    assert "Alpha" in str(refused.value)
    assert f"#{entry_name(name)}" in str(refused.value)
    assert locate(["Alpha", name], "Alph") == 0
    assert locate(["Alpha", name], f"#{entry_name(name)}") == 1


def test_a_program_means_the_entry_with_exactly_its_text() -> None:
    texts = [f"#{entry_name('Alpha')}", "Alpha and more", "Alpha"]

    assert locate(texts, Exactly("Alpha")) == 2
    with pytest.raises(NoMatch):
        locate(texts[:2], Exactly("Alpha"))


def test_candidates_are_listed_where_they_differ() -> None:
    with pytest.raises(Ambiguous) as refused:
        locate([EXPORT + "east", EXPORT + "west"], "Nightly export job")

    assert "zone east" in str(refused.value)
    assert "zone west" in str(refused.value)
    assert [one["text"] for one in refused.value.data["candidates"]] == [EXPORT + "east", EXPORT + "west"]
    assert refused.value.data["candidates"][0]["name"] == entry_name(EXPORT + "east")


def test_what_comes_close_is_offered() -> None:
    with pytest.raises(NoMatch) as refused:
        locate(["Deploy — needs “VPN”", "Other"], 'deploy - needs "VPN"')

    assert "Deploy — needs “VPN”" in str(refused.value)
    assert [one["text"] for one in refused.value.data["nearest"]] == ["Deploy — needs “VPN”"]


def test_messages_are_display_safe_and_bounded() -> None:
    texts = [f"\x1b]0;{n}\x07 evil \u202e{'x' * 500}{n}" for n in range(1000)]
    with pytest.raises(Ambiguous) as ambiguous:
        locate(texts, "evil")
    with pytest.raises(NoMatch) as missed:
        locate(texts, "\x1b" * 5000)

    for message in (str(ambiguous.value), str(missed.value)):
        assert not {"\x1b", "\x07", "\u202e"} & set(message)
        assert len(message) < 2000
    assert "990 more" in str(ambiguous.value)


def test_an_empty_text_names_nothing() -> None:
    with pytest.raises(InvalidArgument):
        locate(["a"], " \n")


def test_excerpts_tell_apart_what_starts_alike_at_different_depths() -> None:
    texts = [EXPORT + "east", EXPORT + "west", "Another note", EXPORT.strip()]

    assert len(set(differing_part(texts))) == 4


@given(st.lists(st.text(alphabet="ab \n§", min_size=1).map(str.strip).filter(bool), unique=True), st.data())
def test_a_whole_entry_always_names_itself(texts: list[str], data: st.DataObject) -> None:
    if texts:
        index = data.draw(st.integers(0, len(texts) - 1))

        assert locate(texts, texts[index]) == index
        assert locate(texts, "#" + entry_name(texts[index])) == index
