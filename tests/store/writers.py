"""Programs that write one memory file at the same time; each logs the entries it answers for, as JSON lines.

Run as `python writers.py KIND HOME SECONDS SEED LOG`.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from memtui.core.errors import MemoryRefused
from memtui.opening import open_store

DELIMITER = "\n§\n"
MANY = 60
LIMIT_CHARS = 20_000


def memtui(home: Path, number: Callable[[], str], log: TextIO, chosen: random.Random) -> Iterator[None]:
    """The store as the app uses it: looks that record, adds, replacements and removals."""
    store = open_store(home, memory_char_limit=LIMIT_CHARS)
    while True:
        try:
            seen = list(store.observe("memory", scan=False).document.texts)
            _log(log, "read", seen)
            if len(seen) > MANY:
                store.batch("memory", [{"action": "remove", "old_text": text} for text in seen[: MANY // 2]])
            elif seen and chosen.random() < 0.3:
                text = f"{number()} replaced by memtui"
                store.replace("memory", chosen.choice(seen), text)
                _log(log, "acknowledged", [text])
            else:
                text = f"{number()} added by memtui"
                store.add("memory", text)
                _log(log, "acknowledged", [text])
        except MemoryRefused as refusal:
            _log(log, "refused", [refusal.code])
        yield


def polite(home: Path, number: Callable[[], str], log: TextIO, chosen: random.Random) -> Iterator[None]:
    """Takes the lock that all share, reads, writes a temporary file, replaces."""
    path = home / "memories" / "MEMORY.md"
    while True:
        with open(path.with_name("MEMORY.md.lock"), "a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _replace(path, _edited(path, f"{number()} by a polite writer", log))
        time.sleep(chosen.random() * 0.02)
        yield


def careless(home: Path, number: Callable[[], str], log: TextIO, chosen: random.Random) -> Iterator[None]:
    """Ignores the lock: replaces the file, writes over it, or appends to it as a shell does."""
    path = home / "memories" / "MEMORY.md"
    while True:
        text = f"{number()} by a careless writer"
        way = chosen.randrange(3)
        if way == 0:
            _replace(path, _edited(path, text, log))
        elif way == 1:
            path.write_text(_edited(path, text, log), encoding="utf-8")
        else:
            with open(path, "a", encoding="utf-8") as stream:
                stream.write(f"{DELIMITER}{text}")
            _log(log, "wrote", [text])
        time.sleep(chosen.random() * 0.02)
        yield


def _edited(path: Path, text: str, log: TextIO) -> str:
    found = path.read_text(encoding="utf-8", errors="replace").split(DELIMITER) if path.exists() else []
    _log(log, "wrote", [text])
    return DELIMITER.join([*found[-MANY:], text])


def _replace(path: Path, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".other_")
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(temporary, path)


def _log(log: TextIO, what: str, texts: list[str]) -> None:
    log.write(json.dumps([what, texts]) + "\n")


def main(kind: str, home: str, seconds: str, seed: str, log_name: str) -> None:
    """Write until the time is over."""
    counted = iter(range(10_000_000))
    kinds = {"memtui": memtui, "polite": polite, "careless": careless}
    with open(log_name, "w", encoding="utf-8") as log:
        writing = kinds[kind](Path(home), lambda: f"{kind}-{seed}-{next(counted)}", log, random.Random(seed))
        deadline = time.monotonic() + float(seconds)
        while time.monotonic() < deadline:
            next(writing)


if __name__ == "__main__":
    main(*sys.argv[1:])
