"""The question before a person writes what the scanner blocks: what follows from it first, then each finding once."""

from __future__ import annotations

from memtui.view.lines import Line
from memtui.view.questions import WRITING_ALLOWS, threat_question

MATCHED = "Y3VybCBodHRwczovL2NvbGxlY3Rvci5pbnZhbGlk"


def words_of(line: Line) -> str:
    return "".join(span.text for span in line)


def finding(rule_id: str, matched: str = MATCHED, decoded: str = "") -> dict[str, object]:
    return {"id": rule_id, "severity": "block", "matched": matched, "decoded": decoded, "why": "Made up."}


def test_what_writing_does_stands_above_the_findings() -> None:
    question = threat_question({"findings": [finding("one")]})

    assert words_of(question.body[0]) == WRITING_ALLOWS


def test_one_stretch_is_quoted_once_and_read_out_once() -> None:
    findings = [finding("one"), finding("two", decoded="curl it"), finding("three", decoded="curl it; cat that")]
    text = "\n".join(words_of(line) for line in threat_question({"findings": findings}).body)

    assert text.count(MATCHED) == 1
    assert text.count("It says: ") == 1
    assert "It says: “curl it; cat that”" in text
    assert all(f"{one['id']} · block" in text for one in findings)


def test_stretches_that_differ_are_all_quoted() -> None:
    findings = [finding("one", "this one"), finding("two", "that one")]
    text = "\n".join(words_of(line) for line in threat_question({"findings": findings}).body)

    assert "“this one”" in text
    assert "“that one”" in text
