"""The disk layer loads and writes where Unix' own modules are missing, as on Windows."""

from __future__ import annotations

from pathlib import Path


def test_files_are_written_and_read_without_fcntl_and_pwd(tmp_path: Path, run_python) -> None:
    said = run_python(
        """
import os, sys
for name in ("fcntl", "pwd", "grp", "resource"):
    sys.modules[name] = None
for name in ("fchown", "fchmod", "chown", "getxattr", "listxattr", "setxattr", "statvfs"):
    if hasattr(os, name): delattr(os, name)
for name in ("O_NONBLOCK", "O_NOFOLLOW"):
    if hasattr(os, name): delattr(os, name)
from pathlib import Path
from memtui.disk import backups, exchange, files, holders, homes, leftovers, lock, settings, sight
from memtui.disk.atomic import replace_file
def no_swap(*_): raise exchange.SwapUnsupported(38, "not on this system")
exchange._rename = no_swap
path = Path(sys.argv[1], "memories", "MEMORY.md")
kept = []
replace_file(path, b"Alpha", expected=None, keep=lambda *what: kept.append(what))
replace_file(path, b"Beta", expected=b"other", keep=lambda *what: kept.append(what))
print(files.read_state(path).raw_bytes, kept, os.listdir(path.parent))
""",
        tmp_path,
    )

    assert said == "b'Beta' [(b'Alpha', 'displaced')] ['MEMORY.md']\n"
