"""Mode, owner, group and extended attributes of a file that is about to be replaced by another.

Only copies and compares; the caller decides what to do when something cannot be kept.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import Final

_SIGNATURES: Final = frozenset({"security.ima", "security.evm"})
"""Made by the kernel for the very bytes; copied to others they would be wrong."""


def take_over(descriptor: int, found: os.stat_result, source: str) -> bool:
    """Give the new file mode, owner, group, ACL and attributes of `source`, which `stat` showed as `found`.

    False when something cannot be kept: a foreign owner without being root, an ACL the system refuses.
    """
    if not hasattr(os, "fchown"):
        return True
    ours = os.fstat(descriptor)
    try:
        if (ours.st_uid, ours.st_gid) != (found.st_uid, found.st_gid):
            os.fchown(descriptor, found.st_uid, found.st_gid)
        # After the owner: a change of owner drops bits. Before the ACL: the group's bits become its mask.
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
        _copy_attributes(source, descriptor)
    except PermissionError:
        return False
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.EINVAL):
            return False
        raise
    return True


if sys.platform == "linux":

    def _copy_attributes(source: str, descriptor: int) -> None:
        wanted = _attributes(source)
        for name, value in _attributes(descriptor).items():
            # A default ACL of the folder has given the new file rights that the old one did not grant.
            if name not in wanted and name.startswith("system.posix_acl"):
                os.removexattr(descriptor, name)
            elif wanted.get(name) == value:
                del wanted[name]
        for name, value in wanted.items():
            os.setxattr(descriptor, name, value)

    def _attributes(place: str | int) -> dict[str, bytes]:
        try:
            names = os.listxattr(place)
        except OSError as error:
            if error.errno == errno.ENOTSUP:
                return {}
            raise
        return {name: os.getxattr(place, name) for name in names if name not in _SIGNATURES}

else:

    def _copy_attributes(source: str, descriptor: int) -> None:
        """Nothing to copy with what the standard library offers here."""
