"""Staged writes as a person judges them: what each would change now, what stands against it, answering one or all.

Looking writes nothing. An approval hits the entry that was looked at, or it is refused and shows both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.budget import budget_of
from memtui.core.change import Change, Exactly, Operation
from memtui.core.codec import joined
from memtui.core.diff import DiffLine, line_diff
from memtui.core.edit import propose
from memtui.core.errors import MemoryRefused, Unreadable, WriteFailed
from memtui.core.model import Budget, MemoryFile
from memtui.core.similar import near_duplicates
from memtui.core.threats import scan
from memtui.core.threats.finding import Finding
from memtui.disk.faults import shown
from memtui.disk.files import real_path
from memtui.disk.pending import PendingQueue
from memtui.disk.pending_meant import check_pins, pinned_to
from memtui.disk.pending_records import PendingWrite, StagedOperation
from memtui.opening import home_of
from memtui.store.arguments import read_operations
from memtui.store.proposing import meant_entries, proposed

if TYPE_CHECKING:
    from memtui.store import MemoryStore


@dataclass(frozen=True, slots=True)
class StagedChange:
    """What one operation of a staged write would do to one entry. All texts are untrusted."""

    action: str
    before: str | None
    """The live entry it is meant for; None for an addition, and when it names none."""
    after: str | None
    """The new text; None for a removal, and when the record holds no text."""
    diff: tuple[DiffLine, ...]
    findings: tuple[Finding, ...]
    """Of the new text; what was marked as known and fine is marked here too."""
    similar: tuple[str, ...]
    """Live entries that say nearly the same as the new text."""
    is_pinned: bool
    """True when the record itself says which entry it is meant for."""


@dataclass(frozen=True, slots=True)
class PendingView:
    """One staged write beside the file as it stands."""

    staged: PendingWrite
    """The record, with the entry that each operation is meant for filled in."""
    age_s: float
    changes: tuple[StagedChange, ...]
    budget: Budget
    """Of the target now."""
    projected: Budget | None
    """Of the target after an approval; None when it cannot be told."""
    refusal: str = ""
    """Why an approval would be refused as things stand, in words; empty when it would not."""
    refusal_code: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """How the answer to one staged write ended."""

    id: str
    change: Change | None = None
    """What an approval wrote."""
    refusal: MemoryRefused | None = None
    """Why it was not answered; it then stays queued."""


def queue_of(store: MemoryStore) -> PendingQueue:
    """The staged writes of the home that a store is on."""
    return PendingQueue(home_of(store))


def pending_views(store: MemoryStore, now_s: float) -> tuple[PendingView, ...]:
    """Every staged write of the store's home, oldest first. `now_s`: seconds since 1970. Never raises."""
    return tuple(_view(store, staged, now_s) for staged in queue_of(store).list())


def approve(
    store: MemoryStore, view: PendingView, edited: dict[int, str] | None = None, allow: Iterable[str] = ()
) -> Change:
    """Write what was looked at, through every guard, and drop the record.

    `edited`: other new texts, by the index of the operation. Raises Conflict when record or entry are not
    those of the view any more, or the refusal of the write; the record then stays.
    """
    queue = queue_of(store)
    return queue.approve(view.staged.id, store, seen=view.staged, edited=edited, allow=frozenset(allow))


def approve_all(store: MemoryStore, views: Sequence[PendingView]) -> tuple[Answered, ...]:
    """Approve each in turn; one that is refused stays queued and stops no other."""
    answers = []
    for view in views:
        try:
            answers.append(Answered(view.staged.id, approve(store, view)))
        except MemoryRefused as refusal:
            answers.append(Answered(view.staged.id, refusal=refusal))
    return tuple(answers)


def reject(store: MemoryStore, seen: PendingWrite) -> None:
    """Drop the record that was looked at without writing it; history keeps the texts that it would have brought in.

    Raises NotFound, Conflict when the record is not the one that was looked at any more, or WriteFailed when
    read-only, or when history cannot take its texts; the record then stays.
    """
    if store.read_only:
        raise WriteFailed(f"{shown(seen.id)} was not rejected: memtui was opened read-only.")
    queue_of(store).reject(seen.id, sha256=seen.sha256, keep=partial(_keep_texts, store))


