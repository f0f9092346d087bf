"""Runs one command and turns every way in which it can end into words and an exit code.

No traceback reaches a user: what nobody foresaw becomes one sentence and a crash log.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from memtui.cli.options import Options
from memtui.cli.output import OutputFailed, flush, say_json, warn
from memtui.core.errors import MemoryRefused

OK: Final = 0
FOUND: Final = 1
"""Findings, drift or a refusal: the command did its work and there is something for a person."""
FAILED: Final = 2
"""Usage, no home, unreadable or write failed: the command could not do its work."""
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
"""What the shell reports for a program that a closed pipe ends."""

FAILURES: Final = frozenset({"not_found", "unreadable", "write_failed"})
"""Refusals that are failures; every other code is 1."""


def exit_code_of(refusal: MemoryRefused) -> int:
    """The exit code for a refusal."""
    return FAILED if refusal.code in FAILURES else FOUND


def run(argv: Sequence[str]) -> int:
    """Run a command line; the exit code."""
    options = Options()
    _prepare_streams()
    try:
        try:
            code = _invoke(list(argv), options)
        except MemoryRefused as refusal:
            code = _refused(refusal, options)
        flush()
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
    except OutputFailed as failure:
        _drop_output()
        warn(f"memtui: standard output cannot be written: {failure}.")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # the last door: whatever was not foreseen
        return _crashed(error, options)
    return code


def _invoke(argv: list[str], options: Options) -> int:
    from memtui.cli.root import root

    try:
        with root.make_context("memtui", argv, obj=options) as context:
            root.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as problem:
        warn(f"memtui: {problem.format_message()}")
        if isinstance(problem, click.UsageError) and problem.ctx:
            warn(problem.ctx.get_usage())
        return FAILED
    return OK


def _refused(refusal: MemoryRefused, options: Options) -> int:
    if options.as_json:
        from memtui.cli.shapes import refusal_shape

        say_json(refusal_shape(refusal))
    warn(f"memtui: {refusal}")
    return exit_code_of(refusal)


def _prepare_streams() -> None:
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # The caller closed it: what would go there goes nowhere.
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a sign gets its escape instead of a traceback.
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    # Python flushes standard output once more at exit, which would fail, and complain, again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _crashed(error: Exception, options: Options) -> int:
    from memtui.disk.crashes import write_crash_log

    log = write_crash_log(error)
    where = f" The details are in {log}." if log else ""
    name = type(error).__name__
    warn(f"memtui stopped on an unexpected error ({name}); no file was left half written.{where}")
    if options.debug:
        import traceback

        warn("".join(traceback.format_exception(error)))
    elif not log:
        warn("Run the same command with --debug to see it.")
    return FAILED
