"""What history costs: a write with and without it at 2.2 kB and 600 kB, and a timeline of 10,000 versions.

Run from the repository: `python tests/bench/history.py [FOLDER]`. FOLDER lies on the disk to be measured; the
default is the current folder. Both kinds of writes alternate, so that a busy disk slows both.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from memtui.core.change import Step
from memtui.disk.atomic import replace_file
from memtui.disk.history import History, Write
from memtui.disk.lock import hold_locks
from memtui.store import MemoryStore
from memtui.store.recorder import Recorder

TARGETS = {2_200: 1.5, 600_000: 2.0}
"""Size in bytes to the factor that an operation with history may cost at most."""


def made_up_text(size_bytes: int, seed: int) -> bytes:
    """Entries of made-up words, some of them not ASCII."""
    chosen = random.Random(seed)
    words = [
        "deploy",
        "staging",
        "prüfen",
        "uses",
        "pytest",
        "端口",
        "box2",
        "token",
        "never",
        "on",
        "Friday",
    ]
    entries, size = [], 0
    while size < size_bytes:
        entry = " ".join(f"{chosen.choice(words)}{chosen.randrange(99)}" for _ in range(25))
        entries.append(entry)
        size += len(entry.encode()) + 4
    return "\n§\n".join(entries).encode()[:size_bytes]


def edited(raw_bytes: bytes, number: int) -> bytes:
    """The same text with one word changed somewhere."""
    place = random.Random(number).randrange(len(raw_bytes) - 20)
    return raw_bytes[:place] + f" edit{number} ".encode() + raw_bytes[place + 8 :]


def write(path: Path, before: bytes, after: bytes, history: History | None, number: int) -> float:
    """One locked write of the file; seconds it took."""
    began = time.perf_counter()
    with hold_locks(path):
        announced = None
        if history is not None:
            steps = (Step(f"entry {number}", f"entry {number + 1}", 0),)
            announced = history.record_write(
                str(path), Write(before, after, "memtui", "Replaced an entry", time.time(), "replace", steps)
            )
            assert announced is not None, history.problem
        replace_file(path, after, expected=before, keep=lambda raw_bytes, why: None)
        if history is not None and announced is not None:
            history.confirm(announced)
    return time.perf_counter() - began


def measure_writes(folder: Path, size_bytes: int, rounds: int) -> None:
    """Print the cost of writes of one size, with and without history."""
    history = History.open(folder / f"history-{size_bytes}.db")
    contents = {True: made_up_text(size_bytes, 1), False: made_up_text(size_bytes, 1)}
    paths = {True: folder / f"with-{size_bytes}.md", False: folder / f"without-{size_bytes}.md"}
    taken: dict[bool, list[float]] = {True: [], False: []}
    for has_history, path in paths.items():
        path.write_bytes(contents[has_history])
    for number in range(rounds):
        for has_history, path in paths.items():
            before, after = contents[has_history], edited(contents[has_history], number)
            taken[has_history].append(write(path, before, after, history if has_history else None, number))
            contents[has_history] = after
    print_times("bare locked write", size_bytes, taken)
    history.close()


class NoHistory(Recorder):
    """Keeps nothing: what the same operation costs without history."""

    def begin(self, *announced: object, **options: object) -> None:
        return None

    def keep(self, *kept: object, **options: object) -> None:
        return None

    def observe(self, *seen: object, **options: object) -> None:
        return None


def open_store(folder: Path, size_bytes: int, has_history: bool) -> MemoryStore:
    """A store on a folder of its own, with or without history."""
    memories = folder / f"memories-{size_bytes}-{has_history}"
    memories.mkdir()
    (memories / "MEMORY.md").write_text(made_up_text(size_bytes, 1).decode("utf-8", "ignore"), "utf-8")
    store = MemoryStore(memories, 1_000_000, history_db=folder / f"operations-{size_bytes}.db")
    if not has_history:
        store.recorder = NoHistory(None)
    store.load_from_disk()
    return store


def measure_operations(folder: Path, size_bytes: int, rounds: int) -> None:
    """Print the cost of a guarded replace through the store, with and without history."""
    stores = {kind: open_store(folder, size_bytes, kind) for kind in (True, False)}
    taken: dict[bool, list[float]] = {True: [], False: []}
    for number in range(rounds):
        for has_history, store in stores.items():
            old_text = store.entries("memory")[number % 7]
            began = time.perf_counter()
            store.replace("memory", old_text, f"{old_text[:100]} edit {number}")
            taken[has_history].append(time.perf_counter() - began)
    print_times("guarded replace", size_bytes, taken)


def print_times(what: str, size_bytes: int, taken: dict[bool, list[float]]) -> None:
    """One line: both medians and their ratio."""
    without, with_history = (statistics.median(taken[kind]) * 1000 for kind in (False, True))
    by_means = statistics.mean(taken[True]) / statistics.mean(taken[False])
    print(
        f"{what}, {size_bytes:,} bytes: {without:.2f} ms without, {with_history:.2f} ms with history"
        f" (medians of {len(taken[True])}): {with_history / without:.2f} times, by means {by_means:.2f}"
        f" (at most {TARGETS[size_bytes]})"
    )


def measure_timeline(folder: Path, count: int) -> None:
    """Print how long the list of `count` versions takes from a database that is not open yet."""
    history = History.open(folder / "timeline.db")
    text = made_up_text(2_200, 2)
    for number in range(count):
        history.record("/home/MEMORY.md", edited(text, number), "outside", f"+1 −0 ~{number}", float(number))
    history.close()
    began = time.perf_counter()
    reopened = History.open(folder / "timeline.db")
    versions = reopened.versions("/home/MEMORY.md")
    listed_s = time.perf_counter() - began
    first_raw, last_raw = versions[0].raw, versions[-1].raw
    read_s = time.perf_counter() - began - listed_s
    size_mb = (folder / "timeline.db").stat().st_size / 1e6
    print(
        f"{len(versions):,} versions listed in {listed_s * 1000:.0f} ms (at most 300), two contents of"
        f" {len(first_raw):,} and {len(last_raw):,} bytes in {read_s * 1000:.1f} ms; {size_mb:.1f} MB on disk"
    )


def main() -> None:
    """Measure in a folder that is removed afterwards."""
    place = sys.argv[1] if len(sys.argv) > 1 else "."
    with tempfile.TemporaryDirectory(dir=place, prefix="history-bench-") as name:
        measure_writes(Path(name), 2_200, 400)
        measure_writes(Path(name), 600_000, 100)
        measure_operations(Path(name), 2_200, 200)
        measure_operations(Path(name), 600_000, 30)
        measure_timeline(Path(name), 10_000)


if __name__ == "__main__":
    main()
