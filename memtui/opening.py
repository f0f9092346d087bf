"""From a path, or nothing, to a store: finds the home, reads its configuration, reads both files."""

from __future__ import annotations

import os
from pathlib import Path

from memtui.disk.homes import Home, find_home, resolve_home
from memtui.disk.settings import read_settings
from memtui.disk.whereabouts import openable, user_home, working_folder
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
    """A loaded store on `path` (a home, a memories folder or a file), or on the home that is found.

    Arguments beat the home's configuration, the configuration beats the defaults. Raises NotFound when no home is
    named and none is found, InvalidArgument for a useless limit; never for the state of a file.
    """
    named = None if path is None else str(path)
    return open_home(
        find_home(named, os.environ, working_folder(), user_home()),
        memory_char_limit=memory_char_limit,
        user_char_limit=user_char_limit,
        flavour=flavour,
        history_db=history_db,
        read_only=read_only,
        wait_s=wait_s,
    )


def open_home(
    home: Home,
    *,
    memory_char_limit: int | None = None,
    user_char_limit: int | None = None,
    flavour: str | None = None,
    history_db: Path | None = None,
    read_only: bool = False,
    wait_s: float = LOCK_WAIT_S,
) -> MemoryStore:
    """A loaded store on a home that was found; the rest as in `open_store`."""
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


def home_of(store: MemoryStore) -> Home:
    """The home that a store is on, found by its folder when it was opened without one."""
    return store.home or resolve_home(store.memories)


def resolve_memory_dir(value: Path | str | bool | None, cwd: Path | str) -> Path | None:
    """The folder an embedded agent uses, None for no memory (my-pi-agent's three ways).

    None looks for `<cwd>/.my_agent_core/memory` and means off when it is absent; False means off (a sub-agent); a
    path means that folder, there or not, a relative one below `cwd`. True means the folder that None looks for,
    there or not. Raises InvalidArgument for what is no path.
    """
    usual = Path(cwd) / PI_MEMORY
    if value is None:
        return usual if os.path.isdir(usual) else None
    if isinstance(value, bool):
        return usual if value else None
    return Path(cwd) / os.path.expanduser(openable(value))
