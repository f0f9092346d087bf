"""What holds for every text: spans inside it, nothing raised, nothing cleared by what stands round it or in it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.core.threats import Severity, scan, scan_joints, suppression_key
from memtui.core.threats.scanner import builtin_scanner
from memtui.core.threats.views import clean_view, folded_view, shifted

DATA = Path(__file__).parents[2] / "data" / "threats"
ROWS = [json.loads(line) for line in (DATA / "threats.jsonl").read_text(encoding="utf-8").splitlines()]
THREATS = [
    row["text"]
    for row in ROWS
    if row["label"] == "threat" and len(row["text"]) < 2000 and any(found.severity.rank for found in scan(row["text"]))
]
BENIGN = [
    row["text"]
    for row in ROWS
    if row["label"] == "benign" and row["class"] in ("env_fact", "preference", "project_convention", "tool_quirk")
]
SIGNS = (
    "aeinorst  ABZ019.,:;!?'\"`-_/\\|<>[](){}$%&#@=+*~\n\t\r\0\x1b\x08"
    "§═éßİıаеоѕ忽略指令ユーザ사용자\u200b\u200d\u00ad\u202e\ufe0f\U000e0041"
)
anything = st.text(max_size=300) | st.text(alphabet=SIGNS, max_size=300)
surrogates = st.text(alphabet=st.characters(codec=None, categories=("Cs", "L", "Nd", "Zs")), max_size=60)


def flagged(text: str) -> bool:
    return any(finding.severity is not Severity.INFO for finding in scan(text))


@given(anything | surrogates | st.builds("".join, st.lists(st.sampled_from(THREATS) | anything, max_size=4)))
@settings(max_examples=400, deadline=None)
def test_spans_lie_inside_the_text_and_nothing_is_raised(text: str) -> None:
    for finding in scan(text):
        assert finding.spans
        for start, end in finding.spans:
            assert 0 <= start < end <= len(text)
        shown = finding.matched + finding.decoded
        assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}


@given(st.lists(anything | surrogates | st.sampled_from(THREATS), max_size=5))
@settings(max_examples=100, deadline=None)
def test_spans_of_joints_lie_inside_their_entries(texts: list[str]) -> None:
    for text, findings in zip(texts, scan_joints(texts), strict=True):
        assert {finding.id for finding in scan(text)} <= {finding.id for finding in findings}
        for finding in findings:
            assert all(0 <= start < end <= len(text) for start, end in finding.spans)


@given(st.sampled_from(THREATS), st.sampled_from(BENIGN), st.sampled_from(BENIGN), st.sampled_from(["\n", "\n\n", " "]))
@settings(max_examples=400, deadline=None)
def test_what_is_flagged_stays_flagged_among_ordinary_text(threat: str, before: str, after: str, gap: str) -> None:
    assert flagged(before + gap + threat + gap + after)


@given(st.sampled_from(THREATS), st.data())
@settings(max_examples=400, deadline=None)
def test_an_invisible_character_inside_a_hit_clears_nothing(threat: str, data: st.DataObject) -> None:
    hit = next(finding for finding in scan(threat) if finding.severity is not Severity.INFO)
    start, end = hit.spans[0]
    at = data.draw(st.integers(start, end))
    sign = data.draw(st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e"))
    assert flagged(threat[:at] + sign + threat[at:])


@given(st.text(min_size=1, max_size=80), st.data())
def test_a_suppression_dies_with_one_changed_character(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + ("a" if text[at] != "a" else "b") + text[at + 1 :]
    assert suppression_key(text, "rule") != suppression_key(changed, "rule")
    assert suppression_key(text, "rule") != suppression_key(text, "other")
    assert suppression_key(text, "rule") == suppression_key(text, "rule")


@given(st.sampled_from([row["text"] for row in ROWS if len(row["text"]) < 2000]) | anything)
@settings(max_examples=400, deadline=None)
def test_the_gates_are_open_for_every_part_that_occurs(text: str) -> None:
    clean = clean_view(text, shifted(0))
    reader = builtin_scanner()._reader(clean)
    sides = reader.sides(folded_view(clean), clean)
    opened = reader.opened(sides)
    for number, part in enumerate(reader.parts):
        data = sides.data if part.is_folded else sides.clean_data
        assert opened >> number & 1 or not part.places(data), part.pattern
