"""The public cases: each drives memtui in a process of its own; what it said and left on disk is judged."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "data" / "cases"


def load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_cases", CASES / "run_cases.py")
    assert spec is not None
    assert spec.loader is not None
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    return runner


runner = load_runner()
cases = [json.loads(line) for line in (CASES / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", cases, ids=[f"{case['area']}:{case['id']}" for case in cases])
def test_case_is_met(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    outcome, why_not = runner.run(case)

    if outcome is None and not why_not.startswith("runner failed"):
        pytest.skip(why_not)
    assert outcome is not None, why_not
    met, unmet = runner.evaluate(case, outcome)
    assert met, f"{', '.join(unmet)}; right: {case['right']}\n{json.dumps(outcome['steps'], indent=1)}"
