"""`memtui demo`: the sample home, made in a temporary folder and opened."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from memtui.cli.app import run_app
from memtui.cli.options import Options, command_options
from memtui.cli.output import say, say_json
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
    from memtui.disk.folders import DATA_VARIABLE

    if folder is not None:
        made = str(make_demo(Path(folder).expanduser(), time.time()))
        if options.as_json:
            say_json({"home": made})
        else:
            say(visible_text(made))
        return
    with temporary_demo() as home, visitor(home):
        os.environ[DATA_VARIABLE] = str(home.parent / "memtui-data")
        run_app(options, str(home))
    say("The sample home is gone. `memtui demo --make FOLDER` makes one that stays.")
