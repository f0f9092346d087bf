"""Temporary files of crashed writers: kept first, then removed; nothing else is touched."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memtui.core.errors import WriteFailed
from memtui.disk.creation import temporary_name
from memtui.disk.leftovers import sweep_temporaries


def make(path: Path, age_s: float = 7200) -> Path:
    path.write_bytes(path.name.encode())
    os.utime(path, (time.time() - age_s,) * 2)
    return path


@pytest.mark.parametrize(
    "name", [".mem_dead01.tmp", ".mem_x8k2_1ab.tmp", ".memtui_MEMORY.md_0a1b.tmp", ".memtui_9f.tmp"]
)
def test_an_old_one_is_kept_removed_and_named(tmp_path: Path, keep, name: str) -> None:
    make(tmp_path / name)

    assert sweep_temporaries(tmp_path, keep) == (name,)

    assert keep == [(name.encode(), f"left over: {name}")]
    assert os.listdir(tmp_path) == []


def test_a_young_one_may_still_be_written(tmp_path: Path, keep) -> None:
    make(tmp_path / ".mem_dead01.tmp", age_s=3500)
    make(tmp_path / ".memtui_USER.md_0a1b.tmp", age_s=0)

    assert sweep_temporaries(tmp_path, keep) == ()

    assert keep == []
    assert len(os.listdir(tmp_path)) == 2


def test_under_the_lock_of_a_file_its_own_ones_go_at_once(tmp_path: Path, keep) -> None:
    mine = make(tmp_path / temporary_name("MEMORY.md"), age_s=0)
    other = make(tmp_path / temporary_name("USER.md"), age_s=0)

    assert sweep_temporaries(tmp_path, keep, locked=tmp_path / "MEMORY.md") == (mine.name,)

    assert os.listdir(tmp_path) == [other.name]


def test_what_a_killed_writer_had_displaced_is_kept_by_the_next_one(tmp_path: Path, keep, run_python) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"written by a program that ignores the lock")
    code = """
import os, signal, sys
from pathlib import Path
from memtui.disk import atomic
def swap_and_die(one, other):
    real_exchange(one, other)
    os.kill(os.getpid(), signal.SIGKILL)
real_exchange, atomic.exchange = atomic.exchange, swap_and_die
if not os.fork():
    atomic.replace_file(Path(sys.argv[1]), b"Beta", expected=b"Alpha", keep=lambda *_: None)
os.wait()
"""
    run_python(code, path)
    assert path.read_bytes() == b"Beta"

    [name] = sweep_temporaries(tmp_path, keep, locked=path)

    assert keep == [(b"written by a program that ignores the lock", f"left over: {name}")]
    assert os.listdir(tmp_path) == ["MEMORY.md"]


def test_what_cannot_be_kept_stays(tmp_path: Path) -> None:
    def keep(raw_bytes: bytes, why: str) -> None:
        raise WriteFailed("the history is full")

    make(tmp_path / ".mem_dead01.tmp")

    assert sweep_temporaries(tmp_path, keep) == ()
    assert os.listdir(tmp_path) == [".mem_dead01.tmp"]


def test_links_folders_and_other_files_are_left_alone(tmp_path: Path, keep) -> None:
    folder = tmp_path / "memories"
    folder.mkdir()
    victim = make(tmp_path / "victim")
    (folder / ".mem_link.tmp").symlink_to(victim)
    (folder / ".mem_folder.tmp").mkdir()
    os.mkfifo(folder / ".mem_pipe.tmp")
    for name in ("MEMORY.md", "notes.tmp", ".mem_note.txt", "x.mem_a.tmp", ".memory_a.tmp"):
        make(folder / name)
    before = sorted(os.listdir(folder))

    assert sweep_temporaries(folder, keep) == ()

    assert sorted(os.listdir(folder)) == before
    assert victim.exists()


def test_a_missing_folder_has_none(tmp_path: Path, keep) -> None:
    assert sweep_temporaries(tmp_path / "gone", keep) == ()


def test_a_hostile_name_is_reported_safely(tmp_path: Path, keep) -> None:
    make(tmp_path / ".mem_\x1b]0;x\x07.tmp")

    [name] = sweep_temporaries(tmp_path, keep)

    assert "\x1b" not in name
    assert "\x1b" not in keep[0][1]


@pytest.mark.as_root("setpriv")
def test_what_this_user_may_not_remove_stays(open_folder: Path, run_python) -> None:
    make(open_folder / ".mem_dead01.tmp").chmod(0o644)

    said = run_python(
        "import sys\nfrom pathlib import Path\nfrom memtui.disk.leftovers import sweep_temporaries\n"
        "print(sweep_temporaries(Path(sys.argv[1]), lambda *_: None))",
        open_folder,
        uid=65534,
    )

    assert said == "()\n"
    assert os.listdir(open_folder) == [".mem_dead01.tmp"]
