"""Texts by the short names that lists show, also of entries that are gone from the file by now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memtui.core.codec import parse
from memtui.core.errors import MemoryRefused, NotFound, Unreadable
from memtui.core.matching import whole_named
from memtui.core.model import TARGETS
from memtui.disk.backups import backups_of, read_backup

if TYPE_CHECKING:
    from memtui.store import MemoryStore

_NAME: Final = re.compile(r"#[0-9a-f]{8}")


def text_named(store: MemoryStore, given: str) -> str:
    """The text of the entry that `#` and eight hex digits name, in the files, their history or a backup.

    Any other text is itself. Raises NotFound when no such entry is known, Unreadable when something that may hold it
    cannot be read, Ambiguous when it means several.
    """
    if not _NAME.fullmatch(given):
        return given
    unread: list[str] = []
    texts = dict.fromkeys(text for raw_bytes in _all_bytes(store, unread) for text in parse(raw_bytes).texts)
    named = whole_named(tuple(texts), given)
    if named is not None:
        return named
    if unread:
        told = " ".join(dict.fromkeys(unread))
        raise Unreadable(f"No entry called {given} is in what could be read; nothing was changed. {told}")
    raise NotFound(f"No entry called {given} is in the files, their history or their backups; nothing was changed.")


def _all_bytes(store: MemoryStore, unread: list[str]) -> Iterator[bytes]:
    """The bytes of every file, copy and version; why one could not be read goes to `unread`."""
    for target in TARGETS:
        file = store.inspect(target, scan=False)
        if file.problem:
            unread.append(file.problem)
        yield file.raw
    for target in TARGETS:
        for backup in backups_of(store.path_of(target)):
            try:
                yield read_backup(backup)
            except MemoryRefused as refusal:
                unread.append(str(refusal))
        versions = store.history(target)
        if store.recorder.problem and not versions:
            unread.append(store.recorder.problem)
        for version in versions:
            try:
                yield version.raw
            except MemoryRefused as refusal:
                unread.append(str(refusal))
