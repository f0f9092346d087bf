"""Lines of spans: cut, spread and wrapped without ever being wider than asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.core.visible import cell_width, visible_text
from memtui.view.lines import Span, Tone, at_most, fit, line_width, spread, tail, wrap

texts = st.text(max_size=60).map(lambda text: visible_text(text, keep_newlines=True))
one_line = st.text(max_size=60).map(visible_text)
widths = st.integers(min_value=0, max_value=40)


@given(one_line, one_line, widths)
def test_fit_is_never_wider_than_asked(first: str, second: str, width: int) -> None:
    assert line_width(fit((Span(first), Span(second, Tone.BAD)), width)) <= width


@given(one_line, one_line, widths)
def test_spread_is_exactly_as_wide_as_asked(left: str, right: str, width: int) -> None:
    assert line_width(spread((Span(left),), (Span(right),), width)) == width


@given(one_line, widths)
def test_tail_keeps_the_end(text: str, width: int) -> None:
    shown = tail(text, width)

    assert cell_width(shown) <= width
    assert text.endswith(shown.removeprefix("…"))


@given(st.lists(texts, max_size=4), st.integers(min_value=2, max_value=40))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(parts: list[str], width: int) -> None:
    lines = wrap([Span(part) for part in parts], width)

    assert all(line_width(line) <= width for line in lines)
    shown = "".join(span.text for line in lines for span in line)
    assert "".join(shown.split()) == "".join("".join(parts).split())


def test_words_stay_whole_where_they_can() -> None:
    lines = wrap([Span("the quick brown fox")], 10)

    assert ["".join(span.text for span in line).strip() for line in lines] == ["the quick", "brown fox"]


def test_what_goes_on_below_begins_in_its_own_column() -> None:
    lines = wrap([Span("  key     "), Span("what the key does")], 21, hanging_cells=10)

    shown = ["".join(span.text for span in line).rstrip() for line in lines]
    assert shown == ["  key     what the", " " * 10 + "key does"]


@given(st.lists(texts, max_size=4), st.integers(min_value=2, max_value=40), st.integers(min_value=0, max_value=60))
def test_hanging_lines_fit_and_lose_nothing_but_blanks(parts: list[str], width: int, hanging: int) -> None:
    lines = wrap([Span(part) for part in parts], width, hanging)

    assert all(line_width(line) <= width for line in lines)
    shown = "".join(span.text for line in lines for span in line)
    assert "".join(shown.split()) == "".join("".join(parts).split())


def test_tones_survive_wrapping() -> None:
    lines = wrap([Span("plain "), Span("flagged words", Tone.FLAG)], 9)

    assert {span.text.strip(): span.tone for line in lines for span in line if span.text.strip()} == {
        "plain": Tone.PLAIN, "flagged": Tone.FLAG, "words": Tone.FLAG,
    }  # fmt: skip


@given(one_line.filter(str.strip), st.integers(min_value=3, max_value=40), st.integers(min_value=1, max_value=4))
def test_a_text_that_is_cut_off_says_so(text: str, width: int, count: int) -> None:
    lines = wrap((Span(text),), width)

    kept = at_most(lines, count, width)

    assert len(kept) == min(len(lines), count)
    assert all(line_width(line) <= width for line in kept)
    assert kept == lines or kept[-1][-1].text.endswith("…")
