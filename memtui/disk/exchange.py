"""Renames that lose nothing: swap two files, or move one only where nothing stands.

The plain rename drops whatever another program put under the name a moment ago. Refuses to fall back by
itself to a rename that drops: where the system cannot swap, it says so.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
from pathlib import Path
from typing import Final

_LINUX_NOREPLACE: Final = 1
_LINUX_EXCHANGE: Final = 2
_MAC_SWAP: Final = 2
_MAC_EXCL: Final = 4
_AT_FDCWD: Final = -100

_RENAMEAT2: Final = {
    "x86_64": 316, "aarch64": 276, "riscv64": 276, "loongarch64": 276, "i386": 353, "i686": 353,
    "armv6l": 382, "armv7l": 382, "ppc64le": 357, "ppc64": 357, "s390x": 347,
}  # fmt: skip
"""System call numbers, for C libraries without the function (musl): the kernel's own tables."""

# EINVAL: the file system cannot (NFS, some FUSE). EPERM: seccomp filters answer it for calls they do not
# know.
_CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})


class SwapUnsupported(OSError):
    """This system, or this file system, cannot do the rename that loses nothing."""


def exchange(one: Path, other: Path) -> None:
    """Swap two existing files in one step. Raises SwapUnsupported, or OSError (FileNotFoundError: one is
    gone).
    """
    _rename(one, other, _LINUX_EXCHANGE, _MAC_SWAP)


def move_without_replacing(source: Path, goal: Path) -> None:
    """Rename, but only when nothing stands at the goal. Raises FileExistsError, or another OSError.

    Where the kernel cannot, a second name is made and the first dropped, which is exclusive as well; where
    there are no second names either, a look before the rename must do.
    """
    try:
        _rename(source, goal, _LINUX_NOREPLACE, _MAC_EXCL)
    except SwapUnsupported:
        _link_and_drop(source, goal)


def _link_and_drop(source: Path, goal: Path) -> None:
    try:
        os.link(source, goal)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(goal):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(goal)) from None
        os.rename(source, goal)
    else:
        os.unlink(source)


def _rename(source: Path, goal: Path, linux_flags: int, mac_flags: int) -> None:
    import ctypes

    names = os.fsencode(source), os.fsencode(goal)
    if sys.platform.startswith("linux"):
        code = _linux_rename(names, linux_flags)
    elif sys.platform == "darwin":
        code = ctypes.CDLL(None, use_errno=True).renamex_np(*names, ctypes.c_uint(mac_flags))
    else:
        raise SwapUnsupported(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if code:
        number = ctypes.get_errno()
        kind = SwapUnsupported if number in _CANNOT else OSError
        raise kind(number, os.strerror(number), os.fspath(source), None, os.fspath(goal))


def _linux_rename(names: tuple[bytes, bytes], flags: int) -> int:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    arguments = (
        ctypes.c_int(_AT_FDCWD), ctypes.c_char_p(names[0]),
        ctypes.c_int(_AT_FDCWD), ctypes.c_char_p(names[1]), ctypes.c_uint(flags),
    )  # fmt: skip
    if hasattr(library, "renameat2"):
        return int(library.renameat2(*arguments))
    number = _RENAMEAT2.get(platform.machine())
    if number is None:
        ctypes.set_errno(errno.ENOSYS)
        return -1
    return int(library.syscall(ctypes.c_long(number), *arguments))
