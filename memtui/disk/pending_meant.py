"""Whether a staged write would still hit the entry that was meant. Compares texts; reads and writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memtui.core.errors import Conflict, MemoryRefused
from memtui.core.matching import locate
from memtui.core.threats.masking import masked_preview
from memtui.disk.faults import shown
from memtui.disk.pending_records import PendingWrite, StagedOperation


def check_pins(staged: PendingWrite, texts: Sequence[str]) -> None:
    """Refuse when a pinned entry is not there or another has taken its place.

    `texts` are the live entries of the target. Raises Conflict with both texts.
    """
    for operation in staged.operations:
        meant = operation.matched_entry
        if meant is None or meant in texts:
            continue
        live = found_entry(texts, operation.old_text)
        if live is None:
            raise Conflict(
                f"The entry that the staged write was meant for is no longer there: “{_quoted(meant)}”. Nothing was "
                "written; the staged write stays queued.",
                {"shown": meant, "live": None},
            )
        raise _conflict(staged, meant, live)


def check_seen(staged: PendingWrite, seen: PendingWrite, texts: Sequence[str]) -> None:
    """Refuse when the record is not the one that was seen, or names an entry now that it did not name then.

    Raises Conflict.
    """
    if (staged.target, staged.action) != (seen.target, seen.action) or len(staged.operations) != len(seen.operations):
        raise changed_since(staged)
    for now, then in zip(staged.operations, seen.operations, strict=True):
        if now not in (then, replace(then, matched_entry=None)):
            raise changed_since(staged)
        if now.action in ("replace", "remove") and then.matched_entry is None:
            live = found_entry(texts, now.old_text)
            if live is not None:
                raise _conflict(staged, None, live)


def found_entry(texts: Sequence[str], old_text: object) -> str | None:
    """The one entry that `old_text` names; None when there is none or more than one."""
    try:
        return texts[locate(texts, old_text)] if isinstance(old_text, str) else None
    except MemoryRefused:
        return None


def pinned_to(operation: StagedOperation, meant: str | None) -> StagedOperation:
    """The operation with the entry it is meant for, unless the record itself says which."""
    return operation if operation.matched_entry is not None else replace(operation, matched_entry=meant)


def _conflict(staged: PendingWrite, meant: str | None, live: str) -> Conflict:
    what = "no entry that stood there" if meant is None else f"“{_quoted(meant)}”"
    return Conflict(
        f"The staged write {shown(staged.id)} was meant for another entry than the one that stands there "
        f"now; nothing was written. Meant: {what}. Now: “{_quoted(live)}”.",
        {"shown": meant, "live": live},
    )


def changed_since(staged: PendingWrite) -> Conflict:
    """The refusal for a record that is not the one that was seen."""
    return Conflict(
        f"The staged write {shown(staged.id)} is not the one that was shown any more; nothing was written. Look at it "
        "again.",
        {"id": staged.id},
    )


def _quoted(text: str) -> str:
    return masked_preview(text, 160)
