"""Looks for agents' homes: the known places, or folders that a person names, walked lazily.

The first ones come while the rest is still being looked for. Of links it follows those that lead to a home, each
goal once, so it always ends; what it cannot look into is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui.core.model import FILE_NAMES
from memtui.disk.files import identity_of, real_path
from memtui.disk.homes import (
    HERMES_MEMORIES,
    HERMES_ROOT,
    PI_MEMORIES,
    PI_ROOT,
    PROFILES,
    Home,
    Refused,
    expand,
    home_of_memories,
    ignored,
    known_homes,
    resolve_home,
)

MAX_DEPTH: Final = 32
"""Folders below a named one; what lies deeper is told."""

_SKIPPED: Final = frozenset({"node_modules", ".git", "__pycache__", ".venv", "site-packages"})
"""Where no home lies and a search would take minutes."""
_KERNEL: Final = frozenset({"dev", "proc", "sys"})
"""The system's own file systems at the root; anywhere else a folder called so is one like any other."""
_HOME_NAMES: Final = frozenset({HERMES_ROOT, PI_ROOT, HERMES_MEMORIES, PROFILES})
"""What is called so is a home or a part of one, and a link is followed there whatever it leads to."""

def list_homes(
    paths: Sequence[str], env: Mapping[str, str], cwd: Path, user_home: Path, refused: Refused = ignored
) -> Iterator[Home]:
    """Every home under the named paths, each once; without paths, the known ones.

    A named path that leads to no home at all gives the home it would be. Raises NotFound for a file that is
    none.
    """
    found = _named_homes(paths, cwd, user_home, refused) if paths else known_homes(env, cwd, user_home, refused)
    seen: set[object] = set()
    for home in found:
        place = folder_key(home.memories)
        if place not in seen:
            seen.add(place)
            yield home


def folder_key(folder: Path) -> object:
    """What tells a folder from others by whatever path it is reached; its real path while it is not there."""
    found = identity_of(folder)
    return (found.device, found.inode) if found else os.path.realpath(folder)


def _named_homes(paths: Sequence[str], cwd: Path, user_home: Path, refused: Refused) -> Iterator[Home]:
    for path in paths:
        place = expand(path, cwd, user_home)
        search, inside = _Search(refused), False
        if os.path.isdir(place):
            for memories in search.memory_folders(place, MAX_DEPTH):
                inside = True
                yield home_of_memories(memories, is_named=True)
        if not inside:
            yield resolve_home(place, is_named=True)


class _Search:
    """One walk over folders: which goals of links it has been to, and what it could not look into."""

    def __init__(self, refused: Refused) -> None:
        self._refused = refused
        self._told: set[str] = set()
        self._followed: set[object] = set()

    def memory_folders(self, folder: Path, depth: int) -> Iterator[Path]:
        """Folders that hold, or are there to hold, memory files: the folder itself, then those below it."""
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._tell(folder, error)
            return
        if _is_memory_folder(folder, {entry.name for entry in found}):
            yield folder
        for entry in found:
            if self._is_wanted(entry):
                if depth:
                    yield from self.memory_folders(Path(entry.path), depth - 1)
                else:
                    self._tell(folder, OSError(0, f"it lies {MAX_DEPTH} folders down, and no search goes deeper"))
                    return

    def _is_wanted(self, entry: os.DirEntry[str]) -> bool:
        if entry.is_symlink():
            return self._is_new_home(entry)
        return entry.is_dir(follow_symlinks=False) and entry.name not in _SKIPPED and not _is_kernels(entry)

    def _is_new_home(self, link: os.DirEntry[str]) -> bool:
        """True for a link to a home that no other link led to, and that does not lie around the link."""
        is_called_so = link.name in _HOME_NAMES
        try:
            if not link.is_dir():
                if is_called_so and not os.path.exists(link.path):
                    self._tell(Path(link.path), OSError(0, "it is a link to what is not there"))
                return False
        except OSError as error:
            if is_called_so or isinstance(error, PermissionError):
                self._tell(Path(link.path), error)
            return False
        goal = real_path(Path(link.path))
        if not (is_called_so or _holds_home(goal)) or real_path(Path(link.path).parent).is_relative_to(goal):
            return False
        key = folder_key(goal)
        is_new = key not in self._followed
        self._followed.add(key)
        return is_new

    def _tell(self, folder: Path, error: OSError) -> None:
        place = os.path.realpath(folder)
        if place not in self._told:
            self._told.add(place)
            self._refused(folder, error)


def _is_memory_folder(folder: Path, names: set[str]) -> bool:
    if not names.isdisjoint(FILE_NAMES.values()):
        return True
    return folder.name == HERMES_MEMORIES or (folder.name == PI_MEMORIES and folder.parent.name == PI_ROOT)


def _holds_home(folder: Path) -> bool:
    """True for a home, a folder of memory files, and a project's or user's folder with a home right inside."""
    names = (*FILE_NAMES.values(), HERMES_MEMORIES, HERMES_ROOT, PI_ROOT)
    is_of_pi = folder.name == PI_MEMORIES and folder.parent.name == PI_ROOT
    return is_of_pi or any(os.path.lexists(folder / name) for name in names)


def _is_kernels(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name in _KERNEL and os.path.samefile(entry.path, f"/{entry.name}")
    except OSError:
        return False
