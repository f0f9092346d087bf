"""The theme that a person chose in the app, kept beside their other choices.

A file of its own, since `config.toml` is the person's to write. A name only: whether there is such a theme is the app's
to know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memtui.disk.files import read_state
from memtui.disk.folders import config_folder

MAX_BYTES: Final = 200


def theme_path() -> Path:
    """The file with the name."""
    return config_folder() / "theme"


def chosen_theme() -> str:
    """The name that was kept; "" when there is none or it cannot be read. Untrusted."""
    return read_state(theme_path(), MAX_BYTES).raw_bytes.decode("utf-8", "replace").strip()


def keep_theme(name: str) -> None:
    """Keep the name of a theme. Raises WriteFailed."""
    from memtui.disk.atomic import replace_file

    path = theme_path()
    state = read_state(path, MAX_BYTES)
    replace_file(path, f"{name}\n".encode(), expected=state.raw_bytes if state.exists else None, keep=_let_go)


def _let_go(raw_bytes: bytes, why: str) -> None:
    """What stood there was a choice that is no longer meant."""
