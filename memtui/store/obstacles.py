"""What stands in the way of any write to a file: read-only, no right to write it, drift.

Before drift refuses, the drifted bytes are in a backup.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from memtui.core.change import Operation
from memtui.core.drift import allowed_despite_drift
from memtui.core.errors import DriftFound, WriteFailed
from memtui.core.model import MemoryFile
from memtui.core.verdicts import describe
from memtui.core.visible import visible_text
from memtui.disk.backups import make_backup
from memtui.disk.files import write_obstacle
from memtui.store.writing import NEW_FILE_MODE


def refuse_read_only(path: Path, is_read_only: bool) -> None:
    """Raises WriteFailed when the store was opened read-only or the file cannot be written."""
    if is_read_only:
        raise WriteFailed(
            f"{visible_text(str(path))} was not written: memtui was opened read-only.", {"path": str(path)}
        )
    if obstacle := write_obstacle(path):
        raise WriteFailed(f"{obstacle} Nothing was written.", {"path": str(path)})


def refuse_drift(file: MemoryFile, mode: int, operations: Sequence[Operation] = ()) -> None:
    """Raises DriftFound unless these operations are allowed on the drifted file; WriteFailed without a backup."""
    if not file.drift:
        return
    path = Path(file.path)
    backup = make_backup(path, file.raw, mode or NEW_FILE_MODE, int(time.time()))
    if operations and allowed_despite_drift(file.document, file.drift, operations):
        return
    first = file.drift[0]
    raise DriftFound(
        f"{path.name} has drifted, so nothing was written: {describe(file)[0]} The bytes are safe in "
        f"{visible_text(backup.name)}. Resolve it first: press b in memtui, or run `memtui resolve`.",
        {"kind": first.kind.value, "line": first.line, "column": first.column, "backup": str(backup.path)},
    )
