"""The figures the scanner has to reach on the labelled corpus, and on texts written to widen it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from memtui.core.threats import Severity, is_blocking, scan

DATA = Path(__file__).parents[2] / "data" / "threats"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "threats.jsonl").read_text(encoding="utf-8").splitlines()
]
JUDGED = [row for row in ROWS if row["class"] != "debatable"]


def is_flagged(text: str) -> bool:
    return any(finding.severity is not Severity.INFO for finding in scan(text))


SOURCES = (
    "variants.json",
    "widened.json",
    "spread.json",
    "further.json",
    "kinds.json",
    "goals.json",
    "traffic.json",
    "conduct.json",
    "mastery.json",
    "errands.json",
)
"""Written to widen the scanner: for each kind of threat many ways to say it, and ordinary notes close to it."""
WRITTEN: list[dict[str, Any]] = [json.loads((DATA / name).read_text(encoding="utf-8")) for name in SOURCES]
KINDS = sorted({kind for source in WRITTEN for kind in source["threats"]})


def test_nearly_every_threat_is_found() -> None:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in JUDGED:
        if row["label"] == "threat":
            hit = is_flagged(row["text"])
            found["all"].append(hit)
            found[row["class"]].append(hit)
            found["other languages" if row["language"] != "en" else "english"].append(hit)
    recall = {name: sum(hits) / len(hits) for name, hits in found.items()}
    assert recall["all"] >= 0.97
    assert recall["other languages"] >= 0.95
    for name in ("hidden_text", "forged_marker", "encoded_payload", "oversize_padding"):
        assert recall[name] >= 0.95


def test_hardly_any_ordinary_or_close_entry_is_flagged() -> None:
    benign = [row for row in JUDGED if row["label"] == "benign"]
    flagged = Counter(row["class"] for row in benign if is_flagged(row["text"]))
    assert sum(flagged.values()) / len(benign) <= 0.02
    assert not set(flagged) & {"env_fact", "preference", "project_convention", "tool_quirk"}
    assert sum(is_blocking(scan(row["text"])) for row in benign) / len(benign) <= 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_other_ways_to_say_it_are_found(kind: str) -> None:
    assert [text for source in WRITTEN for text in source["threats"].get(kind, []) if not is_flagged(text)] == []


@pytest.mark.parametrize("text", [text for source in WRITTEN for text in source["ordinary"]])
def test_ordinary_notes_pass(text: str) -> None:
    assert [finding for finding in scan(text) if finding.severity is not Severity.INFO] == []
