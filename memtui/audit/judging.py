"""Audits one home: every entry of its files before both judges, memtui's scanner and the agent's own.

Reads files and never raises for what stands in them; what cannot be read is a problem of that home alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from memtui.audit.places import Place
from memtui.audit.regions import Regions
from memtui.audit.values import AuditFinding, AuditOptions, AuditProblem, HomeAudit, Kind, Region
from memtui.core.codec import parse
from memtui.core.judgement import State, state_of
from memtui.core.model import FILE_NAMES, TARGETS_BY_NAME, BadByte, Document, entry_name
from memtui.core.pairing import NOT_UTF8, paired
from memtui.core.snapshot import agent_view
from memtui.core.threats.finding import SECRET_FAMILY, Finding, Severity
from memtui.core.threats.hermes import hermes_hits, hermes_rule_ids
from memtui.core.threats.masking import cut_secret, without_secrets
from memtui.core.visible import visible_text
from memtui.disk.backups import backups_of, is_copy_name
from memtui.disk.choices import chosen_hermes_rules
from memtui.disk.faults import shown
from memtui.disk.files import read_state
from memtui.disk.pending import PendingQueue, PendingWrite
from memtui.disk.suppressions import Suppressions
from memtui.store.guard import findings_of

MAX_FILE_BYTES: Final = 8 * 1024 * 1024
"""The largest memory file seen is 600 kB; a scan of 8 MB takes some seconds."""
MAX_MATCHED_CHARS: Final = 200

HIDDEN_RULE: Final = "hidden_from_agent"
"""memtui's id for an entry that no rule of its own refuses and that the agent hides from itself."""
HIDDEN_FAMILY: Final = "agent_view"


RegionOf = Callable[[tuple[int, int]], Region | None]
"""From a span of an entry's text to its place in the file."""


def _nowhere(span: tuple[int, int]) -> None:
    return None


