"""Looks for agents' homes: the known places, or folders that a person names, walked lazily.

The first ones come while the rest is still being looked for. Follows no link while walking, so it always
ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui.core.model import FILE_NAMES
from memtui.disk.homes import (
    HERMES_MEMORIES,
    PI_MEMORIES,
    PI_ROOT,
    Home,
    expand,
    home_of_memories,
    known_homes,
    resolve_home,
)

MAX_DEPTH: Final = 8
"""Folders below a named one; a profile of a home in a project of a user's folder is five down."""

_SKIPPED: Final = frozenset(
    {"node_modules", ".git", "__pycache__", ".venv", "venv", "proc", "sys", "dev", "site-packages"}
)
"""Where no home lies and a search would take minutes."""

Refused = Callable[[Path, OSError], None]
"""Told of a folder that could not be looked into."""


def _ignored(folder: Path, error: OSError) -> None:
    pass


def list_homes(
    paths: Sequence[str], env: Mapping[str, str], cwd: Path, user_home: Path, refused: Refused = _ignored
) -> Iterator[Home]:
    """Every home under the named paths, each once; without paths, the known ones.

    A named path that leads to no home at all gives the home it would be. Raises NotFound for a file that is
    none.
    """
    found = _named_homes(paths, cwd, user_home, refused) if paths else known_homes(env, cwd, user_home)
    seen: set[str] = set()
    for home in found:
        place = os.path.realpath(home.memories)
        if place not in seen:
            seen.add(place)
            yield home


def _named_homes(paths: Sequence[str], cwd: Path, user_home: Path, refused: Refused) -> Iterator[Home]:
    for path in paths:
        place = expand(path, cwd, user_home)
        inside = False
        if os.path.isdir(place):
            for memories in _memory_folders(place, MAX_DEPTH, refused):
                inside = True
                yield home_of_memories(memories, is_named=True)
        if not inside:
            yield resolve_home(place, is_named=True)


def _memory_folders(folder: Path, depth: int, refused: Refused) -> Iterator[Path]:
    """Folders that hold, or are there to hold, memory files: the folder itself, then those below it."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        refused(folder, error)
        return
    if _is_memory_folder(folder, {entry.name for entry in found}):
        yield folder
    for entry in found:
        if depth and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
            yield from _memory_folders(Path(entry.path), depth - 1, refused)


def _is_memory_folder(folder: Path, names: set[str]) -> bool:
    if not names.isdisjoint(FILE_NAMES.values()):
        return True
    return folder.name == HERMES_MEMORIES or (folder.name == PI_MEMORIES and folder.parent.name == PI_ROOT)
