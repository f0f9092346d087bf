"""How long 200 homes take: first row, ten rows and all of them, without and with the scan, in a fresh process.

Run from the repository: `python tests/bench/homes.py [COUNT]`. Target: the first rows within 300 ms, counted from the
first look at the disk; the rules are compiled once, before the first scanned row.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FIRST_ROWS_TARGET_MS = 300

MEASURE = """
import json, os, sys, time
from pathlib import Path
from memtui.disk.search_homes import list_homes
from memtui.homes_overview import home_rows
began = time.perf_counter()
times = []
homes = list_homes([sys.argv[1]], os.environ, Path.cwd(), Path.home())
for row in home_rows(homes, scan=sys.argv[2] == "scan"):
    times.append((time.perf_counter() - began) * 1000)
print(json.dumps([times[0], times[min(9, len(times) - 1)], times[-1], len(times)]))
"""


def make_homes(folder: Path, count: int) -> None:
    """Homes with files of ordinary size, some of them full."""
    rng = random.Random(7)
    words = ["deploy", "staging", "prüfen", "uses", "pytest", "端口", "box2", "weekly", "never", "on", "Fridays"]
    for number in range(count):
        memories = folder / f"agent{number:03}" / "memories"
        memories.mkdir(parents=True)
        for name, entries in (("MEMORY.md", rng.randint(3, 14)), ("USER.md", rng.randint(1, 8))):
            texts = [" ".join(rng.choices(words, k=rng.randint(8, 25))) for _ in range(entries)]
            (memories / name).write_text("\n§\n".join(texts), encoding="utf-8")
        (memories.parent / "config.yaml").write_text("memory:\n  write_approval: true\n")


def main() -> int:
    """Print the times; exit 1 when the first ten rows come late."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    is_late = False
    with tempfile.TemporaryDirectory() as folder:
        make_homes(Path(folder), count)
        for how in ("look", "scan"):
            command = [sys.executable, "-c", MEASURE, folder, how]
            runs = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5)]
            first, ten, last, rows = (statistics.median(column) for column in zip(*runs, strict=True))
            print(f"{how}: {rows:.0f} rows; first {first:.0f} ms, ten {ten:.0f} ms, all {last:.0f} ms (median of 5)")
            is_late |= how == "look" and ten > FIRST_ROWS_TARGET_MS
    return int(is_late)


if __name__ == "__main__":
    sys.exit(main())
