"""Opens the app: the one place in the command line that loads it."""

from __future__ import annotations

import gc
import os
import sys

import click

from memtui.cli.options import Options, run_options


@click.command("open", hidden=True)
@click.argument("path", required=False)
@run_options
@click.pass_obj
def open_app(options: Options, path: str | None) -> None:
    """Open the app on PATH, on the home that is found, or on the list of several.

    PATH is a home, a memories folder or a memory file.
    """
    if path is not None and options.home is not None:
        raise click.UsageError("Give a PATH or --home, not both.")
    if path is not None and not _may_be_a_path(path):
        raise click.UsageError(_no_such_command(path), click.get_current_context().parent)
    run_app(options, options.home if path is None else path)


class _Nameless(click.Context):
    """Of a command that is called by no word of its own: its usage is that of `memtui` itself."""

    @property
    def command_path(self) -> str:
        return self.parent.command_path if self.parent else ""


open_app.context_class = _Nameless


def run_app(options: Options, path: str | None, *, resolves: str | None = None, is_demo: bool = False) -> None:
    """Run the app and leave with its exit code; `resolves`: begin in its resolver, `is_demo`: on sample homes alone.

    Raises UsageError without a terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            "The app needs a terminal, and standard input, output or error is none. "
            "Use `memtui list`, or another command of `memtui --help`."
        )
    # Collecting garbage among what is only being built costs a tenth of the start; the first frame turns it on again.
    gc.disable()
    from memtui.tui.app import MemtuiApp

    is_named = path is not None or bool(os.environ.get("HERMES_HOME", "").strip())
    app = MemtuiApp(
        lambda: options.open_quietly(path), options.open_home,
        chooses=not is_named, resolves=resolves, is_demo=is_demo,
    )  # fmt: skip
    app.run()
    if app.crash is not None:
        raise app.crash
    if app.return_code:
        raise click.exceptions.Exit(app.return_code)


def _no_such_command(word: str) -> str:
    from difflib import get_close_matches

    from memtui.cli.root import MODULES

    near = get_close_matches(word, MODULES, n=1)
    told = f" Did you mean `memtui {near[0]}`?" if near else ""
    return f"'{word}' is no command and no path; a home to be made is written ./{word}.{told}"


def _may_be_a_path(path: str) -> bool:
    return os.path.lexists(path) or os.sep in path or path.startswith((".", "~"))
