"""What bringing bytes back would change, and what the checks would say of them.

For the store's thread; it writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.actions.restore import warnings_for
from memtui.core.codec import parse
from memtui.core.diff import DiffLine, line_diff

if TYPE_CHECKING:
    from memtui.store import MemoryStore


@dataclass(frozen=True, slots=True)
class RestoreView:
    """What a person should see before bytes are put back."""

    lines: tuple[DiffLine, ...]
    warnings: tuple[str, ...]


def restore_view(store: MemoryStore, target: str, raw_bytes: bytes) -> RestoreView:
    """The diff from the file now to these bytes, and what scan, budget and drift would say of them."""
    file = store.inspect(target, scan=False)
    warnings = warnings_for(parse(raw_bytes), file.budget.limit_chars, store.suppressions, file.document.texts)
    return RestoreView(bytes_diff(file.raw, raw_bytes), warnings)


def bytes_diff(before: bytes, after: bytes) -> tuple[DiffLine, ...]:
    """Two files line by line, bytes that are no UTF-8 as `\\xff`; line endings count only where all else is equal."""
    old, new = before.decode("utf-8", "backslashreplace"), after.decode("utf-8", "backslashreplace")
    flat_old, flat_new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    return line_diff(old, new) if flat_old == flat_new else line_diff(flat_old, flat_new)
