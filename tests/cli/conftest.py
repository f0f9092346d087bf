"""A made-up user on a made-up machine: no command of these tests sees the real home or its history."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memtui.cli.running import run

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answer:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON object it should be."""
        return json.loads(self.out)


Memtui = Callable[..., Answer]


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    user_home = tmp_path / "user"
    user_home.mkdir()
    for name in ("HERMES_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(user_home))
    monkeypatch.setenv("XDG_STATE_HOME", str(user_home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user_home / "config"))
    monkeypatch.chdir(user_home)
    return user_home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An agent's home with three notes and a profile."""
    folder = tmp_path / "home"
    (folder / "memories").mkdir(parents=True)
    (folder / "memories" / "MEMORY.md").write_text("Alpha fact\n§\nBeta fact\nin two lines\n§\nGamma fact")
    (folder / "memories" / "USER.md").write_text("Name: Ada Example")
    return folder


@pytest.fixture
def memtui(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Memtui:
    """Runs a command line in this process."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return call


@pytest.fixture
def memtui_process() -> Memtui:
    """Runs a command line in a process of its own."""

    def call(*arguments: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Answer:
        command = [sys.executable, "-m", "memtui", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        done = subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=60)
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


Tree = dict[str, tuple[bytes | None, int, int]]


@pytest.fixture
def tree_of() -> Callable[[Path], Tree]:
    """Every path below a folder with its bytes, mode and time of change: equal when nothing was touched."""

    def tree(folder: Path) -> Tree:
        return {
            str(path.relative_to(folder)): (
                path.read_bytes() if path.is_file() else None,
                path.stat().st_mode,
                path.stat().st_mtime_ns,
            )
            for path in sorted(folder.rglob("*"))
        }

    return tree
