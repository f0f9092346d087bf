"""A process killed at any moment of a write: one of two whole versions stands, nothing that stood is lost.

`MEMTUI_LONG=1` makes a thousand runs of it.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from killing import Operation, Witness, killed, lock_is_free

from memtui.actions import resolve
from memtui.actions.restore import restore_bytes
from memtui.actions.tidy import tidy
from memtui.disk.folders import history_path
from memtui.opening import open_store
from memtui.store import MemoryStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

RUNS = 1000 if os.environ.get("MEMTUI_LONG") else 150
ROOT = Path(__file__).resolve().parents[2]
TEMPORARY = ".memtui_*.tmp"


def _resolve(store: MemoryStore) -> object:
    draft = resolve.open_draft(store, "memory")
    draft = draft.unpick(*draft.picked[12:]).pick("Picked by a person")
    return resolve.write_resolution(store, "memory", draft)


def _delete(store: MemoryStore, names: list[str]) -> object:
    return resolve.delete_backups(store, "memory", names)


OPERATIONS: dict[str, Operation] = {
    "add": lambda store: store.add("memory", f"Note {random.getrandbits(40):010x} says nothing"),
    "replace": lambda store: store.replace("memory", "Alpha", f"Alpha {random.getrandbits(40):010x}"),
    "remove": lambda store: store.remove("memory", store.entries("memory")[-1]),
    "undo": lambda store: store.undo("memory"),
    "tidy": lambda store: tidy(store, "memory"),
    "restore": lambda store: restore_bytes(store, "memory", b"Alpha fact\r\n\xc2\xa7\r\nfrom a Caf\xe9"),
    "resolve": _resolve,
}


def _prepare(home: Path, chosen: random.Random, operation: str) -> None:
    """The file as the operation finds it: written by another after memtui looked at what stood there."""
    open_store(home).observe("memory", scan=False)
    memory_file = home / "memories" / "MEMORY.md"
    for backup in memory_file.parent.glob("MEMORY.md.bak.*"):
        backup.unlink()  # history has it; 140 of them would be most of what a run counts
    base = f"Alpha fact {chosen.getrandbits(32):08x}\n§\nBeta fact\n"
    if operation == "tidy":
        base = f"§\n{base}\n\n§\n"
    if operation == "resolve":
        base += "§\n" + "".join(f"- line {n} of a note appended by a shell\n" for n in range(80))
    memory_file.write_text(base, encoding="utf-8")
    if operation == "undo":
        memory_file.write_text(base.rstrip(), encoding="utf-8")
        store = open_store(home)
        store.add("memory", "To be undone")


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rules are compiled on first use: once here, not in every fork."""
    folder = tmp_path_factory.mktemp("warm")
    store = MemoryStore(folder, history_db=folder / "history.db")
    store.add("memory", "Alpha says nothing of any weight")
    store.add("memory", "Picked by a person, line 7 of a note appended by a shell")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_kill_at_any_call_of_the_disk_layer_loses_nothing(operation: str, home: Path, memory_file: Path) -> None:
    chosen = random.Random(f"memtui {operation}")
    witness = Witness(memory_file, history_path())
    calls = 0
    outcomes = {"before": 0, "after": 0, "lived": 0}

    for _ in range(max(1, RUNS // len(OPERATIONS))):
        _prepare(home, chosen, operation)
        before = witness.see()
        died, counted = killed(lambda: open_store(home), OPERATIONS[operation], chosen.randint(0, calls))
        calls = max(calls, counted)
        after = witness.see()
        outcomes["lived" if not died else "before" if after == before else "after"] += 1

        assert after == before or _is_whole_result(operation, after), f"torn: {after[:200]!r}"
        assert witness.lost() == set()
        assert lock_is_free(memory_file)

    print(operation, calls, "calls of the disk layer;", outcomes)
    assert outcomes["before"] + outcomes["after"] > outcomes["lived"]
    assert outcomes["after"] or RUNS < 1000


def _is_whole_result(operation: str, raw_bytes: bytes) -> bool:
    """What the operation makes of its file, told by its beginning and its end."""
    beginning, end = {
        "add": (b"Alpha fact", b" says nothing\n"),
        "replace": (b"Alpha ", b"Beta fact\n"),
        "remove": (b"Alpha fact", b"\n"),
        "undo": (b"Alpha fact", b"Beta fact"),
        "tidy": (b"Alpha fact", b"Beta fact"),
        "restore": (b"Alpha fact\r\n", b"Caf\xe9"),
        "resolve": (b"Alpha fact", b"Picked by a person\n"),
    }[operation]
    return raw_bytes.startswith(beginning) and raw_bytes.endswith(end)


def test_the_next_write_sweeps_what_a_killed_one_left_and_goes_on(home: Path, memory_file: Path) -> None:
    calls = killed(lambda: open_store(home), OPERATIONS["add"], 0)[1]
    witness = Witness(memory_file, history_path())
    left_over = 0

    for kill_at in range(calls // 2, calls, max(1, calls // 60)):
        witness.see()
        killed(lambda: open_store(home), OPERATIONS["add"], kill_at)
        witness.see()
        left_over += len(list(memory_file.parent.glob(TEMPORARY)))
        store = open_store(home)
        store.replace("memory", "Beta fact", f"Beta fact {kill_at}")
        store.replace("memory", f"Beta fact {kill_at}", "Beta fact")

        assert list(memory_file.parent.glob(TEMPORARY)) == []
        assert witness.lost() == set()
    assert left_over


@pytest.mark.parametrize("operation", ["add", "replace"])
def test_a_file_written_in_place_is_torn_at_worst_and_history_holds_both_sides(
    operation: str, home: Path, memory_file: Path
) -> None:
    twin = memory_file.with_name("hard-link.md")
    chosen = random.Random(operation)
    calls = 0
    witness = Witness(memory_file, history_path())

    for _ in range(max(10, RUNS // 10)):
        twin.unlink(missing_ok=True)
        _prepare(home, chosen, operation)
        os.link(memory_file, twin)
        before = memory_file.read_bytes()
        _, counted = killed(lambda: open_store(home), OPERATIONS[operation], chosen.randint(0, calls))
        calls = max(calls, counted)
        kept = witness.kept_in_history()

        assert before in kept or memory_file.read_bytes() == before
        assert memory_file.read_bytes() == before or any(_is_whole_result(operation, one) for one in kept)
        assert memory_file.samefile(twin)


def test_a_kill_while_backups_are_deleted_loses_none_of_them(home: Path, memory_file: Path) -> None:
    chosen = random.Random("backups")
    witness = Witness(memory_file, history_path())
    calls = gone = 0

    for run in range(max(10, RUNS // 10)):
        names = [f"MEMORY.md.bak.{1_700_000_000 + run * 3 + number}" for number in range(3)]
        for name in names:
            copied = f"Alpha fact{' ' * int(name[-4:])}\n".encode()
            memory_file.with_name(name).write_bytes(copied)
            witness.whole.add(copied)
        kill_at = chosen.randint(0, calls)
        _, counted = killed(lambda: open_store(home), partial(_delete, names=names), kill_at)
        calls = max(calls, counted)
        gone += sum(not memory_file.with_name(name).exists() for name in names)

        assert witness.lost() == set()
    assert gone


def _strace_works() -> bool:
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode == 0


SYSTEM_CALLS = [
    "renameat2:1",
    "fsync:1",
    "fsync:2",
    "unlink:1",
    "pwrite64:1",
    "pwrite64:4",
    "fdatasync:1",
    "fchmod:2",
] + [f"{call}:{when}" for call in ("fsync", "pwrite64", "unlink", "openat") for when in range(1, 12)] * bool(
    os.environ.get("MEMTUI_LONG")
)


@pytest.mark.skipif(not _strace_works(), reason="needs strace")
@pytest.mark.parametrize("injected", SYSTEM_CALLS)
def test_kill_inside_a_system_call_loses_nothing(
    injected: str, home: Path, memory_file: Path, reopen: Callable[[], MemoryStore]
) -> None:
    witness = Witness(memory_file, history_path())
    before = witness.see()
    call, when = injected.split(":")
    script = f"from memtui.opening import open_store; open_store({str(home)!r}).add('memory', 'Gamma fact')"
    inject = f"inject={call}:signal=KILL:when={when}"
    command = [
        "strace",
        "-f",
        "-o",
        os.devnull,
        "-e",
        f"trace={call}",
        "-e",
        inject,
        sys.executable,
        "-c",
        script,
    ]

    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=60)

    assert witness.see() in (before, before + "\n§\nGamma fact".encode())
    assert witness.lost() == set()
    reopen().add("memory", "Delta fact")
    assert memory_file.read_text().endswith("Delta fact")
    assert list(memory_file.parent.glob(TEMPORARY)) == []