def audit_place(place: Place, options: AuditOptions, suppressions: Suppressions) -> HomeAudit:
    """Everything that the files of a place came to. Never raises for the state of a file."""
    work = _Audit(place, options, suppressions)
    if place.only is not None:
        work.read_file(place.only, *_kind_and_target(place.only))
    else:
        work.read_home()
    return HomeAudit(
        str(place.home.root), work.files, work.entries, tuple(work.findings), tuple(work.problems), work.notes,
        work.staged, work.backups,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Judged:
    """One text with what both judges say of it."""

    text: str
    number: int
    found: tuple[Finding, ...]
    agent_rules: tuple[str, ...]

    @property
    def state(self) -> State:
        return state_of(self.found, bool(self.agent_rules))

    def findings(self, hermes_rules: str) -> Iterator[Finding]:
        """What memtui found, and last that the agent hides a harmless text; secrets are cut short."""
        is_hidden = self.state is State.HIDDEN and self.agent_rules != (NOT_UTF8,)
        hidden = (_hidden_finding(self.text, hermes_rules),) if is_hidden else ()
        yield from without_secrets((*self.found, *hidden))


class _Audit:
    """Collects what the files of one place come to."""

    def __init__(self, place: Place, options: AuditOptions, suppressions: Suppressions) -> None:
        self.place, self.options, self.suppressions = place, options, suppressions
        # Only Hermes scans what it loads; other agents read every entry.
        self.agent_scans = (options.flavour or place.home.flavour) == "hermes"
        chosen = (options.hermes_rules, ()) if options.hermes_rules else chosen_hermes_rules(place.home.root)
        self.hermes_rules, self.notes = chosen
        self.files = 0
        self.entries = 0
        self.staged = 0
        self.backups = 0
        self.findings: list[AuditFinding] = []
        self.problems: list[AuditProblem] = []

    def read_home(self) -> None:
        home = self.place.home
        for target, name in FILE_NAMES.items():
            path = home.memories / name
            self._read_own(path, Kind.MEMORY, target)
            for backup in backups_of(path) if self.options.with_backups else ():
                self._read_own(backup.path, Kind.BACKUP, target)
        if self.options.with_staged:
            self._read_queue(PendingQueue(home.root))

    def _read_own(self, path: Path, kind: Kind, target: str) -> None:
        if not self.place.without or os.path.realpath(path) not in self.place.without:
            self.read_file(path, kind, target)

    def read_file(self, path: Path, kind: Kind, target: str) -> None:
        state = read_state(path, MAX_FILE_BYTES)
        if state.problem:
            self.problems.append(AuditProblem(str(path), state.problem))
        elif state.exists:
            document = parse(state.raw_bytes)
            if document.bad_byte is not None:
                self.problems.append(AuditProblem(str(path), _not_utf8(path, document.bad_byte)))
            regions = Regions(document)
            for judged, entry in zip(self._judge(document, target), document.entries, strict=True):
                self._take(judged, path, kind, target, partial(regions.region, entry))
            self.files += 1
            if kind is Kind.BACKUP and self.place.only is None:
                self.backups += 1
            else:
                self.entries += len(document.entries)

    def _judge(self, document: Document, target: str) -> Iterator[_Judged]:
        entries = document.entries
        found = findings_of([entry.text for entry in entries], self.suppressions)
        rules = self._agent_rules(document, target)
        for index, entry in enumerate(entries):
            yield _Judged(entry.text, index + 1, found[index], rules[index])

    def _agent_rules(self, document: Document, target: str) -> Sequence[tuple[str, ...]]:
        if not self.agent_scans:
            return [()] * len(document.entries)
        if document.bad_byte is not None:
            return [(NOT_UTF8,)] * len(document.entries)
        file_name = FILE_NAMES.get(target, FILE_NAMES["memory"])
        view = agent_view(document.raw_bytes, file_name, self.hermes_rules)
        return [twin.rule_ids if twin else () for twin in paired(document.entries, view)]

    def _read_queue(self, queue: PendingQueue) -> None:
        if queue.obstacle:
            self.problems.append(AuditProblem(str(queue.folder), queue.obstacle))
        for staged in queue.list():
            self._read_staged(staged, queue.folder / f"{staged.id}.json")

    def _read_staged(self, staged: PendingWrite, path: Path) -> None:
        if staged.problem:
            message = f"The staged write {visible_text(staged.id)} cannot be read: {staged.problem}"
            self.problems.append(AuditProblem(str(path), message))
        self.files += 1
        self.staged += 1
        for number, operation in enumerate(staged.operations, 1):
            if not isinstance(operation.content, str) or not operation.content.strip():
                continue
            text = operation.content.strip()
            rules = hermes_rule_ids(text, self.hermes_rules) if self.agent_scans else ()
            (found,) = findings_of([text], self.suppressions)
            self._take(_Judged(text, number, found, rules), path, Kind.STAGED, staged.target, staged=staged)

    def _take(
        self, judged: _Judged, path: Path, kind: Kind, target: str, region_of: RegionOf = _nowhere,
        staged: PendingWrite | None = None,
    ) -> None:  # fmt: skip
        for finding in judged.findings(self.hermes_rules):
            self.findings.append(
                AuditFinding(
                    home=str(self.place.home.root),
                    file=str(path),
                    kind=kind,
                    target=target,
                    number=judged.number,
                    name=f"#{entry_name(judged.text)}",
                    state=judged.state,
                    agent_rules=judged.agent_rules,
                    finding=finding,
                    region=region_of(finding.spans[0]) if finding.spans else None,
                    text=judged.text if self.options.with_texts else "",
                    known_because=self._reason_for(judged.text, finding),
                    staged=staged if self.options.with_texts else None,
                )
            )

    def _reason_for(self, text: str, finding: Finding) -> str:
        return self.suppressions.reason_for(text, finding.id) if finding.suppressed else ""


def _not_utf8(path: Path, bad: BadByte) -> str:
    place = f"line {bad.line}, column {bad.column}"
    return f"{shown(path)} is not UTF-8 ({place}): an agent may get nothing of it. What stands there was audited."


def _hidden_finding(text: str, hermes_rules: str) -> Finding:
    hits = hermes_hits(text, hermes_rules)
    spans = tuple(sorted({(hit.start, hit.end) for hit in hits}))
    # The agent may have cut the file elsewhere; then what it minds lies outside this entry's text.
    start, end = spans[0] if spans else (0, 0)
    matched = visible_text(text[start:end]) if end - start <= MAX_MATCHED_CHARS else ""
    if any(hit.rule_id == SECRET_FAMILY for hit in hits):
        matched = cut_secret(matched)
    return Finding(
        id=HIDDEN_RULE,
        family=HIDDEN_FAMILY,
        severity=Severity.INFO,
        spans=spans or ((0, len(text)),),
        view="raw",
        matched=matched,
        decoded="",
        why="The agent's own scan hides this entry from it, although nothing here refuses the entry.",
        advice="Put what matched into other words if the agent is to see the note.",
        rule_version=hermes_rules,
    )


def _kind_and_target(path: Path) -> tuple[Kind, str]:
    """What a file that was named is, by its name."""
    for name, target in TARGETS_BY_NAME.items():
        if path.name == name:
            return Kind.MEMORY, target
        if is_copy_name(path.name, name):
            return Kind.BACKUP, target
    return Kind.MEMORY, ""
