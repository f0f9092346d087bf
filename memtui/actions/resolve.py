"""The resolver's hands: where it takes texts from, how they are judged, the one guarded write of its result.

A person decides what goes in. The write is checked like any other, except that the drift it resolves does not
refuse it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from memtui.actions.auto import AutoReport, resolve_auto
from memtui.actions.backups import (
    Deleted,
    Kept,
    back_up,
    deletable_backups,
    delete_backups,
    identical_backups,
    restore_backup,
)
from memtui.actions.restore import steps_between
from memtui.actions.sources import Source, SourceVerdict, backup_named, sources
from memtui.core.budget import used_chars
from memtui.core.change import Change
from memtui.core.codec import parse
from memtui.core.drift import find_drift
from memtui.core.edit import clean_text, layout_notices
from memtui.core.encodings import PLAIN, guesses
from memtui.core.errors import Conflict
from memtui.core.model import MemoryFile
from memtui.core.resolve import FILE_NOW, Candidate, Draft, cut, mark, start_draft, suggested
from memtui.core.threats import scan
from memtui.core.threats.finding import Finding
from memtui.disk.backups import read_backup
from memtui.disk.faults import shown
from memtui.disk.files import real_path
from memtui.store.guard import Checks, check_new_texts

if TYPE_CHECKING:
    from memtui.store import MemoryStore

__all__ = [
    "AutoReport", "Deleted", "Kept", "Source", "SourceVerdict", "candidates", "deletable_backups",
    "delete_backups", "identical_backups", "open_draft", "pieces_of", "resolve_auto", "restore_backup",
    "sources", "write_resolution",
]  # fmt: skip


def open_draft(store: MemoryStore, target: str, encoding: str = "") -> Draft:
    """A draft of the target's file with its suggested pieces picked.

    `encoding` as in `start_draft`. Raises InvalidArgument for a wrong one.
    """
    file = store.inspect(target, scan=False)

    def choose(pieces: Sequence[str]) -> Sequence[str]:
        found = _findings(store, pieces)
        return suggested(mark(pieces, file.document.texts, file.budget.limit_chars, FILE_NOW, found))

    return start_draft(file, encoding, choose)


def pieces_of(store: MemoryStore, target: str, source: str, encoding: str = "") -> tuple[str, ...]:
    """The pieces of one source: `file now` or a backup's name.

    `encoding` as in `start_draft`. Raises NotFound, Unreadable or InvalidArgument.
    """
    if source == FILE_NOW:
        return start_draft(store.inspect(target, scan=False), encoding, lambda pieces: ()).pieces
    raw_bytes = read_backup(backup_named(store.path_of(target), source))
    if not encoding:
        found = guesses(raw_bytes)
        encoding = found[0].encoding if found else PLAIN
    return cut(raw_bytes, encoding, store.limits[target])


def candidates(store: MemoryStore, draft: Draft, source: str = FILE_NOW) -> tuple[Candidate, ...]:
    """The draft's pieces with their marks beside the file that it was made from, threats included."""
    return mark(draft.pieces, draft.base.texts, draft.limit_chars, source, _findings(store, draft.pieces))


def write_resolution(
    store: MemoryStore,
    target: str,
    draft: Draft,
    resolves_sha256: str = "",
    *,
    allow: Collection[str] = (),
    cancelled: threading.Event | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Change:
    """Write what a draft has picked, in one guarded batch; drifted bytes go to a backup and to history first.

    `resolves_sha256`: of the bytes that the person looked at (default: those the draft was made from). Raises
    Conflict when others stand there now, ThreatFound and OverBudget like every guarded operation, or another
    MemoryRefused; then nothing was written.
    """
    texts = tuple(dict.fromkeys(_clean(text, draft) for text in draft.picked))
    new_texts = [text for text in texts if text not in draft.base.texts]
    findings = check_new_texts(new_texts, store.suppressions, allow)
    expected = resolves_sha256 or draft.base.sha256

    def build(file: MemoryFile) -> Change:
        if file.document.sha256 != expected:
            raise _changed(file)
        notices = [f"The bytes as they were lie in {shown(back_up(file).name)}."] if file.drift else []
        return _change(file, draft, texts, findings, notices)

    checks = Checks(drift=False, allow=frozenset(allow))
    change = store.apply(target, build, checks, cancelled=cancelled, waiting=waiting)
    # What a person made one entry is one, however it looks; those that stood there are no step of the change.
    store.recorder.remember_whole(real_path(store.path_of(target)), texts)
    return change


def _change(
    file: MemoryFile, draft: Draft, texts: tuple[str, ...], findings: tuple[Finding, ...], notices: list[str]
) -> Change:
    raw_bytes = draft.render(texts)
    used, limit_chars = used_chars(texts), file.budget.limit_chars
    if draft.encoding == PLAIN:
        notices += layout_notices(file.document)
    else:
        notices.append("The file is UTF-8 now, in canonical form.")
    notices += [f"It is still drifted: {one.detail}" for one in find_drift(parse(raw_bytes), limit_chars)]
    return Change(
        target=file.target,
        action="resolve",
        steps=steps_between(file.document.texts, texts),
        texts=texts,
        used_chars=used,
        limit_chars=limit_chars,
        notices=tuple(notices),
        raw_bytes=raw_bytes,
        findings=findings,
        wrote=raw_bytes != file.raw,
    )


def _clean(text: str, draft: Draft) -> str:
    """A picked text as it may be written; what stands in the file already may stay as it is."""
    return text if text in draft.base.texts else clean_text(text, "a picked text")


def _changed(file: MemoryFile) -> Conflict:
    return Conflict(
        f"{file.target} was changed by another program since the resolver read it; nothing was written and "
        "what you picked is kept. Look at the file again, then write.",
        {"path": file.path, "sha256": file.document.sha256},
    )


def _findings(store: MemoryStore, pieces: Sequence[str]) -> tuple[list[Finding], ...]:
    return tuple(store.suppressions.apply(text, _scanned(text)) for text in pieces)


@lru_cache(maxsize=4096)
def _scanned(text: str) -> tuple[Finding, ...]:
    # Every join or split of a candidate asks for all of them again.
    return tuple(scan(text))
