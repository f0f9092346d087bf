"""Words for what the operating system refuses: what happened, to which path, what to do about it.

Refuses to decide anything: it turns an `OSError` into a sentence and never touches more than a `stat`.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

from memtui.core.errors import WriteFailed
from memtui.core.visible import visible_text


def _known(words: dict[str, tuple[str, str]]) -> dict[int, tuple[str, str]]:
    """Error numbers by name; those this system does not know (EDQUOT on Windows) are left out."""
    return {getattr(errno, name): said for name, said in words.items() if hasattr(errno, name)}


_WORDS: Final = _known(
    {
        "ENOSPC": ("no space is left on the disk", "Free some space, then try again."),
        "EDQUOT": ("the disk quota is used up", "Free some space or ask for more, then try again."),
        "EROFS": ("the file system is read-only", "Mount it writable, or work on a copy."),
        "EACCES": ("permission denied", "Ask the owner for access, or run as the owner."),
        "EPERM": ("the system does not permit it", "See whether it is immutable (`lsattr`) or foreign."),
        "EISDIR": ("a folder stands in its place", "Move the folder away, then try again."),
        "ENOTDIR": ("a part of the path is a file, not a folder", "Check the path."),
        "ENOENT": ("the folder has vanished", "Make the folder again, then try again."),
        "EIO": ("the disk reported an input/output error", "Check the device before trusting it with more."),
        "ELOOP": ("its symbolic links lead in a circle", "Remove or correct the link."),
        "ENAMETOOLONG": ("the name is too long for the file system", "Use a shorter path."),
        "EBUSY": ("the system is using it (a mount point, for one)", "Unmount it, or try again later."),
        "ETXTBSY": ("the system is using it", "Try again later."),
        "EMFILE": ("too many files are open in this process", "Close some, then try again."),
        "ENFILE": ("too many files are open on this system", "Try again later."),
        "ESTALE": ("the network file system lost track of it", "Mount it again, then try again."),
        "ENOMEM": ("the system is out of memory", "Try again later."),
        "EFBIG": ("it would be larger than the system allows", "Raise the limit (`ulimit -f`)."),
        "EINVAL": ("the file system does not take the name or the request", "Check the path."),
        "ENOLCK": ("the file system has no locks to give", "Keep the memory on a local disk."),
        "ENOSYS": ("the system does not support it here", "Keep the memory on a local disk."),
        "ENOTSUP": ("the file system does not support it", "Keep the memory on a local disk."),
        "EOPNOTSUPP": ("the file system does not support it", "Keep the memory on a local disk."),
    }
)


def shown(path: str | os.PathLike[str]) -> str:
    """The path as text that is safe to draw: a file's name is untrusted, too."""
    return visible_text(os.fspath(path))


def reason_of(error: OSError) -> str:
    """What happened, as a clause without a full stop."""
    known = _WORDS.get(error.errno or 0)
    return known[0] if known else visible_text(error.strerror or str(error) or type(error).__name__)


def remedy_of(error: OSError) -> str:
    """What a person can do about it, as a sentence; empty when nothing better than trying again is known."""
    return _WORDS.get(error.errno or 0, ("", "Try again."))[1]


def owner_and_mode(found: os.stat_result) -> str:
    """`Owner alice, mode 0600.`: what a person needs to see why access is denied."""
    return f"Owner {_user_name(found.st_uid)}, mode {stat.S_IMODE(found.st_mode):04o}."


def _user_name(uid: int) -> str:
    try:
        import pwd

        return f"{visible_text(pwd.getpwuid(uid).pw_name)} ({uid})"
    except (ImportError, KeyError):  # no such table on Windows; no such user in a container
        return str(uid)


def access_words(path: Path) -> str:
    """Owner and mode of the path, or of the folder on the way that keeps us from looking; "" if none does."""
    for place in (path, *path.parents):
        try:
            return owner_and_mode(os.stat(place)) if place == path else _folder_words(place)
        except OSError:
            continue
    return ""


def _folder_words(folder: Path) -> str:
    return f"Its folder {shown(folder)}: {owner_and_mode(os.stat(folder)).lower()}"


def write_failed(error: OSError, path: Path, what: str, *, old_is_whole: bool = True) -> WriteFailed:
    """The refusal for a write that the system stopped.

    `what` says what was to happen and did not, as a clause ("USER.md was not written"). `data` has `path` and
    `errno` (the symbolic name).
    """
    denied = error.errno in (errno.EACCES, errno.EPERM)
    parts = [
        f"{what}: {reason_of(error)} ({shown(path)}).",
        "The old file is whole." if old_is_whole else "",
        access_words(path if path.exists() else path.parent) if denied else "",
        remedy_of(error),
    ]
    name = errno.errorcode.get(error.errno or 0, "")
    return WriteFailed(" ".join(part for part in parts if part), {"path": os.fspath(path), "errno": name})
