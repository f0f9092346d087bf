"""The record of sessions that the real Hermes Agent keeps, read while its process holds the database open."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hermes_peer import HermesMissing, hermes_folder

from memtui.core.snapshot import agent_block
from memtui.disk.sessions import read_sessions

AGENT = """
import sys
from pathlib import Path
from hermes_state import SessionDB

database = SessionDB(Path(sys.argv[1]) / "state.db")
database.create_session("first", "cli", model="model-x", system_prompt="Hello.")
database.create_session("second", "telegram", model="model-x")
database.update_system_prompt("second", sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
database.close()
"""
PROMPT = "\n\n".join(
    ["You are an agent.", agent_block("memory", "Uses uv\n§\nDeploy needs VPN".encode(), 2200), "Today."]
)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of the real agent's store of sessions, which has written two."""
    try:
        folder = hermes_folder()
    except HermesMissing as missing:
        pytest.skip(str(missing))
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "HERMES_HOME": str(tmp_path)}
    environment |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    with subprocess.Popen(
        [sys.executable, "-s", "-c", AGENT, str(tmp_path), PROMPT],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


def test_its_sessions_are_read_while_it_runs_and_after(agent: subprocess.Popen[str], tmp_path: Path) -> None:
    running = read_sessions(tmp_path)
    assert agent.stdin
    agent.stdin.write("close\n")
    agent.stdin.flush()
    assert agent.wait(timeout=30) == 0
    names = sorted(path.name for path in tmp_path.iterdir())

    closed = read_sessions(tmp_path)

    assert running == closed
    assert closed.problem == ""
    second, first = closed.sessions
    assert (second.id, second.source, second.model) == ("second", "telegram", "model-x")
    assert second.blocks == {"memory": ("Uses uv", "Deploy needs VPN")}
    assert (first.id, dict(first.blocks)) == ("first", {})
    assert sorted(path.name for path in tmp_path.iterdir()) == names
