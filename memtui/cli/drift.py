"""`memtui drift`: every verdict on a home's files with reason and place. It writes and records nothing."""

from __future__ import annotations

from typing import Any

import click

from memtui.cli.check import calls_for_a_person, check_shape
from memtui.cli.look import gauge, refuse_unreadable
from memtui.cli.options import TARGET, Options, command_options
from memtui.cli.output import one_line, say, say_json
from memtui.cli.running import FOUND
from memtui.core.encodings import broken_bytes, guesses
from memtui.core.model import TARGETS, MemoryFile
from memtui.core.verdicts import describe
from memtui.core.visible import preview, visible_text

PREVIEW_CELLS = 70
GUESSES = 3


@click.command()
@click.argument("target", type=TARGET, required=False)
@command_options
@click.pass_obj
def drift(options: Options, target: str | None) -> None:
    """Say what is wrong with the form of TARGET (default: both), and where.

    The exit code is 0 when nothing is, or only the layout differs, and 1 when somebody has to look: drift,
    merged entries, too many characters, or a layout for which the agent refuses to write.
    """
    store = options.open_store()
    files = [store.inspect(name, scan=False) for name in ([target] if target else TARGETS)]
    refuse_unreadable(files)
    calls = any(calls_for_a_person(file) for file in files)
    if options.as_json:
        shapes = [drift_shape(file) for file in files]
        say_json({"home": str(store.memories), "clean": not calls, "targets": shapes})
    else:
        for file in files:
            _say_file(file)
    if calls:
        raise click.exceptions.Exit(FOUND)


def drift_shape(file: MemoryFile) -> dict[str, Any]:
    """One file's verdicts; `encodings` only for bytes that are no text."""
    shape = {key: value for key, value in check_shape(file, []).items() if key != "entries"}
    return {
        **shape,
        "encodings": [
            {
                "encoding": guess.encoding,
                "label": guess.label,
                "preview": guess.preview,
                "lossless": guess.is_lossless,
            }
            for guess in guesses(file.raw)
        ],
    }


def _say_file(file: MemoryFile) -> None:
    verdicts = ", ".join(verdict.value.replace("_", " ") for verdict in file.verdicts)
    say(f"{file.target}  {verdicts}  {gauge(file)}  {visible_text(file.path)}")
    for sentence in describe(file):
        say(f"  {sentence}")
    for merged in file.merged:
        for number, part in enumerate(merged.parts, 1):
            say(f"    note {number}: {one_line(part, 12)}")
    _say_broken_bytes(file)


def _say_broken_bytes(file: MemoryFile) -> None:
    broken = broken_bytes(file.raw)
    if broken is None:
        return
    say(f"    bytes: {broken.hex_words}")
    for guess in guesses(file.raw)[:GUESSES]:
        say(f"    read as {guess.label}: {preview(guess.preview, PREVIEW_CELLS)}")
