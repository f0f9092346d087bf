"""What the audit screen asks: go through homes, remove what holds a finding, mark it fine, purge its text.

Auditing reads files only and runs beside the store's thread; everything that writes runs on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.actions.pending import reject
from memtui.actions.purge import Place, PurgeReport, Where, purge, where_is
from memtui.audit import AuditFinding, AuditOptions, HomeAudit, Kind, audit
from memtui.audit.judging import HIDDEN_RULE
from memtui.audit.places import unsearched
from memtui.core.change import Exactly
from memtui.core.errors import InvalidArgument, NotFound, WriteFailed
from memtui.core.model import TARGETS
from memtui.core.rewording import AgentAdvice, advise
from memtui.core.threats.finding import Finding, suppression_key
from memtui.core.visible import visible_text
from memtui.disk.choices import chosen_hermes_rules
from memtui.disk.files import real_path
from memtui.disk.folders import suppressions_path
from memtui.disk.homes import PROFILES, Home, resolve_home
from memtui.disk.own_rules import own_rule_faults
from memtui.disk.settings import read_settings
from memtui.disk.suppressions import Suppression, Suppressions
from memtui.store import MemoryStore
from memtui.tui.entry_jobs import EntryJobs
from memtui.tui.home_jobs import family_of
from memtui.tui.jobs import short_path
from memtui.view.amounts import moment_words
from memtui.view.audit import HomesAudited, Looked
from memtui.view.audit_finding import AuditRow
from memtui.view.threat_texts import own_rules_told

if TYPE_CHECKING:
    from memtui.tui.jobs import StoreJobs
    from memtui.view.events import Event

SLICE_S: Final = 0.2
"""So long homes are gone through before what was found is shown."""


@dataclass
class AuditRun:
    """One audit under way, taken a slice at a time."""

    audits: Iterator[HomeAudit]
    root: Path
    """Of the open home."""
    seen: set[Path] = field(default_factory=set)

    def next_slice(self) -> HomesAudited | None:
        """What the next homes came to; None when all were gone through. For a thread."""
        until = time.monotonic() + SLICE_S
        rows: list[AuditRow] = []
        notes: list[str] = []
        problems: list[str] = []
        looked = Looked()
        for one in self.audits:
            root = real_path(Path(one.home))
            if root in self.seen:
                continue
            self.seen.add(root)
            looked += Looked(int(one.is_home), one.entries, one.staged, one.backups)
            rows += self._rows(one)
            notes += map(visible_text, one.notes)
            problems += [visible_text(problem.message) for problem in one.problems]
            if time.monotonic() > until:
                break
        else:
            if not (rows or problems or looked.homes):
                return None
        own = (visible_text(self.suppressions.problem), own_rules_told(own_rule_faults()))
        return HomesAudited(tuple(rows), looked, tuple(filter(None, (*notes, *own, *problems))))

    def _rows(self, home: HomeAudit) -> Iterator[AuditRow]:
        label = "" if real_path(Path(home.home)) == self.own_root else visible_text(short_home(Path(home.home)))
        found: dict[tuple[str, int], list[Finding]] = {}
        for one in home.findings:
            if one.finding.id != HIDDEN_RULE:
                found.setdefault((one.file, one.number), []).append(one.finding)
        for one in home.findings:
            file_label = visible_text(short_path(Path(one.file)))
            known = self.known.get(suppression_key(one.text, one.finding.id)) if one.finding.suppressed else None
            advice = None if label else _advice(one, home.home, found.get((one.file, one.number), ()))
            yield AuditRow(one, label, place_words(one), file_label, advice, known)

    @cached_property
    def own_root(self) -> Path:
        """Where the open home really lies; the disk is asked on the thread that goes through the homes."""
        return real_path(self.root)

    @cached_property
    def suppressions(self) -> Suppressions:
        """The record of what is known and fine."""
        return Suppressions.load(suppressions_path())

    @cached_property
    def known(self) -> Mapping[str, Suppression]:
        """What is known and fine, by its key, as it was when the first of it was found."""
        return {known.key: known for known in self.suppressions.items}


class AuditJobs:
    """The audit screen's jobs."""

    def __init__(self, jobs: StoreJobs) -> None:
        self.jobs = jobs

    def begin(self, *, is_every_home: bool, is_demo: bool = False) -> AuditRun:
        """An audit of the open home, or of it, what lies below it, its agent's other profiles, and the known homes.

        A demo knows of no other homes than its own.
        """
        root = str(self.jobs.home.root)
        own = audit([root], AuditOptions(with_backups=True, with_texts=True, flavour=self.jobs.store.flavour), jobs=1)
        others = AuditOptions(with_backups=True, with_texts=True)
        below = replace(others, recursive=True)
        more = audit([root], below, jobs=1) if is_every_home else iter(())
        known = audit([], others, jobs=1) if is_every_home and not is_demo else iter(())
        family = _family_audits(self.jobs.home, others) if is_every_home else iter(())
        return AuditRun(chain(own, more, known, family), Path(root))

    def remove(self, row: AuditRow) -> tuple[Event, ...]:
        """Remove what holds a finding. Raises a MemoryRefused, but for an entry of the open home.

        What is done in the open home comes back as events; elsewhere there are none.
        """
        one = row.one
        if self.jobs.store.read_only:
            raise WriteFailed("Nothing was removed: memtui was opened read-only.")
        if one.staged is not None:
            reject(self.store_of(row), one.staged)
            return ()
        if one.kind is Kind.BACKUP:
            self._delete_backup(row)
            return ()
        if row.is_own:
            return EntryJobs(self.jobs).remove(one.target, one.text)
        self.store_of(row).remove(one.target, Exactly(one.text))
        return ()

    def know(self, rows: Sequence[AuditRow], reason: str) -> None:
        """Mark findings of one entry as known and fine. Raises a MemoryRefused."""
        if self.jobs.store.read_only:
            raise WriteFailed("Nothing was marked: memtui was opened read-only.")
        rule_ids = list(dict.fromkeys(row.finding.id for row in rows))
        self.jobs.store.suppressions.allow(rows[0].one.text, rule_ids, reason=reason)

    def known(self) -> tuple[tuple[Suppression, ...], str]:
        """What is known and fine, the newest first, and what is wrong with the record of it ("" for nothing)."""
        suppressions = self.jobs.store.suppressions
        return tuple(reversed(suppressions.items)), visible_text(suppressions.problem)

    def revoke(self, known: Suppression) -> None:
        """Show a finding again. Raises a MemoryRefused."""
        if self.jobs.store.read_only:
            raise WriteFailed("Nothing was taken back: memtui was opened read-only.")
        self.jobs.store.suppressions.revoke(known.key)

    def where(self, row: AuditRow) -> tuple[Place, ...]:
        """Where the text of a finding lies, but for the place that the finding tells of itself."""
        try:
            places = where_is(self.store_of(row), row.one.text)
        except InvalidArgument:
            return ()
        return tuple(place for place in places if not _is_itself(place, row))

    def purge(self, row: AuditRow, places: tuple[Place, ...]) -> PurgeReport:
        """Delete a text for good from these places. Raises a MemoryRefused."""
        return purge(self.store_of(row), row.one.text, places)

    def store_of(self, row: AuditRow) -> MemoryStore:
        """The store of the home that a finding stands in: the open one, or one for that home."""
        own = self.jobs.store
        if row.is_own:
            return own
        home = home_of(row)
        settings = read_settings(home)
        store = MemoryStore(
            home.memories, *(settings.limits[target] for target in TARGETS), home=home, settings=settings,
            read_only=own.read_only, wait_s=own.wait_s,
        )  # fmt: skip
        store.waiting, store.cancelled = own.waiting, own.cancelled
        store.load_from_disk()
        return store

    def _delete_backup(self, row: AuditRow) -> None:
        store = self.store_of(row)
        name = Path(row.one.file).name
        places = where_is(store, row.one.text)
        found = [one for one in places if one.where is Where.BACKUP and one.name == name and not one.is_inside]
        if not found:
            raise NotFound(f"The backup {visible_text(name)} does not hold the entry any more; nothing was deleted.")
        report = purge(store, row.one.text, found)
        if report.left:
            raise WriteFailed(f"The backup {visible_text(name)} was not deleted: {report.left[0].why}")


