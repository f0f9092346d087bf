"""Two memtui processes and two other writers on one file: what memtui answered for is never lost.

`MEMTUI_LONG=1` lets them write for a minute.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from memtui.core.codec import parse
from memtui.disk.backups import list_backups, read_backup
from memtui.disk.folders import history_path
from memtui.disk.history import History

pytest.importorskip("fcntl")

SECONDS = 60 if os.environ.get("MEMTUI_LONG") else 8
ROOT = Path(__file__).resolve().parents[2]
WRITERS = ("memtui", "memtui", "polite", "careless")


@pytest.mark.timeout(SECONDS * 3 + 60)
def test_four_writers_lose_nothing_that_memtui_acknowledged_read_or_displaced(
    home: Path, memory_file: Path, tmp_path: Path
) -> None:
    logs = [tmp_path / f"{number}.jsonl" for number in range(len(WRITERS))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = Path(__file__).with_name("writers.py")
    running = [
        subprocess.Popen(
            [sys.executable, str(script), kind, str(home), str(SECONDS), str(number), str(log)],
            env=environment,
            stderr=subprocess.PIPE,
        )
        for number, (kind, log) in enumerate(zip(WRITERS, logs, strict=True))
    ]
    complaints = [one.communicate(timeout=SECONDS * 2 + 60)[1].decode() for one in running]
    assert [one.returncode for one in running] == [0] * len(running), complaints

    answered = _answered(logs)
    kept, sources = _kept(memory_file)
    lost = {what: _missing(texts, kept) for what, texts in answered.items() if what != "refused"}
    print(
        ", ".join(f"{len(texts):,} {what}" for what, texts in answered.items()),
        f"; kept versions {dict(sources)}; overwritten between looks: {len(lost['wrote'])} of others",
    )

    assert answered["acknowledged"]
    assert lost["acknowledged"] == []
    assert lost["read"] == []
    assert list(memory_file.parent.glob(".memtui_*")) == []


def _answered(logs: list[Path]) -> dict[str, set[str]]:
    answered: dict[str, set[str]] = defaultdict(set)
    for log in logs:
        for line in log.read_text(encoding="utf-8").splitlines():
            what, texts = json.loads(line)
            answered[what].update(texts)
    return answered


def _kept(memory_file: Path) -> tuple[set[str], dict[str, int]]:
    history = History.open(history_path())
    versions = history.versions(str(memory_file.resolve()))
    assert history.problem == ""
    contents = [version.raw for version in versions]
    contents += [read_backup(backup) for backup in list_backups(memory_file)]
    contents.append(memory_file.read_bytes())
    sources: dict[str, int] = defaultdict(int)
    for version in versions:
        sources[version.source] += 1
    return {text for raw_bytes in contents for text in parse(raw_bytes).texts}, sources


def _missing(texts: set[str], kept: set[str]) -> list[str]:
    whole = "\n".join(kept)
    return sorted(text for text in texts if text not in kept and text not in whole)
