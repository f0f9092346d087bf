"""Answers questions about the real Hermes Agent, one JSON line each way, from a process of its own.

Started with PYTHONPATH = the folder of the unpacked package and HERMES_HOME = a throw-away folder. It must
not import memtui: the two programs share nothing but these lines.

    {"op": "sanitize", "file_name": "MEMORY.md", "entries": [...]}  -> the entries as the prompt shows them
    {"op": "blocks", "limits": [2200, 1375], "files": {"MEMORY.md": base64, ...}}
                                                                    -> {"memory": block, "user": block}
    {"op": "time", "entries": [...], "rounds": 3}                   -> seconds of the fastest round of scans
"""

from __future__ import annotations

import base64
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

from tools import memory_tool  # type: ignore[import-not-found]
from tools.threat_patterns import scan_for_threats  # type: ignore[import-not-found]


def sanitize(request: dict[str, Any]) -> list[str]:
    entries = memory_tool.MemoryStore._sanitize_entries_for_snapshot(request["entries"], request["file_name"])
    return list(entries)


def blocks(request: dict[str, Any]) -> dict[str, str] | None:
    folder = Path(os.environ["HERMES_HOME"], "memories")
    folder.mkdir(exist_ok=True)
    for name in ("MEMORY.md", "USER.md"):
        (folder / name).unlink(missing_ok=True)
        if name in request["files"]:
            (folder / name).write_bytes(base64.b64decode(request["files"][name]))
    store = memory_tool.MemoryStore(*request["limits"])
    try:
        store.load_from_disk()
    except UnicodeDecodeError:
        return None
    return {target: store.format_for_system_prompt(target) or "" for target in ("memory", "user")}


def fastest(request: dict[str, Any]) -> float:
    rounds = []
    for _ in range(request["rounds"]):
        began = time.perf_counter()
        for entry in request["entries"]:
            scan_for_threats(entry, scope="strict")
        rounds.append(time.perf_counter() - began)
    return min(rounds)


def main() -> None:
    logging.disable(logging.CRITICAL)
    answer = {"sanitize": sanitize, "blocks": blocks, "time": fastest}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(answer[request["op"]](request)), flush=True)


if __name__ == "__main__":
    main()
