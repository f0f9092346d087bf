"""From a path, or nothing, to a store: finds the home, reads its configuration, reads both files."""

from __future__ import annotations

import os
from pathlib import Path

from memtui.disk.homes import find_home
from memtui.disk.settings import read_settings
from memtui.store import LOCK_WAIT_S, MemoryStore

PI_MEMORY = Path(".my_agent_core") / "memory"


def open_store(
    path: Path | str | None = None,
    *,
    memory_char_limit: int | None = None,
    user_char_limit: int | None = None,
    flavour: str | None = None,
    history_db: Path | None = None,
    read_only: bool = False,
    wait_s: float = LOCK_WAIT_S,
) -> MemoryStore:
    """A loaded store on `path` (a home, a memories folder or a file), or on the home that is found (DESIGN §9).

    Arguments beat the home's configuration, the configuration beats the defaults. Raises NotFound when no home is
    named and none is found, InvalidArgument for a useless limit; never for the state of a file.
    """
    named = None if path is None else str(path)
    home = find_home(named, os.environ, Path.cwd(), Path.home())
    settings = read_settings(home)
    store = MemoryStore(
        home.memories,
        settings.limits["memory"] if memory_char_limit is None else memory_char_limit,
        settings.limits["user"] if user_char_limit is None else user_char_limit,
        home=home,
        settings=settings,
        flavour=flavour or home.flavour,
        history_db=history_db,
        read_only=read_only,
        wait_s=wait_s,
    )
    store.load_from_disk()
    return store


def resolve_memory_dir(value: Path | str | bool | None, cwd: Path | str) -> Path | None:
    """The folder an embedded agent uses, None for no memory (my-pi-agent's three ways).

    None looks for `<cwd>/.my_agent_core/memory` and means off when it is absent; False means off (a sub-agent); a
    path means that folder, there or not.
    """
    if value is None:
        found = Path(cwd) / PI_MEMORY
        return found if found.is_dir() else None
    if isinstance(value, bool):
        return Path(cwd) / PI_MEMORY if value else None
    return Path(value).expanduser()
