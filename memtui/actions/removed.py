"""Texts by the short names that lists show, also of entries that are gone from the file by now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memtui.actions.sources import backups_of
from memtui.core.codec import parse
from memtui.core.errors import MemoryRefused, NotFound
from memtui.core.matching import whole_named
from memtui.core.model import TARGETS
from memtui.disk.backups import read_backup

if TYPE_CHECKING:
    from memtui.store import MemoryStore

_NAME: Final = re.compile(r"#[0-9a-f]{8}")


def text_named(store: MemoryStore, given: str) -> str:
    """The text of the entry that `#` and eight hex digits name, in the files, their history or a backup.

    Any other text is itself. Raises NotFound when no such entry is known, Ambiguous when it means several.
    """
    if not _NAME.fullmatch(given):
        return given
    texts = dict.fromkeys(text for raw_bytes in _all_bytes(store) for text in parse(raw_bytes).texts)
    named = whole_named(tuple(texts), given)
    if named is not None:
        return named
    raise NotFound(f"No entry called {given} is in the files, their history or their backups; nothing was changed.")


def _all_bytes(store: MemoryStore) -> Iterator[bytes]:
    for target in TARGETS:
        yield store.inspect(target, scan=False).raw
    for target in TARGETS:
        for backup in backups_of(store.path_of(target)):
            try:
                yield read_backup(backup)
            except MemoryRefused:
                continue
        for version in store.history(target):
            try:
                yield version.raw
            except MemoryRefused:
                continue
