"""`resolve --auto`: only what can lose nothing and needs no judgement; a person is told of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtui.actions.backups import delete_backups, identical_backups, is_identical
from memtui.actions.sources import SourceVerdict, judged_backups
from memtui.actions.tidy import tidied, tidy, untidy_words
from memtui.core.change import Change
from memtui.core.codec import parse
from memtui.core.drift import agent_refusal
from memtui.core.errors import MemoryRefused
from memtui.core.model import ExternalChange, MemoryFile, Verdict
from memtui.core.verdicts import describe
from memtui.disk.faults import shown

if TYPE_CHECKING:
    from memtui.store import MemoryStore

LEFT: tuple[Verdict, ...] = (Verdict.DRIFT, Verdict.MERGED, Verdict.OVER_BUDGET)
"""Verdicts that need a person's judgement."""


@dataclass(frozen=True, slots=True)
class AutoReport:
    """What was done (or would be, in a dry run) and what is left."""

    target: str
    did: tuple[str, ...]
    left: tuple[str, ...]
    """What a person has to decide; empty when the file is clean."""
    kept: tuple[str, ...]
    """Backups that stay, each with the reason. They call for nobody."""
    change: Change | None = None
    refusal: MemoryRefused | None = None
    """Why it went no further (lock, disk); what `did` says was done before."""
    is_dry_run: bool = False


def resolve_auto(store: MemoryStore, target: str, dry_run: bool = False) -> AutoReport:
    """Tidy the layout, and delete backups identical to the file or to a newer one once history holds them.

    A drifted file is left as it is. `dry_run` changes nothing. A refusal is in the report, beside what was done
    before it.
    """
    identical = [one.name for one in identical_backups(store, target)]
    did: list[str] = []
    kept: list[str] = []
    change, refusal = None, None
    try:
        did, kept = _delete_identical(store, target, identical, dry_run)
        file = store.inspect(target, scan=False)
        if is_tidied_by_auto(file):
            change = None if dry_run else tidy(store, target)
            did.append(f"{'would tidy' if dry_run else 'tidied'} the layout: {untidy_words(file)}")
    except MemoryRefused as refused:
        refusal = refused
    after = store.inspect(target, scan=False)
    would_tidy = dry_run and not refusal and is_tidied_by_auto(after)
    kept += [
        f"{shown(one.name)}: {one.words}"
        for one in judged_backups(after)
        if one.name not in identical and one.verdict is not SourceVerdict.IDENTICAL
    ]
    left = tuple(_left(_as_tidied(store, after) if would_tidy else after))
    return AutoReport(target, tuple(did), left, tuple(dict.fromkeys(kept)), change, refusal, dry_run)


def _delete_identical(
    store: MemoryStore, target: str, names: Sequence[str], dry_run: bool
) -> tuple[list[str], list[str]]:
    """What was (or would be) deleted, and what stays, each in words."""
    if dry_run:
        return [f"would delete {shown(name)}: identical bytes stay" for name in names], []
    if not names:
        return [], []  # without work, no lock is asked for
    deleted = delete_backups(store, target, names, is_identical)
    did = [f"deleted {shown(name)}: identical bytes stay, and history holds it" for name in deleted.removed]
    return did, [f"{shown(one.name)}: {one.why}" for one in deleted.kept]


def is_tidied_by_auto(file: MemoryFile) -> bool:
    """True when only the layout keeps the file from being canonical."""
    return not file.problem and not file.drift and bool(file.differences) and tidied(file) != file.raw


def _as_tidied(store: MemoryStore, file: MemoryFile) -> MemoryFile:
    """The file as tidying would leave it: the same entries on other lines, and read by its writer."""
    document = parse(tidied(file))
    refuses = agent_refusal(document, file.budget.limit_chars) if store.flavour == "hermes" else ""
    return replace(file, document=document, external=ExternalChange(), agent_refuses=refuses)


def _left(file: MemoryFile) -> Iterator[str]:
    if file.problem:
        yield file.problem
    elif any(verdict in LEFT for verdict in file.verdicts):
        yield from describe(file)
