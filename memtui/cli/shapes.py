"""The JSON shapes of `--json`: stable, described in docs/json.md, made of plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui.core.change import Change
from memtui.core.errors import MemoryRefused
from memtui.core.judgement import State, state_of
from memtui.core.model import Budget, Entry, MemoryFile
from memtui.core.threats.finding import Finding
from memtui.view.rows import STATE_BADGES, Badge

if TYPE_CHECKING:
    from memtui.core.snapshot import AgentEntry


@dataclass(frozen=True, slots=True)
class Judged:
    """One entry with everything that is known of it."""

    target: str
    number: int
    """Its place in the file, counted from 1."""
    entry: Entry
    findings: tuple[Finding, ...]
    agent: AgentEntry | None
    """What the agent makes of it; None where it cannot read the file."""

    @property
    def badge(self) -> Badge | None:
        """The sign of the entry's state; None when it is clean."""
        return STATE_BADGES.get(self.state)

    @property
    def state(self) -> State:
        """Both judgements in one word."""
        return state_of(self.findings, self.agent is not None and self.agent.hidden)


def judged(file: MemoryFile, agents: Sequence[AgentEntry | None]) -> Iterator[Judged]:
    """Every entry of a file with its findings and its twin in the agent's view."""
    for index, entry in enumerate(file.entries):
        found = file.findings[index] if index < len(file.findings) else ()
        yield Judged(file.target, index + 1, entry, found, agents[index])


def budget_shape(budget: Budget) -> dict[str, Any]:
    """Characters used, allowed, left, and the true percent."""
    return {
        "used_chars": budget.used_chars,
        "limit_chars": budget.limit_chars,
        "left_chars": budget.left_chars,
        "percent": budget.percent,
    }


def entry_shape(one: Judged) -> dict[str, Any]:
    """One entry."""
    return {
        "target": one.target,
        "number": one.number,
        "name": f"#{one.entry.name}",
        "text": one.entry.text,
        "chars": len(one.entry.text),
        "line": one.entry.line,
        "duplicate_of": None if one.entry.duplicate_of is None else one.entry.duplicate_of + 1,
        "state": one.state.value,
        "agent_rules": list(one.agent.rule_ids) if one.agent else [],
        "findings": [finding_shape(found) for found in one.findings],
    }


def finding_shape(found: Finding) -> dict[str, Any]:
    """One finding of memtui's own scanner; spans are code points of the entry's text."""
    return {
        "id": found.id,
        "family": found.family,
        "severity": found.severity.value,
        "spans": [list(span) for span in found.spans],
        "matched": found.matched,
        "decoded": found.decoded,
        "why": found.why,
        "advice": found.advice,
        "suppressed": found.suppressed,
    }


def file_shape(file: MemoryFile) -> dict[str, Any]:
    """One target's file without its entries."""
    return {
        "target": file.target,
        "path": file.path,
        "exists": file.exists,
        **budget_shape(file.budget),
        "verdict": file.verdict.value,
        "verdicts": [verdict.value for verdict in file.verdicts],
        "problem": file.problem,
        "read_only": file.read_only,
    }


def change_shape(change: Change) -> dict[str, Any]:
    """A finished change."""
    return {
        "ok": True,
        "target": change.target,
        "action": change.action,
        "wrote": change.wrote,
        "message": str(change),
        **budget_shape(Budget(change.used_chars, change.limit_chars)),
        "steps": [{"before": step.before, "after": step.after} for step in change.steps],
        "notices": list(change.notices),
        "findings": [finding_shape(found) for found in change.findings],
    }


def refusal_shape(refusal: MemoryRefused) -> dict[str, Any]:
    """A refusal: the file is as it was."""
    return {"ok": False, "code": refusal.code, "message": str(refusal), "data": refusal.data}
