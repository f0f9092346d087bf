"""Is the emulation of Hermes' scan as fast as Hermes' own? Both on the corpus, in one run.

    python tests/bench/hermes_scan.py [rounds]

The real program is found as in tests/interop. Ends with 1 when the emulation is slower.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS / "interop")]

from hermes_peer import HermesMissing, HermesPeer, hermes_folder  # noqa: E402

from memtui.core.threats.hermes import hermes_rule_ids  # noqa: E402


def our_seconds(entries: list[str], rounds: int) -> float:
    """Seconds of the fastest round, the rules compiled beforehand as in the real program."""
    hermes_rule_ids("compile")
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        for entry in entries:
            hermes_rule_ids(entry)
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    corpus = (TESTS / "data/threats/threats.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line)["text"] for line in corpus]
    ours = our_seconds(entries, rounds)
    print(f"{len(entries)} entries, the best of {rounds} rounds")
    print(f"emulation   {ours / len(entries) * 1e6:8.1f} µs an entry")
    try:
        folder = hermes_folder()
    except HermesMissing as missing:
        print(f"real Hermes not measured: {missing}")
        return 0
    with tempfile.TemporaryDirectory() as home:
        peer = HermesPeer(folder, Path(home))
        theirs = peer.scan_seconds(entries, rounds)
        peer.close()
    print(f"real Hermes {theirs / len(entries) * 1e6:8.1f} µs an entry")
    return int(ours > theirs)


if __name__ == "__main__":
    sys.exit(main())
