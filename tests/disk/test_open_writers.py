"""Programs that have the file open to append to it while memtui replaces it: what they write is never lost."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.core.errors import WriteFailed
from memtui.disk import atomic
from memtui.disk.atomic import replace_file
from memtui.disk.leftovers import sweep_temporaries
from memtui.disk.writers import has_writer, others_held_up, wait_for_writers
from tests.disk.conftest import Kept

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell who writes")

APPENDER = """
import os, sys
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
print("open", flush=True)
sys.stdin.readline()
os.write(descriptor, "\\n§\\nLate note".encode())
os.close(descriptor)
print("written", flush=True)
"""
"""What `cat >> MEMORY.md` does: the shell opens the file, the program writes some time later."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("Alpha")
    return tmp_path / "MEMORY.md"


@pytest.fixture
def appender(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the file open; it appends when it gets a line."""
    with subprocess.Popen(
        [sys.executable, "-c", APPENDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        process.kill()


def append(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    process.stdout.readline()


def test_a_writer_is_seen_while_it_has_the_file_open(path: Path, appender: subprocess.Popen[str]) -> None:
    assert has_writer(path)
    append(appender)
    assert wait_for_writers(path, 5.0)
    assert not has_writer(path)


def test_a_reader_is_no_writer(path: Path) -> None:
    with path.open("rb"):
        assert not has_writer(path)


def test_what_is_no_file_has_no_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not has_writer(tmp_path / "pipe")
    assert not has_writer(tmp_path / "absent")
    assert not has_writer(tmp_path)


def test_what_is_appended_during_the_replacement_is_kept(
    path: Path, appender: subprocess.Popen[str], keep: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "WRITER_WAIT_S", 30.0)
    exchange = atomic.exchange
    appending = threading.Timer(0.1, append, args=[appender])  # long after a replacement that waits for nobody

    def exchange_then_append(one: Path, other: Path) -> None:
        exchange(one, other)
        appending.start()

    monkeypatch.setattr(atomic, "exchange", exchange_then_append)

    replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    appending.join()
    assert path.read_bytes() == b"Beta"
    assert keep == [("Alpha\n§\nLate note".encode(), "displaced")]
    assert [entry.name for entry in path.parent.iterdir()] == ["MEMORY.md"]


def test_a_writer_that_stays_goes_on_in_a_backup(path: Path, appender: subprocess.Popen[str], keep: Kept) -> None:
    notices = replace_file(path, b"Beta", expected=b"Alpha", keep=keep)

    append(appender)
    (backup,) = path.parent.glob("MEMORY.md.bak.*")
    assert path.read_bytes() == b"Beta"
    assert backup.read_text(encoding="utf-8") == "Alpha\n§\nLate note"
    assert backup.name in " ".join(notices)


def test_a_left_over_file_that_is_still_written_is_not_swept(
    path: Path, appender: subprocess.Popen[str], keep: Kept
) -> None:
    left_over = path.rename(path.with_name(".memtui_MEMORY.md_0123456789ab.tmp"))

    assert sweep_temporaries(path.parent, keep, locked=path) == ()

    append(appender)
    assert wait_for_writers(left_over, 5.0)
    assert sweep_temporaries(path.parent, keep, locked=path) == (left_over.name,)
    assert keep[0][0].endswith(b"Late note")


APPEND_MANY = """
import sys
for number in range(int(sys.argv[2])):
    with open(sys.argv[1], "a") as stream:
        stream.write(f"fact {number}\\n")
"""


def test_no_note_that_is_appended_while_a_linked_file_is_written_in_place_is_lost(path: Path, keep: Kept) -> None:
    os.link(path, path.with_name("other name"))
    path.write_text("")
    with subprocess.Popen([sys.executable, "-c", APPEND_MANY, str(path), "4000"]) as process:
        number = 0
        while process.poll() is None:
            number += 1
            with contextlib.suppress(WriteFailed):
                replace_file(path, b"ours %d\n" % number * (number % 7), expected=None, keep=keep)

    seen = {line for raw_bytes, _ in keep for line in raw_bytes.splitlines()} | {*path.read_bytes().splitlines()}
    assert [number for number in range(4000) if b"fact %d" % number not in seen] == []


def test_a_program_that_has_the_file_open_holds_up_nobody_for_long(path: Path, appender: subprocess.Popen[str]) -> None:
    began_s = time.monotonic()
    with path.open("r+b") as stream, others_held_up(stream.fileno(), 0.1) as are_held_up:
        assert not are_held_up

    assert time.monotonic() - began_s < 5


def test_who_looks_while_a_file_is_written_in_place_waits_and_sees_it_whole(path: Path, keep: Kept) -> None:
    os.link(path, path.with_name("other name"))
    texts = [b"A" * 100_000, b"B" * 200_000]
    path.write_bytes(texts[0])
    code = (
        "import sys; from pathlib import Path; from memtui.disk.files import read_state\n"
        "for state in (read_state(Path(sys.argv[1])) for _ in range(1000)):\n"
        "    print(state.problem, len(state.raw_bytes), len(set(state.raw_bytes)))"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout
        seen = set()
        for number, line in enumerate(reader.stdout):
            seen.add(line.strip())
            replace_file(path, texts[number % 2], expected=None, keep=lambda raw_bytes, why: None)
    assert seen <= {"100000 1", "200000 1"}