def _family_audits(home: Home, options: AuditOptions) -> Iterator[HomeAudit]:
    """The root of the home's agent and its other profiles, but for those that a search below the home finds."""
    refused: list[HomeAudit] = []

    def refuse(folder: Path, error: OSError) -> None:
        refused.append(HomeAudit(str(folder), problems=(unsearched(folder, error),)))

    def is_below(one: Home) -> bool:
        return one.root.is_relative_to(home.root) and os.path.isdir(one.memories)

    others = [one for one in family_of(home, refuse) if not is_below(one)]
    # Without a name an audit goes through every home that is known, which a demo must not.
    yield from audit(others, options, jobs=1) if others else ()
    yield from refused


def home_of(row: AuditRow) -> Home:
    """The home that a finding stands in."""
    return resolve_home(Path(row.one.home), is_named=True)


def place_words(one: AuditFinding) -> str:
    """Where a finding stands in its home: `MEMORY 6`, `staged ab12cd34`, `USER backup 27 Nov 09:14`."""
    path = Path(one.file)
    if one.kind is Kind.STAGED:
        return f"staged {visible_text(path.stem)}"
    if one.kind is Kind.BACKUP:
        stem, _, rest = path.name.partition(".md.bak.")
        when = rest.partition(".")[0]
        told = moment_words(float(when), time.time()) if when.isdecimal() and len(when) < 12 else rest
        return f"{visible_text(stem)} backup {visible_text(told)}".rstrip()
    return f"{visible_text(path.stem)} {one.number}"


def short_home(root: Path) -> str:
    """A home in a few words: its profile's name, or its path from the user's folder on."""
    return root.name if root.parent.name == PROFILES else short_path(root)


def _is_itself(place: Place, row: AuditRow) -> bool:
    if row.one.kind is Kind.MEMORY:
        return place.where is Where.LIVE and place.target == row.one.target and not place.is_inside
    return place.name in (Path(row.one.file).stem, Path(row.one.file).name)


def _advice(one: AuditFinding, root: str, found: Sequence[Finding]) -> AgentAdvice | None:
    if one.finding.id != HIDDEN_RULE or one.kind is Kind.BACKUP:
        return None
    return advise(one.text, chosen_hermes_rules(Path(root))[0], found)
