"""An entry in $VISUAL or $EDITOR and back, with the app suspended meanwhile.

The text lies in a private temporary file of the disk layer, and stays there when it cannot be taken over. It runs the
program that the person chose, split as a shell would split it, and never a shell.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual.app import App, SuspendNotSupported

from memtui.core.errors import MemoryRefused
from memtui.view.texts import NO_EDITOR, editor_failed

RunEditor = Callable[[list[str]], int]


@dataclass(frozen=True, slots=True)
class EditedText:
    """What came back: the text, or why there is none."""

    text: str = ""
    problem: str = ""


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """The words of $VISUAL or $EDITOR; [] when neither can be read."""
    for name in ("VISUAL", "EDITOR"):
        if value := environment.get(name, "").strip():
            try:
                return shlex.split(value)
            except ValueError:
                return []
    return []


def edit_text(app: App[None], text: str, run: RunEditor = subprocess.call) -> EditedText:
    """Let a person edit a text outside; the app stands still meanwhile."""
    words = editor_command(os.environ)
    if not words:
        return EditedText(problem=NO_EDITOR)
    try:
        with app.suspend():
            # An exception that leaves this block would leave the terminal as the editor had it, and the app hung.
            return _edited(words, text, run)
    except SuspendNotSupported:
        return _edited(words, text, run)


def _edited(words: list[str], text: str, run: RunEditor) -> EditedText:
    from memtui.disk.scratch import scratch_file

    try:
        with scratch_file(text) as scratch:
            try:
                code = run([*words, str(scratch.path)])
            except OSError as error:
                return EditedText(problem=editor_failed(words[0], error.strerror or str(error)))
            if code != 0:
                return EditedText(problem=f"{editor_failed(words[0], code)} {scratch.kept}".rstrip())
            return EditedText(scratch.read())
    except MemoryRefused as refusal:
        return EditedText(problem=str(refusal))
