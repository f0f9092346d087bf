"""Where memtui's own data lies: history and crash logs under the state folder, choices under the
configuration folder.

Only names places; makes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memtui.disk.whereabouts import NOWHERE, fixed

DATA_VARIABLE: Final = "MEMTUI_DATA_DIR"
"""The environment variable that names one folder for all of memtui's own data; the demo has its own there."""

_APPLICATION: Final = "memtui"


def state_folder() -> Path:
    """The user's state folder for memtui (`XDG_STATE_HOME` or the system's own place)."""
    from platformdirs import user_state_path

    return _named("state") or _usual(user_state_path)


def config_folder() -> Path:
    """The user's configuration folder for memtui (`XDG_CONFIG_HOME` or the system's own place)."""
    from platformdirs import user_config_path

    return _named("config") or _usual(user_config_path)


def history_path() -> Path:
    """The history database."""
    return state_folder() / "history.db"


def suppressions_path() -> Path:
    """The findings a person has declared harmless."""
    return config_folder() / "suppressions.json"


def _usual(find: Callable[..., Path]) -> Path:
    try:
        return fixed(find(_APPLICATION, appauthor=False))
    except RuntimeError:  # a user without a home; older versions of platformdirs answer `~/…`
        return NOWHERE / _APPLICATION


def _named(kind: str) -> Path | None:
    folder = os.environ.get(DATA_VARIABLE, "").strip()
    return fixed(folder) / kind if folder else None
