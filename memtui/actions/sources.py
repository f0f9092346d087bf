"""Where the resolver takes texts from: the file now and every copy beside it, each judged against the file.

It looks only. What it reads is bounded, so that 200 backups or one giant do not hold a screen up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.core.codec import parse
from memtui.core.drift import find_drift
from memtui.core.encodings import decode, guesses
from memtui.core.errors import MemoryRefused, NotFound
from memtui.core.model import MemoryFile
from memtui.core.resolve import FILE_NOW
from memtui.core.split import split_parts
from memtui.core.visible import visible_text
from memtui.disk.backups import Backup, backups_of, read_backup
from memtui.disk.faults import shown
from memtui.disk.files import identity_of

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MAX_JUDGED_BYTES: Final = 16 * 1024 * 1024
"""Of all copies together; one beyond that is told as not compared. 16 MB are parsed in about a second."""
MAX_GUESSED_BYTES: Final = 1024 * 1024
"""A copy in another encoding is read in several, so only an ordinary one is tried."""
GUESSES: Final = 3


class SourceVerdict(StrEnum):
    """What a source is beside the file as it is now."""

    FILE = "file"
    IDENTICAL = "identical"
    ALL_LIVE = "all_live"
    MISSING = "missing"
    DRIFTED = "drifted"
    UNREADABLE = "unreadable"
    NOT_COMPARED = "not_compared"


@dataclass(frozen=True, slots=True)
class Source:
    """One place from which entries can be taken."""

    name: str
    """`file now`, or the name of the copy. Chosen by others: to be shown through `core.visible`."""
    path: Path
    when: float
    """Seconds since 1970; 0 when there is no file."""
    size_bytes: int
    sha256: str
    """Of the bytes that were judged; empty when none were read."""
    verdict: SourceVerdict
    missing_count: int = 0
    """Entries that are not in the file now."""
    detail: str = ""
    """Why it is drifted or unreadable."""
    twin: str = ""
    """Name of a newer copy with the same bytes."""

    @property
    def words(self) -> str:
        """The verdict for a person."""
        told = {
            SourceVerdict.FILE: "what stands there",
            SourceVerdict.IDENTICAL: "identical to the live file",
            SourceVerdict.ALL_LIVE: "all its entries are live",
            SourceVerdict.MISSING: _missing_words(self.missing_count),
            SourceVerdict.DRIFTED: f"drifted: {self.detail}",
            SourceVerdict.UNREADABLE: self.detail,
            SourceVerdict.NOT_COMPARED: "too much to compare at once",
        }[self.verdict]
        return visible_text(f"{told}; same bytes as {self.twin}" if self.twin else told)


def sources(store: MemoryStore, target: str) -> tuple[Source, ...]:
    """The file now, then its copies, newest first. Never raises for the state of a file."""
    file = store.inspect(target, scan=False)
    return (_file_now(file, Path(file.path)), *judged_backups(file))


def judged_backups(file: MemoryFile) -> tuple[Source, ...]:
    """Every copy beside the file with its verdict, newest first."""
    lives = frozenset(file.document.texts)
    by_digest: dict[str, Source] = {}
    judged: list[Source] = []
    read_bytes = 0
    for backup in backups_of(Path(file.path)):
        known = by_digest.get(backup.sha256) if backup.sha256 else None
        if known:
            one = replace(known, name=backup.name, path=backup.path, when=backup.when, twin=known.twin or known.name)
        else:
            read_bytes += backup.size_bytes
            one = _judged(backup, file, lives, read_bytes <= MAX_JUDGED_BYTES)
            by_digest.setdefault(one.sha256, one)
        judged.append(one)
    return tuple(judged)


def backup_named(path: Path, name: str) -> Backup:
    """The copy of that name. Raises NotFound."""
    for backup in backups_of(path):
        if backup.name == name:
            return backup
    raise NotFound(f"There is no backup called {shown(name)} beside {path.name}; `memtui backups` lists them.")


def _file_now(file: MemoryFile, path: Path) -> Source:
    identity = identity_of(path)
    verdict, detail = SourceVerdict.FILE, ""
    if file.problem:
        verdict, detail = SourceVerdict.UNREADABLE, file.problem
    elif file.drift:
        verdict, detail = SourceVerdict.DRIFTED, file.drift[0].detail
    when = identity.mtime_ns / 1e9 if identity else 0.0
    return Source(FILE_NOW, path, when, len(file.raw), file.document.sha256, verdict, detail=detail)


def _judged(backup: Backup, file: MemoryFile, lives: frozenset[str], is_to_be_read: bool) -> Source:
    source = Source(backup.name, backup.path, backup.when, backup.size_bytes, backup.sha256, SourceVerdict.NOT_COMPARED)
    if backup.sha256 and backup.sha256 == file.document.sha256 and file.exists:
        return replace(source, verdict=SourceVerdict.IDENTICAL)
    if not is_to_be_read:
        return source
    try:
        raw_bytes = read_backup(backup)
    except MemoryRefused as refusal:
        return replace(source, verdict=SourceVerdict.UNREADABLE, detail=str(refusal))
    return _compared(source, raw_bytes, lives, file.budget.limit_chars)


def _compared(source: Source, raw_bytes: bytes, lives: frozenset[str], limit_chars: int) -> Source:
    document = parse(raw_bytes)
    source = replace(source, sha256=document.sha256)  # another program may have rewritten it since it was listed
    drift = find_drift(document, limit_chars)
    if document.bad_byte or document.nul_byte:
        if any(all(is_covered(text, lives) for text in texts) for texts in _guessed_texts(raw_bytes)):
            return replace(source, verdict=SourceVerdict.ALL_LIVE)
        return replace(source, verdict=SourceVerdict.DRIFTED, detail=drift[0].detail)
    missing = sum(not is_covered(text, lives) for text in document.texts)
    if not missing:
        return replace(source, verdict=SourceVerdict.ALL_LIVE)
    if drift:
        return replace(source, verdict=SourceVerdict.DRIFTED, missing_count=missing, detail=drift[0].detail)
    return replace(source, verdict=SourceVerdict.MISSING, missing_count=missing)


def _guessed_texts(raw_bytes: bytes) -> Iterator[tuple[str, ...]]:
    if len(raw_bytes) > MAX_GUESSED_BYTES:
        return
    for guess in guesses(raw_bytes)[:GUESSES]:
        if guess.is_lossless and (texts := parse(decode(raw_bytes, guess.encoding).encode()).texts):
            yield texts


def is_covered(text: str, lives: Collection[str]) -> bool:
    """True when the text is a live entry, or every note that it would be split into is."""
    if text in lives:
        return True
    parts = split_parts(text)
    return len(parts) > 1 and all(is_covered(part, lives) for part in parts)


def _missing_words(count: int) -> str:
    return "1 entry is not live" if count == 1 else f"{count:,} entries are not live"
