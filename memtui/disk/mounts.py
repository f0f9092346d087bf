"""On what kind of file system a folder lies, as far as Linux tells.

Only reads the kernel's table of mounts; elsewhere every folder counts as local.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_TABLE: Final = Path("/proc/self/mountinfo")

_REMOTE: Final = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "9p", "virtiofs", "vboxsf", "prl_fs",
        "lustre", "gpfs", "beegfs", "ocfs2", "gfs2", "coda", "davfs", "drvfs", "fakeowner", "fuse.grpcfuse",
        "fuse.osxfs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.vmhgfs-fuse",
        "fuse.gvfsd-fuse", "fuse.davfs2", "fuse.portal",
    }
)  # fmt: skip
"""What others change without this kernel hearing of it: network file systems and folders of a virtual
machine's host.
"""


def remote_file_system(folder: Path) -> str:
    """The kind of file system (`nfs4`) when others can change the folder unnoticed; "" otherwise or when
    unknown.
    """
    try:
        table = _TABLE.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    kind = file_system_of(os.path.realpath(folder), table)
    return kind if kind in _REMOTE else ""


def file_system_of(real: str, table: str) -> str:
    """The kind of file system on which a real path lies, by a table like `/proc/self/mountinfo`."""
    best, kind = -1, ""
    for line in table.splitlines():
        # `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: the mount point is the fifth word.
        before, _, after = line.partition(" - ")
        words = before.split(" ")
        if len(words) < 5 or not after:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), words[4])
        # Of two mounts on one point the later covers the earlier.
        if len(point) >= best and _is_under(real, point):
            best, kind = len(point), after.split(" ")[0]
    return kind


def _is_under(real: str, point: str) -> bool:
    return real == point or real.startswith(f"{point.rstrip('/')}/")
