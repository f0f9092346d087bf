"""Gates leave a pattern out only where it cannot match: RE2's own search of every text is the judge."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.core.threats.dampers import _probe
from memtui.core.threats.engine import Reader
from memtui.core.threats.firsts import signs_of, tokens_of, word_sets
from memtui.core.threats.folding import is_narrow
from memtui.core.threats.needed import WORD_SETS, needed_words
from memtui.core.threats.rules import builtin
from memtui.core.threats.views import clean_view, folded_view, shifted

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "threats"


def texts() -> list[str]:
    corpus = [json.loads(line)["text"] for line in (DATA / "threats.jsonl").read_text(encoding="utf-8").splitlines()]
    return corpus + [text for rule in builtin().rules for text in (*rule.good, *rule.bad)]


@pytest.mark.parametrize("narrow", [True, False])
def test_a_gate_is_open_wherever_its_pattern_is_found(narrow: bool) -> None:
    reader = Reader(builtin(), narrow=narrow)
    views = [clean_view(text, shifted(0)) for text in texts() if is_narrow(text) == narrow]
    assert len(views) > 50
    shut = [
        (part.pattern, sides.clean_data)
        for view in views
        for sides in [reader.sides(folded_view(view), view)]
        for opened in [reader.opened(sides)]
        for number, part in enumerate(reader.parts)
        if not opened >> number & 1 and part.occurs(sides.data if part.is_folded else sides.clean_data)
    ]
    assert shut == []


def test_the_gate_of_the_dampers_is_open_wherever_one_of_them_acts() -> None:
    reader = Reader(builtin(), narrow=False)
    acting = [
        _probe(name)
        for name in ("negation", "negation after", "study", "past tense", "localhost", "sample file")
    ]
    shut = []
    for text in texts():
        view = folded_view(clean_view(text, shifted(0)))
        page = reader.read(view).pages[0]
        if not page.may_be_damped and any(probe.finds(view.text.encode("utf-8", "replace")) for probe in acting):
            shut.append(text)
    assert shut == []


def words(pattern: str) -> list[set[str]]:
    return [{word for word, _ in starts} for starts in word_sets(pattern, at_edge=False)]


def test_a_pattern_that_may_begin_inside_a_word_asks_for_no_first_word() -> None:
    assert words("ignoreall") == []
    assert words(r"\bignoreall") == [{"ignoreall"}]
    assert word_sets("ignoreall", at_edge=True) == (frozenset({("ignoreall", True)}),)


def test_a_group_after_a_word_is_asked_for() -> None:
    assert {"supervision", "oversight"} in words(r"\bwithout[\s_-]+(any[\s_-]+)?(supervision|oversight)\b")


def test_a_pattern_that_begins_with_a_sign_asks_for_its_words() -> None:
    assert words(r"\[\s*blocked\s*:") == [{"["}, {"blocked"}, {":"}]


def test_a_set_that_holds_another_is_left_out() -> None:
    assert words(r"\b(my |any )?secret\b") == [{"secret"}]


def test_the_common_word_that_a_pattern_begins_with_is_asked_for_too() -> None:
    assert words(r"\byour\s+(?:\w+\s+){0,2}(?:rules|policy)\b") == [{"rules", "policy"}, {"your"}]


@pytest.mark.parametrize(
    ("pattern", "signs"),
    [
        (r"a\$b", [{"$"}]),
        (r"a\$?b", []),
        (r"(?:<\(|\$\()x", [{"<", "$"}]),
        (r"(?:<|x)y", []),
        (r"[<{\[]x@", [{"<", "{", "["}, {"@"}]),
        (r"[<x]y", []),
        (r"a|b", []),
        (r"--yolo\b", [{"--"}]),
        (r"--?yolo\b", []),
        (r"\n§\n", [{"\n"}, {"§"}, {"\n"}]),
    ],
)
def test_signs_are_those_of_every_match(pattern: str, signs: list[set[str]]) -> None:
    assert signs_of(tokens_of(pattern)) == signs


def test_the_table_of_needed_words_is_current() -> None:
    done = subprocess.run([sys.executable, "docs/make_needed_words.py", "--check"], cwd=ROOT, timeout=120)

    assert done.returncode == 0, "run python docs/make_needed_words.py"


@pytest.mark.parametrize("pattern", [r"xyzzy(?:s|es)?\s+falcon\w*", "falcon[\\s_-]+gate\\b", "falcon\\w*"])
def test_a_pattern_that_the_table_does_not_know_is_looked_into(pattern: str) -> None:
    assert needed_words(pattern, at_edge=True) == word_sets(pattern, at_edge=True)[:WORD_SETS]
    assert needed_words(pattern, at_edge=True)
