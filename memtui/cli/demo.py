"""`memtui demo`: the sample home, made in a temporary folder and opened."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from memtui.cli.app import run_app
from memtui.cli.options import Options, command_options
from memtui.cli.output import say, say_json, warn
from memtui.core.visible import visible_text


@click.command()
@click.option("--make", "folder", metavar="FOLDER", help="Only make the sample home, in FOLDER, and keep it.")
@command_options
@click.pass_obj
def demo(options: Options, folder: str | None) -> None:
    """Open a throw-away sample home.

    It has drift, backups, threats and staged writes; and a few seconds after it opened, "another program"
    changes a note.
    """
    from memtui.disk.demo import make_demo, temporary_demo, visitor
    from memtui.disk.whereabouts import fixed

    if folder is not None:
        made = str(make_demo(fixed(folder), time.time()))
        if options.as_json:
            say_json({"home": made})
        else:
            say(visible_text(made))
        warn(f"That folder is the sample home, not the one above it. Open it: memtui {shlex.quote(visible_text(made))}")
        return
    with temporary_demo() as home, own_data(home.parent / "memtui-data"), visitor(home):
        run_app(options, str(home), is_demo=True)
    say("The sample home is gone. `memtui demo --make FOLDER` makes one that stays.")


@contextmanager
def own_data(folder: Path) -> Iterator[None]:
    """Let memtui keep its own data in a folder, and afterwards (a crash log may follow) where it did before."""
    from memtui.disk.folders import DATA_VARIABLE

    before = os.environ.get(DATA_VARIABLE)
    os.environ[DATA_VARIABLE] = str(folder)
    try:
        yield
    finally:
        del os.environ[DATA_VARIABLE]
        if before is not None:
            os.environ[DATA_VARIABLE] = before
