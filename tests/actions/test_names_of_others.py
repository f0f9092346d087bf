"""Names that others chose are safe to draw in every sentence that an action gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.actions import resolve
from memtui.actions.purge_places import where_is
from memtui.actions.removed import text_named
from memtui.actions.sources import sources
from memtui.actions.transfer import Place, copy_entry
from memtui.core.errors import MemoryRefused
from memtui.opening import open_store
from memtui.store import MemoryStore

HOSTILE = "\x1b]0;owned\x07\u202e"
BACKUP = f"MEMORY.md.bak.{HOSTILE}"
NOTE = "Alpha fact about the staging host"
UNTIDY = f"{NOTE}\n\n§\nBeta fact\n".encode()
DRIFTED = b"Caf\xe9 opens at nine\n\xc2\xa7\nTea on Friday"


@pytest.fixture
def memory_file(tmp_path: Path) -> Path:
    """The MEMORY.md of a home whose own name is hostile, with an identical copy of such a name."""
    memories = tmp_path / f"home{HOSTILE}" / "memories"
    memories.mkdir(parents=True)
    for name in ("MEMORY.md", BACKUP, f"{BACKUP}2"):
        (memories / name).write_bytes(UNTIDY)
    return memories / "MEMORY.md"


@pytest.fixture
def store(memory_file: Path) -> MemoryStore:
    return open_store(memory_file.parent)


def _auto(store: MemoryStore) -> Iterator[str]:
    for dry_run in (True, False):
        report = resolve.resolve_auto(store, "memory", dry_run)
        yield from (*report.did, *report.left, *report.kept)


def _resolution(store: MemoryStore) -> Iterator[str]:
    for path in (store.path_of("memory"), store.path_of("memory").with_name(BACKUP)):
        path.write_bytes(DRIFTED)
    draft = resolve.open_draft(store, "memory")
    yield from resolve.write_resolution(store, "memory", draft.unpick(*draft.picked[1:])).notices


def _drift(store: MemoryStore) -> Iterator[str]:
    for path in (store.path_of("memory"), store.path_of("memory").with_name(BACKUP)):
        path.write_bytes(DRIFTED)
    store.add("memory", "New fact")
    yield ""


def _unknown_backup(store: MemoryStore) -> Iterator[str]:
    resolve.restore_backup(store, "memory", f"{BACKUP}3")
    yield ""


def _onto_itself(store: MemoryStore) -> Iterator[str]:
    copy_entry(Place(store, "memory"), "Beta", Place(store, "memory"))
    yield ""


def _bytes_that_are_no_text(store: MemoryStore) -> Iterator[str]:
    store.path_of("memory").write_bytes(DRIFTED)
    copy_entry(Place(store, "memory"), "Tea", Place(store, "user"))
    yield ""


def _nothing_to_undo(store: MemoryStore) -> Iterator[str]:
    path = store.path_of("memory")
    path.rename(path.with_name(f"real{HOSTILE}.md"))
    path.symlink_to(path.with_name(f"real{HOSTILE}.md"))
    store.undo("memory")
    yield ""


SAID: dict[str, Callable[[MemoryStore], Iterator[str]]] = {
    "resolve --auto": _auto,
    "a resolution": _resolution,
    "drift": _drift,
    "an unknown backup": _unknown_backup,
    "a copy onto itself": _onto_itself,
    "bytes that are no text": _bytes_that_are_no_text,
    "nothing to undo": _nothing_to_undo,
    "sources": lambda store: (one.words for one in sources(store, "memory")),
    "where a text lies": lambda store: (place.words for place in where_is(store, NOTE)),
    "an unknown name": lambda store: iter([text_named(store, "#0123abcd")]),
}


@pytest.mark.parametrize("action", SAID)
def test_a_sentence_holds_no_sign_that_a_terminal_obeys(store: MemoryStore, action: str) -> None:
    try:
        said = list(SAID[action](store))
    except MemoryRefused as refusal:
        said = [str(refusal)]

    assert any(said)
    assert [letter for sentence in said for letter in sentence if not letter.isprintable() and letter != "\n"] == []
