"""Telling local folders from those that others can change unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.disk.mounts import file_system_of, remote_file_system

TABLE = r"""21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:40 / /home rw,relatime - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/local rw - tmpfs tmpfs rw
32 21 0:42 / /mnt/my\040share rw - cifs //server/share rw
33 21 254:0 /x /mnt/twice rw - ext4 /dev/vda rw
34 33 0:43 / /mnt/twice rw - fuse.sshfs me@host:/ rw
broken line
"""


@pytest.mark.parametrize(
    ("real", "kind"),
    [
        ("/", "ext4"),
        ("/srv/agent", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/.hermes", "nfs4"),
        ("/homework", "ext4"),
        ("/home/local/x", "tmpfs"),
        ("/mnt/my share/x", "cifs"),
        ("/mnt/twice/x", "fuse.sshfs"),
    ],
)
def test_the_nearest_and_latest_mount_counts(real: str, kind: str) -> None:
    assert file_system_of(real, TABLE) == kind


def test_an_ordinary_folder_is_local(tmp_path: Path) -> None:
    assert remote_file_system(tmp_path) == ""
    assert remote_file_system(tmp_path / "not there") == ""
