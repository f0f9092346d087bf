"""A sample home on which every job of memtui can be tried, and the visitor that changes it meanwhile.

It writes only below the folder it is given or made itself.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.core.codec import parse, render
from memtui.core.errors import MemoryRefused, WriteFailed
from memtui.core.model import DEFAULT_LIMITS, FILE_NAMES
from memtui.core.snapshot import agent_block
from memtui.disk import demo_texts as texts
from memtui.disk.faults import reason_of, shown

HOME_NAME = "agent-home"
VISIT_AFTER_S = 6.0
"""When the visitor writes: late enough to have read the first screen, early enough to be waited for."""

MINUTE_S = 60.0
HOUR_S = 3600.0
DAY_S = 86400.0


def make_demo(folder: Path, now_s: float) -> Path:
    """Make the sample home below `folder` (new or empty) and return it.

    `now_s`: the Unix seconds from which the ages of its backups, staged writes and sessions are counted.
    Raises WriteFailed when the folder holds something already or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise WriteFailed(f"{shown(folder)} is not empty; no sample home was made in it.", {"path": str(folder)})
        home = folder / HOME_NAME
        _make_main_home(home, now_s)
        _make_home(home / "profiles" / "work", texts.WORK_MEMORY.encode(), render(texts.USER), user_limit=100)
        _make_home(home / "profiles" / "quiet", texts.QUIET_MEMORY.encode(), b"", enabled="false")
    except OSError as error:
        message = f"No sample home could be made in {shown(folder)}: {reason_of(error)}."
        raise WriteFailed(message, {"path": str(folder)}) from None
    return home


@contextmanager
def temporary_demo() -> Iterator[Path]:
    """A sample home in a temporary folder, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="memtui-demo-"))
    try:
        yield make_demo(folder, time.time())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def visitor(home: Path, after_s: float = VISIT_AFTER_S) -> Iterator[None]:
    """Let "another program" change MEMORY.md once after `after_s` seconds, unless the body ends before."""
    is_over = threading.Event()
    thread = threading.Thread(target=_visit_later, args=(home, after_s, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(1.0)


def visit(home: Path) -> None:
    """Change MEMORY.md as the agent would: its lock, a new file, put in place. Raises a MemoryRefused."""
    from memtui.disk.atomic import replace_file
    from memtui.disk.lock import hold_locks

    path = home / "memories" / FILE_NAMES["memory"]
    with hold_locks(path, MINUTE_S):
        raw_bytes = path.read_bytes()
        changed = [texts.VPN_AFTER if text == texts.VPN_BEFORE else text for text in parse(raw_bytes).texts]
        new_bytes = render([*changed, texts.BOX_MOVED])
        replace_file(path, new_bytes, expected=raw_bytes, keep=lambda _bytes, _why: None)


def _visit_later(home: Path, after_s: float, is_over: threading.Event) -> None:
    if is_over.wait(after_s):
        return
    try:
        visit(home)
    except (MemoryRefused, OSError):
        return  # the demo goes on without its visitor


def _make_main_home(home: Path, now_s: float) -> None:
    drifted = render([*texts.USER, texts.PASTED])
    _make_home(home, render(texts.MEMORY), drifted)
    for age_s, raw_bytes in ((DAY_S, render([*texts.USER, texts.LOST])), (10 * MINUTE_S, drifted)):
        when_s = int(now_s - age_s)
        _put(home / "memories" / f"USER.md.bak.{when_s}", raw_bytes, when_s)
    _make_staged_writes(home / "pending" / "memory", now_s)
    _make_session(home / "state.db", now_s)


def _make_home(
    root: Path, memory: bytes, user: bytes, *, user_limit: int = DEFAULT_LIMITS["user"], enabled: str = "true"
) -> None:
    (root / "memories").mkdir(parents=True, mode=0o700)
    _put(root / "config.yaml", texts.CONFIG.format(enabled=enabled, user_limit=user_limit).encode())
    _put(root / "memories" / FILE_NAMES["memory"], memory)
    _put(root / "memories" / FILE_NAMES["user"], user)


def _make_staged_writes(folder: Path, now_s: float) -> None:
    folder.mkdir(parents=True, mode=0o700)
    for age_hours, (name, action, target, content, old_text) in enumerate(texts.STAGED, start=1):
        record = {
            "id": name,
            "subsystem": "memory",
            "action": action,
            "summary": f"{action} in {target}: {content[:40]}",
            "origin": "background_review",
            "created_at": now_s - age_hours * HOUR_S,
            "payload": {"action": action, "target": target, "content": content, "old_text": old_text},
        }
        _put(folder / f"{name}.json", json.dumps(record, ensure_ascii=False, indent=2).encode())


def _make_session(path: Path, now_s: float) -> None:
    """A chat that still runs and froze its prompt before the newest entry came, while another still stood."""
    held = render([*texts.MEMORY[:-1], texts.GONE])
    blocks = (
        agent_block("memory", held, DEFAULT_LIMITS["memory"]),
        agent_block("user", render(texts.USER), DEFAULT_LIMITS["user"]),
    )
    prompt = "\n\n".join(["You are a helpful agent.", *blocks, "Answer briefly."])
    database = sqlite3.connect(path)
    with database:
        database.execute(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, title TEXT, model TEXT,"
            " started_at REAL NOT NULL, ended_at REAL, system_prompt TEXT)"
        )
        database.execute(
            "INSERT INTO sessions VALUES ('demo', 'cli', 'Kestrel release', 'sample-model', ?, NULL, ?)",
            (now_s - 2 * HOUR_S, prompt),
        )
    database.close()


def _put(path: Path, raw_bytes: bytes, when_s: float | None = None) -> None:
    path.write_bytes(raw_bytes)
    path.chmod(0o600)
    if when_s is not None:
        os.utime(path, (when_s, when_s))
