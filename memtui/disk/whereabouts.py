"""Where this process works and where its user is at home, also when the system does not tell.

A removed working folder or a user without a home is no reason to stop; a path that hangs on one is refused later.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from memtui.core.errors import InvalidArgument
from memtui.core.visible import visible_text

REMOVED: Final = Path("(removed working folder)")

NOWHERE: Final = Path(os.devnull)
"""Nothing can be read or made below it."""


def working_folder() -> Path:
    """The working folder; a path that is not absolute when it has been removed."""
    try:
        return Path.cwd()
    except OSError:
        return REMOVED


def user_home() -> Path:
    """The user's home; a place below `NOWHERE` when neither HOME nor the system's table of users names one."""
    return fixed("~")


def openable(place: str | Path) -> str | Path:
    """The place itself. Raises InvalidArgument when no system could open it: for a NUL, or half of a character."""
    try:
        is_openable = b"\0" not in os.fsencode(place)
    except UnicodeEncodeError:
        is_openable = False
    if not is_openable:
        raise InvalidArgument(f"{visible_text(str(place))} is no path that the system can open; nothing was changed.")
    return place


def fixed(place: str | Path) -> Path:
    """The place as an absolute path, which no change of the working folder moves; a leading `~` is the user's home.

    What hangs on a home or a working folder that is not there lies below `NOWHERE`: never in whatever folder the
    process happens to be in, where others may have put a file of that name.
    """
    path = Path(os.path.expanduser(place))
    if str(path).startswith("~"):
        return NOWHERE / path
    whole = working_folder() / path
    return whole if whole.is_absolute() else NOWHERE / path
