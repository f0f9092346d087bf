"""Which agent's home is meant, and which homes there are.

Follows Hermes 0.19 where it looks for one. Never makes a folder, and never lets a name that a file holds
lead out of the folder of profiles.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from memtui.core.errors import NotFound
from memtui.core.model import FILE_NAMES
from memtui.disk.faults import shown
from memtui.disk.files import read_state, real_path
from memtui.disk.whereabouts import openable

Flavour = Literal["hermes", "pi"]

PI_ROOT: Final = ".my_agent_core"
PI_MEMORIES: Final = "memory"
HERMES_ROOT: Final = ".hermes"
HERMES_MEMORIES: Final = "memories"
DEFAULT_PROFILE: Final = "default"
PROFILES: Final = "profiles"
"""The folder in a root that holds its profiles."""

PROFILE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""Hermes' own rule for the name of a profile (its `profiles` module)."""

_HOME_SIGNS: Final = ("config.yaml", "state.db", "SOUL.md", "profiles", "sessions", "active_profile")
"""What lies in a Hermes home beside its memories."""


@dataclass(frozen=True, slots=True)
class Home:
    """A folder that holds one agent's data."""

    root: Path
    """Where its configuration and its staged writes lie."""
    memories: Path
    """The folder of MEMORY.md and USER.md; need not exist."""
    flavour: Flavour = "hermes"
    profile: str = ""
    """The profile's name, "default" for a Hermes root; empty where there are no profiles."""
    is_named: bool = False
    """True when a person or `HERMES_HOME` named it: then it need not exist."""


def is_absent(home: Home) -> bool:
    """True when nothing stands where the home would be; a place that cannot be looked at may be one."""
    try:
        os.stat(home.root)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def find_home(named: str | None, env: Mapping[str, str], cwd: Path, user_home: Path) -> Home:
    """The home to open: the named one, `HERMES_HOME`, the active profile, `~/.hermes`,
    `./.my_agent_core/memory`.

    Where `HERMES_HOME` is a root, its active profile is meant, as Hermes does it. `named` is a path (a home, a
    memories folder, a file). Raises NotFound when nothing is named and none of them is there, or when `named` is a
    file that is no memory.
    """
    if named:
        return resolve_home(expand(named, cwd, user_home), is_named=True)
    if from_env := env.get("HERMES_HOME", "").strip():
        return resolve_home(_followed(expand(from_env, cwd, user_home)), is_named=True)
    root = default_root(env, user_home)
    if os.path.isdir(root):
        return _hermes_home(_active_root(root))
    pi = cwd / PI_ROOT / PI_MEMORIES
    if os.path.isdir(pi):
        return resolve_home(pi)
    raise NotFound(
        f"No memory found: neither {shown(root)} nor {shown(pi)} is there, and HERMES_HOME is not set. "
        "Name a home (`memtui PATH`), or try `memtui demo`.",
        {"looked_in": [os.fspath(root), os.fspath(pi)]},
    )


def expand(path: str, cwd: Path, user_home: Path) -> Path:
    """An absolute path; a leading `~` means the user's home also where no shell replaced it.

    Raises NotFound in a removed working folder, InvalidArgument for what is no path.
    """
    place = cwd / openable(path)
    if path == "~" or path.startswith(("~/", f"~{os.sep}")):
        place = user_home / path[2:]
    if not place.is_absolute():
        raise NotFound(
            f"{shown(path)} leads nowhere: the folder in which this program works has been removed. "
            "Change to a folder that is there, or give the full path.",
            {"path": path},
        )
    # Only the system knows what is above a link; without `..` the path stays as the person wrote it.
    return real_path(place) if ".." in place.parts else place


def default_root(env: Mapping[str, str], user_home: Path) -> Path:
    """Where Hermes keeps its data when nobody says otherwise."""
    if sys.platform == "win32":
        local = env.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else user_home / "AppData" / "Local") / "hermes"
    return user_home / HERMES_ROOT


def _followed(place: Path) -> Path:
    """What `HERMES_HOME` means to Hermes: a profile is itself, a root (in a container, say) its active profile."""
    return place if place.parent.name == PROFILES else _active_root(place)


def _active_root(root: Path) -> Path:
    """The folder of the profile that `hermes profile use` made the sticky one, or the root itself."""
    name = read_state(root / "active_profile", max_bytes=1024).raw_bytes.decode("utf-8", "replace")
    name = name.strip().lower()
    profile = root / PROFILES / name
    is_safe = name != DEFAULT_PROFILE and PROFILE_NAME.fullmatch(name) is not None
    return profile if is_safe and os.path.isdir(profile) else root


