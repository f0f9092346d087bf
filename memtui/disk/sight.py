"""What a watcher compares from one look to the next: the identities of a home's files and folders.

Opens nothing and reads no contents.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui.core.model import FILE_NAMES
from memtui.disk.backups import is_copy_name
from memtui.disk.files import FileIdentity, identity_of
from memtui.disk.homes import Home

CONFIG_FILE: Final = "config.yaml"
SESSION_FILES: Final = ("state.db", "state.db-wal")
"""The agent's record of its sessions; a running agent writes it all the time."""

PENDING: Final = Path("pending") / "memory"
"""Where Hermes 0.19 stages writes, under the root."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a home."""

    files: Mapping[str, FileIdentity | None]
    """By name: `MEMORY.md`, `MEMORY.md.bak.1764500000`, `config.yaml`, `pending/memory/ab12.json` …; what lies beside
    the home by its whole path.
    """
    folders: Mapping[Path, tuple[int, int] | None]
    """Device and inode of every folder that counts, None where there is none."""

    def changed_since(self, before: Sight) -> frozenset[str]:
        """Names of the files that came, went or changed."""
        names = self.files.keys() | before.files.keys()
        return frozenset(name for name in names if self.files.get(name) != before.files.get(name))


def look(home: Home, beside: Collection[Path] = ()) -> Sight:
    """Look at a home and at files `beside` it. Never raises: what cannot be seen is not there."""
    places = {name: home.root / name for name in (CONFIG_FILE, *SESSION_FILES)}
    places |= {name: home.memories / name for name in _names_in(home.memories) if _is_memory(name)}
    pending = home.root / PENDING
    places |= {
        f"{PENDING.as_posix()}/{name}": pending / name for name in _names_in(pending) if _is_staged(name)
    }
    places |= {os.fspath(file): file for file in beside}
    return Sight(
        {name: identity_of(place) for name, place in places.items()},
        {folder: _folder_identity(folder) for folder in folders_of(home, beside)},
    )


def folders_of(home: Home, beside: Collection[Path] = ()) -> frozenset[Path]:
    """Every folder in which something of a home, or a file beside it, can change, those not there included.

    The folder above the memories shows when they are removed and made again; for a linked file its real
    folder counts.
    """
    linked = (home.memories / name for name in FILE_NAMES.values())
    real = {Path(os.path.realpath(file)).parent for file in linked if os.path.islink(file)}
    others = {*real, *(file.parent for file in beside)}
    return frozenset({home.memories, home.memories.parent, home.root, home.root / PENDING, *others})


def names_of(paths: Iterable[str], home: Home, beside: Collection[Path] = ()) -> frozenset[str]:
    """What reported changes of these paths concern: names as in `Sight.files`, "" for a folder that counts.

    Locks, temporary files and the agent's busy database concern nothing.
    """
    linked = {os.path.realpath(home.memories / name): name for name in FILE_NAMES.values()}
    linked |= {os.fspath(file): os.fspath(file) for file in beside}
    folders = folders_of(home, beside)
    # A folder that is not there yet shows by the first of its missing parents.
    above = {os.fspath(place) for folder in folders for place in (folder, *folder.parents)}
    found = (_name_of(path, home) or linked.get(path) or ("" if path in above else None) for path in paths)
    return frozenset(name for name in found if name is not None)


def _name_of(path: str, home: Home) -> str | None:
    folder, name = os.path.split(path)
    if folder == os.fspath(home.memories) and _is_memory(name):
        return name
    if folder == os.fspath(home.root) and name == CONFIG_FILE:
        return name
    if folder == os.fspath(home.root / PENDING) and _is_staged(name):
        return f"{PENDING.as_posix()}/{name}"
    return None


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_memory(name: str) -> bool:
    return any(name == file or is_copy_name(name, file) for file in FILE_NAMES.values())


def _is_staged(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _folder_identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino
