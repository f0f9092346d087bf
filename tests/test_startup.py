"""What a start loads: module lists, since a clock on a busy machine proves nothing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memtui

ROOT = Path(__file__).resolve().parent.parent
WRITERS_ONLY = {"filelock", "watchfiles", "textual", "rich"}


def modules_after(code: str) -> set[str]:
    """The modules loaded in a fresh interpreter once `code` has run."""
    tail = "\nimport sys\nprint('\\n' + ' '.join(sys.modules))"

    command = [sys.executable, "-c", code + tail]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert run.returncode == 0, run.stderr
    return set(run.stdout.rsplit("\n", 2)[-2].split())


def modules_of_command(*arguments: str) -> set[str]:
    """The modules loaded by `memtui ARGUMENTS`."""
    call = f"    main({list(arguments)!r})"
    return modules_after(f"from memtui.cli import main\ntry:\n{call}\nexcept SystemExit:\n    pass")


def test_importing_the_package_imports_nothing() -> None:
    before = modules_after("pass")

    assert modules_after("import memtui") - before <= {"memtui", "__future__"}


@pytest.mark.parametrize("command", ["list", "show", "check", "snapshot", "homes"])
def test_a_look_loads_neither_the_app_nor_the_watcher_nor_the_lock(command: str, tmp_path: Path) -> None:
    memories = tmp_path / "memories"
    memories.mkdir()
    (memories / "MEMORY.md").write_text("First fact\n§\nSecond fact", encoding="utf-8")
    text = ["Second"] if command == "show" else []
    where = [str(tmp_path)] if command == "homes" else ["--home", str(tmp_path)]

    loaded = modules_of_command(command, *text, *where)

    assert "memtui.store" in loaded or command == "homes"
    assert loaded & WRITERS_ONLY == set()


def test_help_loads_no_store() -> None:
    assert "memtui.store" not in modules_of_command("--help")


@pytest.mark.parametrize("name", memtui.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(memtui, name) is not None
    assert name in dir(memtui)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        memtui.no_such_name  # noqa: B018


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert memtui.__version__ == project["version"]