def resolve_home(path: Path, *, is_named: bool = False) -> Home:
    """The home that a path means: a home, a memories folder, or a file in one; none need exist.

    Raises NotFound for a file that is neither a memory nor lies beside one.
    """
    if path.name in FILE_NAMES.values() or os.path.isfile(path):
        return home_of_memories(_folder_of_file(path), is_named=is_named)
    for place in (path, real_path(path)):
        if place.name == PI_ROOT:
            return Home(place, place / PI_MEMORIES, "pi", is_named=is_named)
        if place.parent.name == PI_ROOT or place.name == HERMES_MEMORIES:
            return home_of_memories(path, is_named=is_named)
    inner = _home_inside(path)
    if inner is not None:
        return resolve_home(inner, is_named=is_named)
    if _holds_memory(path) and not os.path.isdir(path / HERMES_MEMORIES):
        return home_of_memories(path, is_named=is_named)
    return _hermes_home(path, is_named=is_named)


def home_of_memories(memories: Path, *, is_named: bool = False) -> Home:
    """The home to which a folder of memory files belongs: the one around it, or itself for a copy."""
    for place in (
        memories,
        real_path(memories),
    ):  # a link to a memories folder means the home that one lies in
        if place.parent.name == PI_ROOT:
            return Home(place.parent, place, "pi", is_named=is_named)
        if place.name == HERMES_MEMORIES:
            return _hermes_home(place.parent, is_named=is_named)
    return Home(memories, memories, flavour_of(memories), is_named=is_named)


def _folder_of_file(path: Path) -> Path:
    if path.name in FILE_NAMES.values() or _holds_memory(path.parent):
        return path.parent
    raise NotFound(
        f"{shown(path)} is no memory: memtui opens MEMORY.md or USER.md, the folder they lie in, "
        "or an agent's home.",
        {"path": os.fspath(path)},
    )


def _home_inside(folder: Path) -> Path | None:
    """The agent's home right inside a project or a user's folder, when the folder itself is none."""
    if os.path.isdir(folder / HERMES_MEMORIES) or _holds_memory(folder) or has_home_signs(folder):
        return None
    inner = (folder / PI_ROOT / PI_MEMORIES, folder / HERMES_ROOT)
    return next((place for place in inner if os.path.isdir(place)), None)


def _holds_memory(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in FILE_NAMES.values())


def has_home_signs(folder: Path) -> bool:
    """True when something that only an agent's home holds lies in the folder."""
    return any(os.path.lexists(folder / sign) for sign in _HOME_SIGNS)


def _hermes_home(root: Path, *, is_named: bool = False) -> Home:
    profile = root.name if root.parent.name == PROFILES else DEFAULT_PROFILE
    return Home(root, root / HERMES_MEMORIES, flavour_of(root), profile, is_named)


def flavour_of(folder: Path) -> Flavour:
    """The flavour of the agent whose data lies in a folder, told by its path."""
    return "pi" if PI_ROOT in folder.parts else "hermes"


Refused = Callable[[Path, OSError], None]
"""Told of a folder that could not be looked into."""


def ignored(folder: Path, error: OSError) -> None:
    """For who does not ask what could not be looked into."""


def known_homes(
    env: Mapping[str, str], cwd: Path, user_home: Path, refused: Refused = ignored
) -> Iterator[Home]:
    """The homes that can be found without a search: `HERMES_HOME`, the roots, their profiles,
    `./.my_agent_core`.
    """
    named = env.get("HERMES_HOME", "").strip()
    if named:
        home = resolve_home(_followed(expand(named, cwd, user_home)), is_named=True)
        yield home
        if home.flavour == "hermes":
            is_profile = home.root.parent.name == PROFILES
            yield from with_profiles(home.root.parent.parent if is_profile else home.root, refused)
    root = default_root(env, user_home)
    yield from with_profiles(root, refused)
    pi = cwd / PI_ROOT / PI_MEMORIES
    if os.path.isdir(pi):
        yield resolve_home(pi)


def with_profiles(root: Path, refused: Refused = ignored) -> Iterator[Home]:
    """The home of a Hermes root and those of its profiles, by name; nothing when the root is not there."""
    if not os.path.isdir(root):
        return
    yield _hermes_home(root)
    try:
        with os.scandir(root / PROFILES) as entries:
            names = sorted(entry.name for entry in entries if os.path.isdir(entry.path))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        refused(root / PROFILES, error)
        return
    for name in names:
        if name != DEFAULT_PROFILE and PROFILE_NAME.fullmatch(name):
            yield _hermes_home(root / PROFILES / name)
