"""Every test runs cut off from the machine: an own home, own state and configuration folders, no terminal settings."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# On a busy machine one of a hundred examples takes more than the 200 ms that are the default.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

FOREIGN = ("HERMES_HOME", "NO_COLOR", "TEXTUAL_THEME", "VISUAL", "EDITOR", "COLORTERM")


@pytest.fixture(autouse=True)
def cut_off(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own home folder for the test; what it makes lies nowhere else."""
    user_home = tmp_path_factory.mktemp("user_home")
    monkeypatch.setenv("HOME", str(user_home))
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(user_home / name.lower()))
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    return user_home


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """A shell starts what runs in its background deaf to interrupts, and whatever that starts inherits it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
