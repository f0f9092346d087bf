"""One write under the lock: keep both sides, replace the file, say what a person should know.

The caller holds the lock and has re-read the file; nothing is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui.core.change import Change
from memtui.core.codec import parse, render
from memtui.core.errors import InvalidArgument
from memtui.core.model import MemoryFile
from memtui.core.visible import visible_text
from memtui.disk.atomic import DISPLACED, replace_file
from memtui.disk.files import real_path
from memtui.disk.inplace import BEFORE
from memtui.disk.leftovers import sweep_temporaries
from memtui.store.recorder import Recorder

NEW_FILE_MODE = 0o600


def write_change(
    file: MemoryFile, mode: int | None, change: Change, recorder: Recorder, source: str
) -> Change:
    """Write a checked change over the file it was built from; the change with what happened in its notices.

    Raises WriteFailed, the old file whole, and InvalidArgument for texts that would not be read back as they are.
    """
    path = Path(file.path)
    real, kept_mode = real_path(path), mode or NEW_FILE_MODE
    new_bytes = _new_bytes(file, change)
    if not change.wrote or (file.exists and new_bytes == file.raw):
        if change.undoes or change.redoes:
            recorder.settle(
                recorder.begin(real, kept_mode, file.raw, new_bytes, change, source), written=True
            )
            recorder.forget_step(change)
        return replace(change, wrote=False)

    keeper = _Keeper(real, kept_mode, recorder, file.raw)
    announced = recorder.begin(real, kept_mode, file.raw, new_bytes, change, source)
    written = False
    try:
        # Beside a link lie the agent's, beside the real file ours.
        places = dict.fromkeys((path.parent, real.parent))
        swept = [name for place in places for name in sweep_temporaries(place, keeper.keep, locked=real)]
        told = replace_file(path, new_bytes, expected=file.raw if file.exists else None, keep=keeper.keep)
        written = True
    finally:
        recorder.settle(announced, written=written)
    recorder.forget_step(change)
    left_over = (f"A left-over temporary file was kept in history and removed: {name}." for name in swept)
    of_history = filter(None, (recorder.problem, recorder.tell_dropped()))
    notices = (*change.notices, *keeper.notices, *told, *left_over, *of_history)
    return replace(change, notices=tuple(dict.fromkeys(notices)))


def _new_bytes(file: MemoryFile, change: Change) -> bytes:
    if not change.wrote:
        return file.raw  # an undo that finds nothing left to do is noted, and touches nothing
    if change.raw_bytes is not None:
        return change.raw_bytes
    try:
        new_bytes = render(change.texts, file.document.newline, file.document.final_newline)
    except UnicodeEncodeError:
        new_bytes = b""
    if parse(new_bytes).texts != change.texts:
        raise InvalidArgument(
            f"{visible_text(Path(file.path).name)} was not written: its entries would be others when they are read "
            "again. A text that is blank at its ends, is not encodable, or has a line with nothing but § is no entry."
        )
    return new_bytes


@dataclass(slots=True)
class _Keeper:
    """Keeps bytes that leave the folder while a file is written."""

    real: Path
    mode: int
    recorder: Recorder
    begun_bytes: bytes
    """What `begin` holds already."""
    notices: list[str] = field(default_factory=list)

    def keep(self, raw_bytes: bytes, why: str) -> None:
        if why == BEFORE and raw_bytes == self.begun_bytes:
            return
        is_displaced = why in (DISPLACED, BEFORE)
        self.recorder.keep(self.real, self.mode, raw_bytes, "displaced" if is_displaced else "left_over", why)
        if is_displaced:
            self.notices.append(
                f"Another program wrote {visible_text(self.real.name)} at the same moment. What it wrote is kept in "
                "the history, not in the file: look there, or the agent will not know it."
            )
