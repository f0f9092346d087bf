"""What an audit hands out, home by home. Small, frozen and picklable: the values cross processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memtui.core.judgement import State
from memtui.core.threats.finding import Finding, Severity, worst
from memtui.disk.pending_records import PendingWrite


class Kind(StrEnum):
    """In what kind of file a finding stands."""

    MEMORY = "memory"
    BACKUP = "backup"
    STAGED = "staged"


@dataclass(frozen=True, slots=True)
class Region:
    """Where in a file a finding stands.

    Lines and columns count from 1, columns in code points; a byte-order mark is not counted.
    """

    line: int
    column: int
    last_line: int
    last_column: int
    """The column behind the last character."""
    char_offset: int
    """Code points before it in the file, carriage returns counted."""
    char_length: int


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One finding in one entry of one file."""

    home: str
    file: str
    kind: Kind
    target: str
    """`memory` or `user`; "" for a file whose name does not tell."""
    number: int
    """The entry's place in the file, or the operation's in a staged write, counted from 1."""
    name: str
    """`#` and the eight hex digits by which lists show the entry."""
    state: State
    """Of the whole entry."""
    agent_rules: tuple[str, ...]
    """The agent's own rules that hide the entry from it; () when it reads the entry."""
    finding: Finding
    region: Region | None
    """None in a staged write, whose text has no place of its own in its record."""
    text: str = ""
    """The whole entry, raw; "" unless it was asked for."""
    known_because: str = ""
    """Why a person marked it as known and fine; "" for what nobody did."""
    staged: PendingWrite | None = None
    """The record that a staged text stands in; None unless texts were asked for."""

    @property
    def is_hidden(self) -> bool:
        """True when the agent sees a placeholder instead of the entry."""
        return bool(self.agent_rules)


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """Something that could not be read, in words for a person."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class HomeAudit:
    """Everything that one home, or one file, came to."""

    home: str
    """The home's folder; where there is no home, the path that was given."""
    files: int = 0
    """How many were read; a staged write is one."""
    entries: int = 0
    """In memory files; a file that was named counts as one, whatever it is."""
    findings: tuple[AuditFinding, ...] = ()
    """In the order of the files, then of the entries, the most severe first."""
    problems: tuple[AuditProblem, ...] = ()
    notes: tuple[str, ...] = ()
    """What in a person's own choices is useless, in words; the audit went on without it."""
    staged: int = 0
    """Staged writes."""
    backups: int = 0
    """Backups that were read beside the memory files."""
    is_home: bool = True
    """True for a home, one that is empty or cannot be read included; False for a path where none was found."""

    @property
    def worst(self) -> Severity | None:
        """The highest severity among the findings that nobody marked as known and fine."""
        return worst(one.finding for one in self.findings)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What is looked at, and how."""

    recursive: bool = False
    """Look for homes below each path."""
    with_staged: bool = True
    with_backups: bool = False
    flavour: str = ""
    """Which agent reads the homes, `hermes` or `pi`; "" for the one that each home's place tells."""
    hermes_rules: str = ""
    """The release of Hermes Agent whose load-time scan says what the agent sees; "" for what was chosen for a home."""
    with_texts: bool = False
    """Hand out whole entries, too, for who shows them; reports stay without."""
