"""Two names of one file are one place: nothing moves between them, and no undo takes an entry out of both."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.actions.transfer import Place, copy_entry, move_entry
from memtui.core.errors import Conflict, InvalidArgument
from memtui.opening import open_store
from memtui.store import MemoryStore

ROOT = Path(__file__).resolve().parents[2]
CAN_MOUNT = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("unshare") is not None


@pytest.fixture
def linked(store: MemoryStore, memory_file: Path) -> MemoryStore:
    """A store whose two files are hard links of one."""
    store.path_of("user").unlink()
    os.link(memory_file, store.path_of("user"))
    return store


@pytest.mark.parametrize("do", [copy_entry, move_entry])
def test_nothing_moves_between_two_names_of_one_file(
    linked: MemoryStore, memory_file: Path, do: Callable[..., object]
) -> None:
    with pytest.raises(InvalidArgument, match="are one file"):
        do(Place(linked, "memory"), "Alpha", Place(linked, "user"))

    assert memory_file.read_text("utf-8") == "Alpha fact\n§\nBeta fact"


@pytest.mark.skipif(not CAN_MOUNT, reason="only root may mount")
def test_nothing_moves_between_a_home_and_its_second_mount(home: Path, memory_file: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    move = [sys.executable, "-m", "memtui", "--home", home, "move", "memory", "Alpha", "--to", second]
    script = f'mount --bind "{home}" "{second}"\nexec "$@"'

    done = subprocess.run(
        ["unshare", "-m", "--propagation", "private", "sh", "-ec", script, "sh", *map(str, move)],
        capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip

    assert (done.returncode, "are one file" in done.stderr) == (1, True), done.stderr
    assert memory_file.read_text("utf-8") == "Alpha fact\n§\nBeta fact"


@pytest.mark.parametrize("is_one_file", [True, False], ids=["made one file meanwhile", "taken out by another"])
def test_a_moved_entry_that_has_left_the_other_file_is_brought_back(
    home: Path, memory_file: Path, is_one_file: bool
) -> None:
    store = open_store(home)
    user_file = store.path_of("user")
    with memory_file.with_name("MEMORY.md.lock").open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)

        def meddle(words: str) -> None:
            assert "Alpha fact" in user_file.read_text("utf-8")
            user_file.unlink()
            if is_one_file:
                os.link(memory_file, user_file)
            fcntl.flock(held, fcntl.LOCK_UN)

        store.waiting = lambda words: meddle(words) if "MEMORY.md" in words else None
        with pytest.raises(Conflict, match="brought back"):
            move_entry(Place(store, "memory"), "Alpha", Place(store, "user"))

    assert "Alpha fact" in memory_file.read_text("utf-8")


@pytest.mark.parametrize("redoing", [False, True], ids=["undo", "redo"])
def test_no_step_of_a_move_takes_an_entry_out_of_files_that_became_one(
    store: MemoryStore, memory_file: Path, redoing: bool
) -> None:
    move_entry(Place(store, "memory"), "Alpha", Place(store, "user"))
    if redoing:
        store.undo("memory")
    kept = memory_file if redoing else store.path_of("user")
    gone = store.path_of("user") if redoing else memory_file
    gone.unlink()
    os.link(kept, gone)

    with pytest.raises(Conflict, match="one with this one"):
        (store.redo if redoing else store.undo)("memory")

    assert "Alpha fact" in kept.read_text("utf-8")
