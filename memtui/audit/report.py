"""A finding as one flat record, for JSON lines: a stable shape of plain values.

Holds no text of an entry beyond what a rule matched, made display-safe.
"""

from __future__ import annotations

from typing import Any

from memtui.audit.values import AuditFinding, AuditProblem


def finding_record(one: AuditFinding) -> dict[str, Any]:
    """One finding; spans are code points of the entry, lines and columns count from 1 (null if unknown)."""
    finding, region = one.finding, one.region
    return {
        "type": "finding",
        "home": one.home,
        "file": one.file,
        "kind": one.kind.value,
        "target": one.target,
        "entry": one.number,
        "name": one.name,
        "state": one.state.value,
        "hidden": one.is_hidden,
        "agent_rules": list(one.agent_rules),
        "rule": finding.id,
        "family": finding.family,
        "severity": finding.severity.value,
        "suppressed": finding.suppressed,
        "line": region.line if region else None,
        "column": region.column if region else None,
        "last_line": region.last_line if region else None,
        "last_column": region.last_column if region else None,
        "spans": [list(span) for span in finding.spans],
        "matched": finding.matched,
        "decoded": finding.decoded,
        "why": finding.why,
        "advice": finding.advice,
    }


def problem_record(problem: AuditProblem) -> dict[str, Any]:
    """One home, file or record that could not be read."""
    return {"type": "problem", "path": problem.path, "message": problem.message}
