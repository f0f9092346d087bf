"""The README: its commands exist, its tables are current, its example runs, and its pictures are there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.cli.root import MODULES
from memtui.core.model import ENTRY_DELIMITER, FILE_NAMES
from memtui.disk.homes import HERMES_MEMORIES, HERMES_ROOT, PI_MEMORIES, PI_ROOT

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block_after(marker: str) -> str:
    """The fenced block behind a marker."""
    found = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found is not None, f"README.md has no block marked {marker}"
    return found[1]


def commands_shown() -> list[str]:
    """Every command of memtui that the README mentions, by its first word."""
    shown = re.findall(
        r"\bmemtui ([a-z][a-z-]*)\b", "\n".join(re.findall(r"`[^`\n]+`|```.*?```", README, re.DOTALL))
    )
    return sorted(set(shown))


def test_the_generated_tables_are_current() -> None:
    done = subprocess.run([sys.executable, "docs/make_tables.py", "--check"], cwd=ROOT, timeout=60)

    assert done.returncode == 0, "run python docs/make_tables.py"


@pytest.mark.parametrize("command", commands_shown())
def test_every_command_shown_exists(command: str) -> None:
    assert command in MODULES


def test_some_commands_are_shown() -> None:
    assert {"list", "show", "check", "demo"} <= set(commands_shown())


def test_the_library_example_runs_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(tmp_path / "data"))
    example = block_after("example")

    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    said = re.findall(r"print\(.*\)  # ([A-Z].*|threat)$", example, re.MULTILINE)
    assert said
    assert [line for line in said if line not in done.stdout] == []
    assert "Prefers short answers" in done.stdout


def test_the_set_up_commands_are_one_line_each_and_make_their_own_environment() -> None:
    for marker in ("demo-command", "test-command"):
        (line,) = block_after(marker).splitlines()
        assert line.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert shlex.split(line)


def test_the_files_lie_where_it_says_and_are_cut_where_it_says() -> None:
    assert f"~/{HERMES_ROOT}/{HERMES_MEMORIES}/{FILE_NAMES['memory']}" in README
    assert f"{PI_ROOT}/{PI_MEMORIES}/" in README
    assert f"holds only `{ENTRY_DELIMITER.strip()}`" in README


def test_every_picture_and_page_that_is_linked_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)

    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_ci_runs_the_readmes_own_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert "readme_command test-command" in script
