"""The real Hermes Agent as a peer to compare with: where it lies, and a process that answers for it."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER = Path(__file__).with_name("hermes_server.py")
RELEASE = "0.19.0"


class HermesMissing(Exception):
    """The real package is not there; the message says how to get it."""


def hermes_folder() -> Path:
    """The folder of the unpacked package: `MEMTUI_HERMES_DIR`, else `.hermes-agent` in the repository."""
    folder = Path(os.environ.get("MEMTUI_HERMES_DIR") or ROOT / ".hermes-agent")
    if (folder / f"hermes_agent-{RELEASE}.dist-info").is_dir() and (folder / "yaml").is_dir():
        return folder
    raise HermesMissing(
        f"hermes-agent {RELEASE} is not in {folder}; get it with `pip install --no-deps --target "
        f".hermes-agent hermes-agent=={RELEASE} PyYAML`, or name its folder in MEMTUI_HERMES_DIR"
    )


class HermesPeer:
    """One long-lived process of the real program."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-s", str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=home,
            env={
                "PATH": os.defpath,
                "HOME": str(home),
                "HERMES_HOME": str(home),
                "PYTHONPATH": str(folder),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONUTF8": "1",
            },
        )

    def _ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the Hermes process ended with code {self._process.wait()}"
        return json.loads(line)

    def sanitize(self, entries: Sequence[str], file_name: str = "MEMORY.md") -> list[str]:
        """The entries as the prompt would show them."""
        shown: list[str] = self._ask(op="sanitize", entries=list(entries), file_name=file_name)
        return shown

    def blocks(
        self, files: Mapping[str, bytes], limits: tuple[int, int] = (2200, 1375)
    ) -> dict[str, str] | None:
        """The prompt block of each target, or None when the program dies of the bytes."""
        encoded = {name: base64.b64encode(raw).decode() for name, raw in files.items()}
        found: dict[str, str] | None = self._ask(op="blocks", files=encoded, limits=limits)
        return found

    def scan_seconds(self, entries: Sequence[str], rounds: int) -> float:
        """Seconds of the fastest of some rounds in which it scans every entry."""
        return float(self._ask(op="time", entries=list(entries), rounds=rounds))

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()


def listed_ids(shown: str, entry: str) -> frozenset[str]:
    """The rule ids in what is shown for an entry; none when it is the entry itself."""
    if shown == entry:
        return frozenset()
    found = re.search(r"pattern\(s\): (.*)\. Removed from system prompt", shown)
    assert found, shown
    return frozenset(found[1].split(", "))
