"""Restore: bring back a version byte for byte, or one entry of it.

What once stood may stand again: scan, budget and drift warn and do not refuse; lock, re-read and history hold.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from memtui.core.budget import used_chars
from memtui.core.change import Change, Step
from memtui.core.codec import parse
from memtui.core.drift import compare, find_drift
from memtui.core.model import Document, MemoryFile
from memtui.store.guard import RESTORING, Suppressing, blocking_rules, findings_of

if TYPE_CHECKING:
    from memtui.store import MemoryStore


def restore_bytes(store: MemoryStore, target: str, raw_bytes: bytes) -> Change:
    """Write exactly these bytes, whatever they hold. Raises a MemoryRefused (lock, disk)."""
    return store.apply(
        target, lambda file: bytes_change(file, raw_bytes, store.suppressions), RESTORING, source="restore"
    )


def restore_entry(store: MemoryStore, target: str, text: str) -> Change:
    """Bring one entry back at the end of the file; nothing is written when it is there. Raises a MemoryRefused."""
    return store.apply(target, lambda file: entry_change(file, text, store.suppressions), RESTORING, source="restore")


def bytes_change(file: MemoryFile, raw_bytes: bytes, suppressions: Suppressing) -> Change:
    """The proposed change to exactly these bytes, what the checks would say of them in its notices."""
    document = parse(raw_bytes)
    texts, limit = document.texts, file.budget.limit_chars
    return Change(
        target=file.target,
        action="restore",
        steps=steps_between(file.document.texts, texts),
        texts=texts,
        used_chars=used_chars(texts),
        limit_chars=limit,
        notices=warnings_for(document, limit, suppressions, file.document.texts),
        raw_bytes=raw_bytes,
        wrote=raw_bytes != file.raw or not file.exists,
    )


def entry_change(file: MemoryFile, text: str, suppressions: Suppressing) -> Change:
    """The proposed change that appends the entry, what the checks would say in its notices."""
    texts, limit = file.document.texts, file.budget.limit_chars
    is_there = text in texts
    result = texts if is_there else (*texts, text)
    steps = () if is_there else (Step(None, text, len(texts)),)
    if is_there:
        notices: tuple[str, ...] = ("The entry already stands in the file.",)
    else:
        notices = _threat_warnings((text,), suppressions) + _budget_warnings(used_chars(result), limit)
    return Change(file.target, "restore", steps, result, used_chars(result), limit, notices, wrote=not is_there)


def steps_between(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Step, ...]:
    """The steps that lead from one list of texts to another, removals first."""
    difference = compare(before, after)
    stood = {text: index for index, text in enumerate(before)}
    stands = {text: index for index, text in enumerate(after)}
    removed = [Step(text, None, stood[text]) for text in difference.removed]
    changed = [Step(old, new, stands[new]) for old, new in difference.changed]
    added = [Step(None, text, stands[text]) for text in difference.added]
    return (*removed, *changed, *added)


def warnings_for(
    document: Document, limit_chars: int, suppressions: Suppressing, live_texts: Collection[str]
) -> tuple[str, ...]:
    """What scan, budget and drift would say of a file like this.

    Only texts that are not live are scanned: this runs under the lock, and a scan of 100,000 entries kept the agent
    waiting for half a minute.
    """
    drift = tuple(f"It is drifted: {d.detail}" for d in find_drift(document, limit_chars))
    live = frozenset(live_texts)
    coming = tuple(text for text in document.texts if text not in live)
    used = used_chars(document.texts)
    return drift + _budget_warnings(used, limit_chars) + _threat_warnings(coming, suppressions)


def _budget_warnings(used: int, limit: int) -> tuple[str, ...]:
    return (f"It stands at {used:,} of {limit:,} characters: over the limit.",) if used > limit else ()


def _threat_warnings(texts: tuple[str, ...], suppressions: Suppressing) -> tuple[str, ...]:
    rules = {rule for found in findings_of(texts, suppressions) for rule in blocking_rules(found)}
    return (f"It holds threats (rules {', '.join(sorted(rules))}).",) if rules else ()
