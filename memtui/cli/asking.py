"""Shows what a command is about to do and asks before it does. Without a person it does nothing unasked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from memtui.cli.options import Options
from memtui.cli.output import one_line, say, warn
from memtui.core.diff import DiffLine

CONTEXT_LINES = 2

YES = click.option("--yes", is_flag=True, help="Do it without asking.")


def is_wanted(options: Options, question: str, yes: bool) -> bool:
    """True when it was wanted beforehand, or a person says so now.

    Raises UsageError when nobody can be asked.
    """
    if yes:
        return True
    if options.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("There is no terminal to ask on, so nothing was changed; say --yes to do it.")
    if click.confirm(question, default=False, err=True):
        return True
    warn("Nothing was changed.")
    return False


def say_diff(lines: Sequence[DiffLine]) -> None:
    """Print a diff with some lines around each change, display-safe."""
    for line in _near_changes(lines):
        say("  …" if line is None else f"{line.sign} {one_line(line.text, 2, is_whole=True)}")


def _near_changes(lines: Sequence[DiffLine]) -> Iterator[DiffLine | None]:
    """The changed lines and their neighbours; None where lines are left out."""
    near: set[int] = set()
    for at, line in enumerate(lines):
        if line.sign != " ":
            near.update(range(at - CONTEXT_LINES, at + CONTEXT_LINES + 1))
    was_shown = True
    for at, line in enumerate(lines):
        if at in near:
            yield line
        elif was_shown:
            yield None
        was_shown = at in near
