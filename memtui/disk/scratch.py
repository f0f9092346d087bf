"""A private temporary file for a text that goes through somebody else's editor, and is gone afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.core.errors import Unreadable, WriteFailed


@dataclass(frozen=True, slots=True)
class Scratch:
    """The file while it exists."""

    path: Path

    def read(self) -> str:
        """What stands there now. Raises Unreadable when it is gone or not UTF-8."""
        try:
            return self.path.read_bytes().decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise Unreadable("The editor did not write UTF-8; nothing was saved.") from None
        except OSError as error:
            raise Unreadable(f"The edited text cannot be read back: {error.strerror}. Nothing was saved.") from None


@contextmanager
def scratch_file(text: str) -> Iterator[Scratch]:
    """A file with this text, 0600, removed at the end. Raises WriteFailed when it cannot be made."""
    try:
        # mkstemp makes it 0600; `.md` tells the editor what it is.
        handle, name = tempfile.mkstemp(prefix="memtui-entry-", suffix=".md")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise WriteFailed(f"No temporary file could be made: {error.strerror}. Nothing was saved.") from None
    try:
        yield Scratch(Path(name))
    finally:
        with suppress(OSError):
            os.unlink(name)
