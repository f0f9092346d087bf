"""The twins of real public memory files: each is judged as its `right` says."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.core.budget import budget_of
from memtui.core.change import Operation
from memtui.core.codec import parse, render
from memtui.core.drift import agent_refusal, describe, find_drift, find_merged
from memtui.core.edit import layout_notices, propose
from memtui.core.errors import MergedEntry
from memtui.core.model import DEFAULT_LIMITS, MemoryFile, Verdict

SHAPES_PATH = Path(__file__).parents[1] / "data" / "cases" / "shapes.jsonl"
LINES = SHAPES_PATH.read_text(encoding="utf-8").splitlines()
SHAPES: Mapping[str, Mapping[str, Any]] = {shape["id"]: shape for shape in map(json.loads, LINES)}

# id: (verdicts, entries, notes of the merged entry, words of the sentences about it)
RIGHT = {
    "bom-crlf": ((Verdict.LAYOUT,), 3, 0, ["byte-order mark", "Hermes", "CRLF"]),
    "latin1": ((Verdict.DRIFT, Verdict.LAYOUT), 2, 0, ["byte 0xE9 at line 1, column 4 (offset 3)"]),
    "blank-round-sign": ((Verdict.LAYOUT,), 3, 0, ["blank line", "Hermes 0.19 refuses", "tidy"]),
    "sign-as-bullet": ((Verdict.MERGED,), 3, 4, ["one entry of 4 notes"]),
    "sign-as-heading-over": (
        (Verdict.DRIFT, Verdict.MERGED, Verdict.OVER_BUDGET, Verdict.LAYOUT), 1, 4,
        ["longer than the whole limit (1,622 > 1,375): lines 1–34", "one entry of 4 notes"],
    ),
    "leading-sign": ((Verdict.LAYOUT,), 3, 0, ["before the first entry (line 1)", "spends 2 characters"]),
    "closing-sign-newline": ((Verdict.LAYOUT,), 2, 0, ["§ line after the last entry", "Hermes 0.19 refuses"]),
    "double-sign": ((Verdict.LAYOUT,), 3, 0, ["nothing between two §", "only a heading", "55 characters"]),
    "markdown-no-sign": ((Verdict.MERGED, Verdict.LAYOUT), 1, 4, ["one entry of 4 notes", "headings"]),
    "over-limit-clean": ((Verdict.OVER_BUDGET,), 5, 0, ["152 %", "Shrinking is always allowed"]),
    "false-alarm-cat": ((Verdict.CLEAN,), 3, 0, []),
    "cjk-nearly-full": ((Verdict.CLEAN,), 10, 0, []),
    "rich-entry": ((Verdict.LAYOUT,), 2, 0, ["newline at the end"]),
}  # fmt: skip


def examined(shape: Mapping[str, Any]) -> MemoryFile:
    document = parse(base64.b64decode(shape["initial"]))
    limit_chars = DEFAULT_LIMITS[shape["target"]]
    return MemoryFile(
        target=shape["target"],
        path="MEMORY.md",
        exists=True,
        document=document,
        budget=budget_of(document.texts, limit_chars),
        drift=find_drift(document, limit_chars),
        merged=find_merged(document),
        agent_refuses=agent_refusal(document, limit_chars),
    )


def test_every_shape_has_its_right_outcome_written_down() -> None:
    assert set(SHAPES) == set(RIGHT)


@pytest.mark.parametrize("name", RIGHT)
def test_a_real_files_twin_is_judged_as_it_should(name: str) -> None:
    verdicts, entries, notes, words = RIGHT[name]
    file = examined(SHAPES[name])

    assert file.verdicts == verdicts
    assert len(file.document.texts) == entries
    assert [len(merged.parts) for merged in file.merged] == ([notes] if notes else [])
    sentences = " ".join(describe(file)).lower()
    assert [word for word in words if word.lower() not in sentences] == []


@pytest.mark.parametrize("name", RIGHT)
def test_the_agents_refusal_is_foretold(name: str) -> None:
    shape = SHAPES[name]
    file = examined(shape)

    refused_by_peer = shape["peer_0_19_0"].get("replace", {}).get("result") == "drift"
    assert bool(file.agent_refuses) == (refused_by_peer and not file.drift)


@pytest.mark.parametrize("name", ["sign-as-bullet", "markdown-no-sign", "sign-as-heading-over"])
def test_a_change_that_names_one_note_is_refused_with_all_of_them(name: str) -> None:
    file = examined(SHAPES[name])
    operation = Operation("replace", "new", SHAPES[name]["probe"])

    with pytest.raises(MergedEntry) as refused:
        propose(file.document, file.target, [operation], file.budget.limit_chars, merged=file.merged)
    assert refused.value.data["parts"] == list(file.merged[0].parts)


@pytest.mark.parametrize("name", [name for name in RIGHT if name not in ("latin1",)])
def test_editing_one_entry_leaves_the_others_byte_for_byte(name: str) -> None:
    file = examined(SHAPES[name])
    document = file.document
    named = next((text for text in document.texts if SHAPES[name]["probe"] in text), "")
    change = propose(document, file.target, [Operation("replace", "new", named)], file.budget.limit_chars)

    written = render(change.texts, document.newline, document.final_newline)
    for text in document.texts:
        if text != named:
            assert text.replace("\n", document.newline).encode() in written
    assert written.endswith(document.newline.encode()) == document.final_newline
    assert parse(written).newline == document.newline


def test_the_dropped_byte_order_mark_is_spoken_of() -> None:
    assert "Hermes hid the first entry" in layout_notices(examined(SHAPES["bom-crlf"]).document)[0]