def reject_all(store: MemoryStore, seen: Iterable[PendingWrite]) -> tuple[Answered, ...]:
    """Drop each record without writing it; one that cannot be dropped stops no other."""
    answers = []
    for staged in seen:
        try:
            reject(store, staged)
            answers.append(Answered(staged.id))
        except MemoryRefused as refusal:
            answers.append(Answered(staged.id, refusal=refusal))
    return tuple(answers)


def _keep_texts(store: MemoryStore, staged: PendingWrite) -> None:
    raw_bytes = joined(staged.new_texts).encode("utf-8", "replace")
    path = real_path(store.path_of(staged.target))
    if raw_bytes and not store.recorder.keep_aside(path, raw_bytes, "staged", f"staged write {staged.id}"):
        raise WriteFailed(
            f"{shown(staged.id)} was not rejected: history could not take its texts. {store.recorder.problem}".rstrip()
        )


def _view(store: MemoryStore, staged: PendingWrite, now_s: float) -> PendingView:
    file = store.inspect(staged.target, scan=False)
    age_s = max(0.0, now_s - staged.created_at)
    if staged.problem:
        return PendingView(staged, age_s, (), file.budget, None, staged.problem, Unreadable.code)
    meant = _meant(file, staged)
    filled = replace(staged, operations=tuple(map(pinned_to, staged.operations, meant)))
    changes = tuple(
        _change(store, file, operation, is_pinned=given.matched_entry is not None)
        for operation, given in zip(filled.operations, staged.operations, strict=True)
    )
    projected, refusal = _projected(file, filled), _refusal(store, file, filled)
    if refusal is None:
        return PendingView(filled, age_s, changes, file.budget, projected)
    return PendingView(filled, age_s, changes, file.budget, projected, str(refusal), refusal.code)


def _meant(file: MemoryFile, staged: PendingWrite) -> tuple[str | None, ...]:
    """For each operation the live entry it names now; operations of the wrong kind name none."""
    return meant_entries(file, [_named(one) for one in staged.operations])


def _named(one: StagedOperation) -> Operation:
    meant = _text(one.old_text) if one.matched_entry is None else Exactly(one.matched_entry)
    return Operation(one.action, _text(one.content), meant)


def _projected(file: MemoryFile, staged: PendingWrite) -> Budget | None:
    limit_chars = file.budget.limit_chars
    try:
        operations = _operations(staged)
        change = propose(file.document, file.target, operations, limit_chars, merged=file.merged)
    except MemoryRefused:
        return None
    return budget_of(change.texts, limit_chars)


def _refusal(store: MemoryStore, file: MemoryFile, staged: PendingWrite) -> MemoryRefused | None:
    try:
        check_pins(staged, file.document.texts)
        proposed(file, _operations(staged), store.suppressions)
    except MemoryRefused as refusal:
        return refusal
    return None


def _operations(staged: PendingWrite) -> Sequence[Operation]:
    return read_operations([operation.as_mapping() for operation in staged.operations])


def _change(store: MemoryStore, file: MemoryFile, operation: StagedOperation, *, is_pinned: bool) -> StagedChange:
    before = operation.matched_entry
    after = _text(operation.content).strip() if operation.action != "remove" else ""
    others = [text for text in file.document.texts if text not in (before, after)]
    return StagedChange(
        action=operation.action,
        before=before,
        after=after or None,
        diff=_diff(before, after or None),
        findings=tuple(store.suppressions.apply(after, scan(after))) if after else (),
        similar=tuple(others[index] for index in near_duplicates(after, others)) if after else (),
        is_pinned=is_pinned,
    )


def _diff(before: str | None, after: str | None) -> tuple[DiffLine, ...]:
    if before is not None and after is not None:
        return line_diff(before, after)
    sign, text = ("-", before) if after is None else ("+", after)
    return tuple(DiffLine(sign, line) for line in (text or "").split("\n")) if text else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
