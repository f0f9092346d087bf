"""Helpers for tests of the disk layer: other users, full disks and failing system calls, all of them real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


class Kept(list[tuple[bytes, str]]):
    """A keeper that remembers what it was given."""

    def __call__(self, raw_bytes: bytes, why: str) -> None:
        self.append((raw_bytes, why))


@pytest.fixture
def keep() -> Kept:
    """What a store hands to the disk layer to save bytes that are about to go."""
    return Kept()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory file in a folder of its own."""
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "MEMORY.md").write_bytes(b"Alpha")
    return folder / "MEMORY.md"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach, as pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="memtui_test_"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


class RunPython(Protocol):
    """Runs Python code in another process; the text it printed."""

    def __call__(
        self,
        code: str,
        *arguments: str | Path,
        uid: int = 0,
        disk_kb: int = 0,
        inject: str = "",
        everywhere: bool = False,
        shell: str = "",
    ) -> str: ...


@pytest.fixture
def run_python() -> RunPython:
    """Run code as user `uid`, with a small disk mounted on its first argument, after shell commands that may
    mount, or with a system call that strace makes fail: on the first argument's path, or everywhere."""

    def run(
        code: str,
        *arguments: str | Path,
        uid: int = 0,
        disk_kb: int = 0,
        inject: str = "",
        everywhere: bool = False,
        shell: str = "",
    ) -> str:
        words = [sys.executable, "-c", code, *map(str, arguments)]
        if uid:
            words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *words]
        if inject:
            call = inject.split(":")[0]
            only = [] if everywhere else ["-P", str(arguments[0])]
            events = ["-e", f"trace={call}", "-e", f"inject={inject}"]
            words = ["strace", "-f", *only, "-o", "/dev/null", *events, *words]
        if disk_kb:
            shell = f'mount -t tmpfs -o size={disk_kb}k tmpfs "{arguments[0]}"'
        if shell:
            script = f'{shell}\nexec "$@"'
            words = ["unshare", "-m", "--propagation", "private", "sh", "-ec", script, "sh", *words]
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def _lacks(*tools: str) -> str:
    missing = [tool for tool in tools if not shutil.which(tool)]
    if os.geteuid() != 0:
        return "only root may do this"
    return f"needs {', '.join(missing)}" if missing else ""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "as_root(*tools): needs root and these tools")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("as_root"):
        if reason := _lacks(*mark.args):
            pytest.skip(reason)
