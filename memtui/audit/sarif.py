"""Findings as SARIF 2.1.0, written piece by piece so that a fleet's report never stands in memory whole.

Paths below the base folder become relative references, others file URIs; nothing else leads anywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from memtui.audit.values import AuditFinding, AuditProblem, HomeAudit, Region
from memtui.core.errors import MemoryRefused
from memtui.core.threats.finding import Finding, Severity
from memtui.core.visible import visible_text

VERSION: Final = "2.1.0"
SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE_ID: Final = "AUDITED"

_LEVELS: Final = {Severity.BLOCK: "error", Severity.WARN: "warning", Severity.INFO: "note"}
_NEWLINES: Final = ["\r\n", "\n", "\r"]
"""What parts lines here; a lone carriage return is not among SARIF's defaults."""


def sarif_pieces(audits: Iterable[HomeAudit], base: Path, tool_version: str) -> Iterator[str]:
    """One SARIF log as pieces of ASCII text, ready to be written one after the other.

    `base`: the absolute folder against which paths are relative. Results keep the order of the audits. When they
    break off with a refusal, the log is closed and tells it before it is raised.
    """
    rules: dict[str, dict[str, Any]] = {}
    told: list[dict[str, Any]] = []
    broken_off: MemoryRefused | None = None
    opening = json.dumps({"$schema": SCHEMA, "version": VERSION})[:-1]
    yield f'{opening}, "runs": [{{"results": ['
    separator = "\n"
    try:
        for audit in audits:
            told += [_notification(problem, base) for problem in audit.problems]
            for one in audit.findings:
                known = rules.setdefault(one.finding.id, _rule(one.finding, len(rules)))
                yield separator + json.dumps(_result(one, known["index"], base))
                separator = ",\n"
    except MemoryRefused as refusal:
        broken_off = refusal
        told.append({"level": "error", "message": {"text": visible_text(str(refusal))}})
    descriptors = [rule["descriptor"] for rule in rules.values()]
    rest = json.dumps(_run_without_results(descriptors, told, base, tool_version))
    yield f"\n], {rest[1:]}]}}\n"
    if broken_off is not None:
        raise broken_off


def _run_without_results(
    descriptors: list[dict[str, Any]], told: list[dict[str, Any]], base: Path, tool_version: str
) -> dict[str, Any]:
    """`told`: notifications of what could not be audited."""
    driver = {"name": "memtui", "version": tool_version, "rules": descriptors}
    return {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not told, "toolExecutionNotifications": told}],
        "originalUriBaseIds": {BASE_ID: {"uri": _file_uri(base).rstrip("/") + "/"}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": _NEWLINES,
        "defaultEncoding": "utf-8",
    }


def _rule(finding: Finding, index: int) -> dict[str, Any]:
    descriptor = {
        "id": finding.id,
        "shortDescription": {"text": visible_text(finding.why)},
        "help": {"text": visible_text(finding.advice)},
        "properties": {"tags": ["agent-memory", finding.family]},
    }
    return {"index": index, "descriptor": descriptor}


def _result(one: AuditFinding, rule_index: int, base: Path) -> dict[str, Any]:
    finding = one.finding
    digest = one.name.removeprefix("#")
    return {
        "ruleId": finding.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(one)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(one.file, base),
                    "region": _region(one.region),
                },
                "logicalLocations": [{"name": one.name, "kind": "entry"}],
            }
        ],
        "partialFingerprints": {"entryAndRule/v1": f"{digest}:{finding.id}"},
        "suppressions": [_suppression(one)] if finding.suppressed else [],
        "properties": {
            "home": visible_text(one.home),
            "kind": one.kind.value,
            "target": one.target,
            "entry": one.number,
            "family": finding.family,
            "severity": finding.severity.value,
            "state": one.state.value,
            "hidden": one.is_hidden,
            "agentRules": list(one.agent_rules),
        },
    }


def _suppression(one: AuditFinding) -> dict[str, str]:
    why = visible_text(one.known_because)
    return {"kind": "external", **({"justification": why} if why else {})}


def _message(one: AuditFinding) -> str:
    finding = one.finding
    parts = [finding.why, f"Found: “{finding.matched}”." if finding.matched else ""]
    if finding.decoded:
        parts.append(f"It says: “{finding.decoded}”.")
    seen = f"hides it ({', '.join(one.agent_rules)})" if one.is_hidden else "reads it"
    parts += [f"Entry {one.number}, {one.name}; the agent {seen}.", finding.advice]
    return visible_text(" ".join(filter(None, parts)))


def _region(region: Region | None) -> dict[str, int]:
    """A staged write's text has no place of its own in its record: then it is the record's first line."""
    if region is None:
        return {"startLine": 1}
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.last_line,
        "endColumn": region.last_column,
        "charOffset": region.char_offset,
        "charLength": region.char_length,
    }


def _notification(problem: AuditProblem, base: Path) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": visible_text(problem.message)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem.path, base)}}],
    }


def _artifact(path: str, base: Path) -> dict[str, str]:
    try:
        relative = Path(path).relative_to(base)
    except ValueError:
        return {"uri": _file_uri(Path(path))}
    return {"uri": _quoted(relative), "uriBaseId": BASE_ID}


def _file_uri(path: Path) -> str:
    anchored = path if path.anchor.startswith("/") else Path("/") / path
    return f"file://{_quoted(anchored)}"


def _quoted(path: Path) -> str:
    """The path percent-encoded, byte by byte where the name is no UTF-8."""
    return quote(os.fsencode(path.as_posix()), safe="/")
