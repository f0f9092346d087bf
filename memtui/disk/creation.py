"""Makes private files and folders that belong to whom they should, whatever the umask.

New things take owner and group of the folder they lie in; files appear under their name whole or not at all.
Refuses to overwrite: what already stands there stays.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

from memtui.core.errors import WriteFailed
from memtui.disk.exchange import move_without_replacing
from memtui.disk.faults import reason_of, shown, write_failed

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600

UNGIVABLE: Final = frozenset({errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
"""EINVAL: an owner whom a container without root does not know. The others: not root, or no owners there at all."""


def temporary_prefix(file_name: str) -> str:
    """How the temporary files of the file of that name begin; a long name, up to 255 bytes, is digested."""
    if len(os.fsencode(file_name)) > 100:
        file_name = hashlib.sha256(os.fsencode(file_name)).hexdigest()[:16]
    return f".memtui_{file_name}_"


def temporary_name(file_name: str) -> str:
    """A fresh name for a file in the making that is to get that name: `.memtui_<file name>_<hex>.tmp`."""
    return f"{temporary_prefix(file_name)}{secrets.token_hex(6)}.tmp"


def make_folder(folder: Path) -> None:
    """Make the folder and every missing one above it: 0700 whatever the umask, owner and group of its parent.

    Raises WriteFailed.
    """
    missing: list[Path] = []
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        missing.append(place)
        place = place.parent
    if not place.is_dir():
        raise WriteFailed(
            f"The folder {shown(folder)} cannot be made: {shown(place)} is not a folder. "
            "Move it away or correct the link, then try again.",
            {"path": os.fspath(place)},
        )
    for part in reversed(missing):
        _make_one_folder(part)


def _make_one_folder(folder: Path) -> None:
    try:
        parent = os.stat(folder.parent)
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:  # another program made it first: its folder, its mode
        return
    except OSError as error:
        raise write_failed(error, folder, f"The folder {shown(folder.name)} was not made") from error
    with contextlib.suppress(PermissionError):  # FAT
        os.chmod(folder, FOLDER_MODE)
    _give_to(folder, parent.st_uid, parent.st_gid)
    sync_folder(folder.parent)  # a file that is safe on the disk is lost when its folder is not


def open_new(path: Path, mode: int = FILE_MODE) -> int:
    """Open a file that must not exist yet for writing; a descriptor. Private from the first moment on.

    Raises OSError (FileExistsError when anything stands there, a link included).
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode & FILE_MODE)
    try:
        set_mode(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        os.unlink(path)
        raise
    return descriptor


def set_mode(descriptor: int, mode: int) -> None:
    """Give an open file exactly these bits, where the file system has any (FAT answers EPERM)."""
    if hasattr(os, "fchmod"):
        with contextlib.suppress(PermissionError):
            os.fchmod(descriptor, mode)


def give_to_folder_owner(descriptor: int, folder: Path) -> None:
    """Give a new file the owner and group of its folder, as far as the system lets this user."""
    found = os.stat(folder)
    if not _give_to(descriptor, found.st_uid, found.st_gid):
        _give_to(descriptor, -1, found.st_gid)  # not root: the file stays ours, the group may still be one of ours


def _give_to(place: Path | int, user: int, group: int) -> bool:
    """Change owner and group, -1 for the one to be left; False when the system does not let this user."""
    if not hasattr(os, "chown"):
        return False
    try:
        os.chown(place, user, group)
    except OSError as error:
        if error.errno not in UNGIVABLE:
            raise
        return False
    return True


def write_whole(descriptor: int, raw_bytes: bytes) -> None:
    """Write all bytes and wait until the disk has them. Raises OSError."""
    left = memoryview(raw_bytes)
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)


def sync_folder(folder: Path) -> str:
    """Wait until the disk has the folder's names. Gives a sentence when it may not have, "" otherwise."""
    if os.name == "nt":
        return ""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # a folder that may be written and not listed
        return ""
    try:
        os.fsync(descriptor)
    except OSError as error:
        # FUSE and SMB have no fsync for folders and say so with one of these.
        if error.errno in (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOSYS):
            return ""
        return f"The change stands, but the disk did not confirm it for {shown(folder)}: {reason_of(error)}."
    finally:
        os.close(descriptor)
    return ""


def create_private(path: Path, raw_bytes: bytes, mode: int = FILE_MODE) -> None:
    """Make a file with exactly these bytes and this mode; it appears under its name whole or not at all.

    Raises FileExistsError when anything stands at the path, WriteFailed when the disk refuses.
    """
    temporary = path.parent / temporary_name(path.name)
    try:
        _fill(temporary, raw_bytes, mode)
        move_without_replacing(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise write_failed(error, path, f"{shown(path.name)} was not made", old_is_whole=False) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    sync_folder(path.parent)


def _fill(temporary: Path, raw_bytes: bytes, mode: int) -> None:
    descriptor = open_new(temporary)
    try:
        give_to_folder_owner(descriptor, temporary.parent)
        set_mode(descriptor, mode)
        write_whole(descriptor, raw_bytes)
    finally:
        os.close(descriptor)
