"""The values that say what a memory file is: what it holds, what stands in it, and every verdict on it.

All are frozen; nothing here reads a file, a clock or the environment.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from memtui.core.digest import text_sha256
from memtui.core.threats.finding import Finding

ENTRY_DELIMITER: Final = "\n§\n"
"""What stands between two entries in canonical form."""

TARGETS: Final = ("memory", "user")
FILE_NAMES: Final = {"memory": "MEMORY.md", "user": "USER.md"}
TARGETS_BY_NAME: Final = {name: target for target, name in FILE_NAMES.items()}
DEFAULT_LIMITS: Final = {"memory": 2200, "user": 1375}
"""Hermes Agent's own limits, in Unicode code points."""

MAX_TEXT_CHARS: Final = 10_000_000


def entry_name(text: str) -> str:
    """The eight hex digits by which lists show an entry and `#…` names it: the start of the text's SHA-256."""
    return text_sha256(text)[:8]


class DifferenceKind(StrEnum):
    """One way in which a file is not in canonical form although a rewrite loses nothing."""

    BOM = "bom"
    CRLF = "crlf"
    CR = "cr"
    MIXED_NEWLINES = "mixed_newlines"
    FINAL_NEWLINE = "final_newline"
    ENTRY_BLANKS = "entry_blanks"
    BLANK_LINES = "blank_lines"
    LEADING_SIGN = "leading_sign"
    CLOSING_SIGN = "closing_sign"
    EMPTY_ENTRY = "empty_entry"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Difference:
    """One layout difference, at a line of the file (counted from 1)."""

    kind: DifferenceKind
    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file."""

    text: str
    """Stripped, newlines as LF."""
    span: tuple[int, int]
    """Where the text stands in the decoded file, in code points of the text as decoded (BOM and CRs counted)."""
    line: int
    """The file's line on which the text begins, counted from 1."""
    duplicate_of: int | None = None
    """Index of the first entry with the same text, when this one repeats it."""

    @property
    def name(self) -> str:
        """`entry_name` of the text."""
        return entry_name(self.text)


@dataclass(frozen=True, slots=True)
class BadByte:
    """The first byte that is not UTF-8, or the first NUL byte."""

    offset: int
    line: int
    column: int
    value: int


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. Nothing that reading tolerates is forgotten."""

    raw_bytes: bytes
    entries: tuple[Entry, ...]
    """Every entry that is not empty, duplicates included, in file order."""
    newline: str
    """The line ending a write keeps: "\\n", "\\r\\n" or "\\r" (the majority when mixed)."""
    final_newline: bool
    has_bom: bool
    differences: tuple[Difference, ...]
    bad_byte: BadByte | None = None
    """Set when the bytes are not UTF-8; the entries then hold U+FFFD."""
    nul_byte: BadByte | None = None

    @property
    def sha256(self) -> str:
        """Hex digest of the raw bytes."""
        return hashlib.sha256(self.raw_bytes).hexdigest()

    @property
    def texts(self) -> tuple[str, ...]:
        """The entries' texts, exact duplicates folded to the first: what a write would keep."""
        return tuple(entry.text for entry in self.entries if entry.duplicate_of is None)


@dataclass(frozen=True, slots=True)
class Budget:
    """Characters used and allowed, in Unicode code points over the joined text, delimiters included."""

    used_chars: int
    limit_chars: int

    @property
    def left_chars(self) -> int:
        """Characters still free; negative when over."""
        return self.limit_chars - self.used_chars

    @property
    def percent(self) -> int:
        """Rounded down, never capped at 100."""
        return self.used_chars * 100 // self.limit_chars if self.limit_chars else 0

    @property
    def is_over(self) -> bool:
        """True when more characters stand there than the limit allows."""
        return self.used_chars > self.limit_chars


class DriftKind(StrEnum):
    """Why a rewrite could lose something."""

    TOO_LONG = "too_long"
    NOT_UTF8 = "not_utf8"
    NUL = "nul"


@dataclass(frozen=True, slots=True)
class Drift:
    """One reason for which guarded operations on the target are refused, with its place."""

    kind: DriftKind
    detail: str
    line: int
    last_line: int
    column: int = 1
    entry_index: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """One entry that holds several notes because a sign is missing or misplaced."""

    entry_index: int
    parts: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ExternalChange:
    """What another writer changed since a reader last looked, entry by entry."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    """Pairs of text before and text now."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def summary(self) -> str:
        """`+added −removed ~changed` as counts."""
        return f"+{len(self.added)} −{len(self.removed)} ~{len(self.changed)}"


class Verdict(StrEnum):
    """What a file is, the worst last."""

    CLEAN = "clean"
    LAYOUT = "layout"
    EXTERNAL = "external"
    OVER_BUDGET = "over_budget"
    MERGED = "merged"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """Everything that can be said of one target's file at one moment."""

    target: str
    path: str
    exists: bool
    document: Document
    budget: Budget
    drift: tuple[Drift, ...] = ()
    merged: tuple[Merged, ...] = ()
    external: ExternalChange = field(default_factory=ExternalChange)
    findings: tuple[tuple[Finding, ...], ...] = ()
    """Per entry of the document, in order; empty when no scan was asked for."""
    problem: str = ""
    """Why the file could not be read, in words for a person; empty when it could."""
    read_only: str = ""
    """Why the file cannot be written, in words for a person; empty when it can."""
    agent_refuses: str = ""
    """Why the agent that owns this home would refuse to write here although memtui does not; empty otherwise."""

    @property
    def raw(self) -> bytes:
        """The bytes on disk."""
        return self.document.raw_bytes

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The document's layout differences."""
        return self.document.differences

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The document's entries."""
        return self.document.entries

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every verdict that holds, the worst first; `(CLEAN,)` when none does."""
        held = [
            (Verdict.DRIFT, self.drift),
            (Verdict.MERGED, self.merged),
            (Verdict.OVER_BUDGET, self.budget.is_over),
            (Verdict.EXTERNAL, self.external),
            (Verdict.LAYOUT, self.differences),
        ]
        return tuple(verdict for verdict, holds in held if holds) or (Verdict.CLEAN,)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict: it names the banner."""
        return self.verdicts[0]
