"""One memtui process that writes a home while others do: adds, replaces and removes its own notes, through the tool.

python memtui_writer.py HOME NAME COUNT       prints the notes that must stand in the end, as JSON
"""

from __future__ import annotations

import json
import sys

from memtui.opening import open_store
from memtui.tool import make_memory_tool


def main(home: str, name: str, count: int) -> None:
    tool = make_memory_tool(open_store(home, wait_s=60))
    standing = []
    for number in range(count):
        note = f"{name} note {number} stands"
        calls = [{"action": "add", "content": note}]
        if number % 3 == 1:
            calls.append({"action": "replace", "old_text": note, "content": f"{name} note {number} was changed"})
        if number % 3 == 2:
            calls.append({"action": "remove", "old_text": note})
        for call in calls:
            result = tool.execute(call)
            if not result.ok:
                raise SystemExit(f"{call}: {result.error}")
        standing += [[note], [f"{name} note {number} was changed"], []][number % 3]
    print(json.dumps(standing))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
