"""A private temporary file for a text that goes through somebody else's editor.

It is gone afterwards, unless it holds what was written there and nobody could take it over.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.core.errors import Unreadable, WriteFailed
from memtui.disk.faults import reason_of, shown


@dataclass(slots=True)
class Scratch:
    """The file while it exists."""

    path: Path
    given_bytes: bytes
    """What the editor was given."""
    was_read: bool = False
    """True once what stands there has been taken over."""

    def read(self) -> str:
        """What stands there now. Raises Unreadable when it is gone or not UTF-8."""
        try:
            text = self.path.read_bytes().decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise Unreadable(f"The editor did not write UTF-8; nothing was saved. {self.kept}".rstrip()) from None
        except OSError as error:
            why = f"The edited text cannot be read back: {reason_of(error)}. Nothing was saved. {self.kept}"
            raise Unreadable(why.rstrip()) from None
        self.was_read = True
        return text

    @property
    def kept(self) -> str:
        """Where what was written is kept, as a sentence; "" when there is nothing that somebody may miss."""
        return f"What was written is kept in {shown(self.path)}." if self._is_missed else ""

    @property
    def _is_missed(self) -> bool:
        if self.was_read:
            return False
        try:
            return self.path.read_bytes() != self.given_bytes
        except OSError:
            return self.path.exists()


@contextmanager
def scratch_file(text: str) -> Iterator[Scratch]:
    """A file with this text, 0600, removed at the end unless it was edited and not read.

    Raises WriteFailed when it cannot be made.
    """
    given_bytes = text.encode("utf-8", "surrogateescape")
    try:
        # mkstemp makes it 0600; `.md` tells the editor what it is.
        handle, name = tempfile.mkstemp(prefix="memtui-entry-", suffix=".md")
        with os.fdopen(handle, "wb") as file:
            file.write(given_bytes)
    except OSError as error:
        raise WriteFailed(f"No temporary file could be made: {reason_of(error)}. Nothing was saved.") from None
    scratch = Scratch(Path(name), given_bytes)
    try:
        yield scratch
    finally:
        if not scratch.kept:
            with suppress(OSError):
                os.unlink(name)
