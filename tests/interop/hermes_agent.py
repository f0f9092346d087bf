"""The real Hermes Agent working on a home: its memory tool, its queue and its commands, one JSON line each way.

Started with PYTHONPATH = the folder of the unpacked package and HERMES_HOME = the home. It must not import memtui.

    {"op": "tool", "arguments": {...}}            -> the tool's own answer
    {"op": "add_all", "target": t, "texts": [..]} -> [text, ...] that it reports as written
    {"op": "entries", "target": t}                -> the entries as it reads them now
    {"op": "prompt", "target": t}                 -> the block of a session that starts now
    {"op": "command", "words": ["approve", "id"]} -> the answer of its /memory command
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from typing import Any

from hermes_cli.write_approval_commands import handle_pending_subcommand  # type: ignore[import-not-found]
from tools import memory_tool  # type: ignore[import-not-found]


def call(arguments: Mapping[str, Any]) -> dict[str, Any]:
    answer = memory_tool.memory_tool(**arguments, store=memory_tool.load_on_disk_store())
    decoded: dict[str, Any] = json.loads(answer)
    return decoded


def add_all(request: Mapping[str, Any]) -> list[str]:
    store = memory_tool.load_on_disk_store()
    written = []
    for text in request["texts"]:
        answer = memory_tool.memory_tool(action="add", target=request["target"], content=text, store=store)
        if json.loads(answer)["success"]:
            written.append(text)
    return written


def answer(request: Mapping[str, Any]) -> Any:
    if request["op"] == "tool":
        return call(request["arguments"])
    if request["op"] == "add_all":
        return add_all(request)
    if request["op"] == "entries":
        return memory_tool.load_on_disk_store()._entries_for(request["target"])
    if request["op"] == "prompt":
        return memory_tool.load_on_disk_store().format_for_system_prompt(request["target"]) or ""
    return handle_pending_subcommand(
        "memory", request["words"], memory_store=memory_tool.load_on_disk_store(), set_mode_fn=None
    )


def main() -> None:
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
