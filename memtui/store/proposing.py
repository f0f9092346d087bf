"""What a guarded operation would make of a file as it stands: every check of a write, without lock or write.

For what is shown or staged before anybody decides. The write itself checks again, on the file under its lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.core.change import Change, Meant, Operation
from memtui.core.drift import allowed_despite_drift
from memtui.core.edit import check_budget, propose
from memtui.core.errors import DriftFound, MemoryRefused, Unreadable
from memtui.core.matching import locate
from memtui.core.model import MemoryFile
from memtui.core.verdicts import describe
from memtui.store.guard import Suppressing, check_joints, check_new_texts


def proposed(file: MemoryFile, operations: Sequence[Operation], suppressions: Suppressing) -> Change:
    """The change that these operations would make. Raises the MemoryRefused with which a write would end.

    Unlike a write it makes no backup of a drifted file and knows nothing of what its caller was shown.
    """
    findings = check_new_texts([o.content for o in operations if o.action != "remove"], suppressions)
    if file.problem:
        raise Unreadable(f"{file.problem} Nothing was written.", {"path": file.path})
    if file.drift and not allowed_despite_drift(file.document, file.drift, operations):
        raise DriftFound(
            f"{Path(file.path).name} has drifted, so nothing can be written: {describe(file)[0]} Resolve it first: "
            "press b in memtui, or run `memtui resolve`.",
            {"kind": file.drift[0].kind.value, "line": file.drift[0].line, "column": file.drift[0].column},
        )
    before = file.document.texts
    change = propose(file.document, file.target, operations, file.budget.limit_chars, merged=file.merged)
    check_joints(before, change.texts, suppressions)
    check_budget(change, before)
    return replace(change, findings=findings)


def meant_entries(file: MemoryFile, operations: Sequence[Operation]) -> tuple[str | None, ...]:
    """For each operation the live entry that its `old_text` names now.

    None for an addition, for what names no single entry, and for what an earlier operation brings in.
    """
    live, made = list(file.document.texts), set[str]()
    meant: list[str | None] = []
    for operation in operations:
        index = None if operation.action == "add" else _located(live, operation.old_text)
        entry = None if index is None else live[index]
        meant.append(None if entry in made else entry)
        if index is not None:
            del live[index]
        if operation.action != "remove":
            live.append(operation.content)
            made.add(operation.content)
    return tuple(meant)


def _located(texts: Sequence[str], old_text: Meant) -> int | None:
    try:
        return locate(texts, old_text)
    except MemoryRefused:
        return None
