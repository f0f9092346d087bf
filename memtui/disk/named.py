"""Reads what a person named to have it looked at: a file, a pipe, a device. It waits for a pipe as `cat` does.

Memory files are read elsewhere (`files`), where nothing that is no file is ever opened.
"""

from __future__ import annotations

from pathlib import Path

from memtui.core.errors import NotFound, Unreadable
from memtui.disk.faults import reason_of, remedy_of, shown


def read_named(path: Path, max_bytes: int) -> bytes:
    """All that can be read there. Raises NotFound, or Unreadable for a folder and for more than `max_bytes`."""
    place = {"path": str(path)}
    try:
        with open(path, "rb") as stream:
            raw_bytes = stream.read(max_bytes + 1)
    except FileNotFoundError:
        raise NotFound(f"{shown(path)} is not there.", place) from None
    except IsADirectoryError:
        words = f"{shown(path)} is a folder. Name a file; `memtui audit` looks through an agent's home."
        raise Unreadable(words, place) from None
    except ValueError:  # a NUL in the path
        raise Unreadable(f"{shown(path)} is not a path the system can open.", place) from None
    except OSError as error:
        raise Unreadable(f"{shown(path)} cannot be read: {reason_of(error)}. {remedy_of(error)}", place) from None
    if len(raw_bytes) > max_bytes:
        raise Unreadable(f"{shown(path)} is longer than {max_bytes:,} bytes; nothing was scanned.", place)
    return raw_bytes
