"""The command `memtui` itself: no command opens the app, and a word that is no command is a path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

from memtui import __version__
from memtui.cli.app import open_app
from memtui.cli.options import run_options

MODULES: Final[Mapping[str, str]] = {
    "list": "look", "show": "look", "add": "edit", "replace": "edit", "remove": "edit", "undo": "edit",
    "redo": "edit", "snapshot": "look", "check": "check", "drift": "drift", "backups": "backups",
    "resolve": "resolve", "tidy": "layout", "split": "layout", "history": "history", "restore": "history",
    "pending": "pending", "sessions": "sessions", "archive": "archive", "copy": "transfer", "move": "transfer",
    "compare": "transfer", "audit": "audit", "scan": "scan", "suppress": "suppress",
    "suppressions": "suppress", "purge": "purge", "homes": "homes", "tool-schema": "tool_schema", "demo": "demo",
}  # fmt: skip
"""Every command and the module it stands in, loaded when called: thirty of them cost the app a tenth of its start."""


class PathOrCommand(click.Group):
    """A group whose first word is a command, or else the path of a home to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, what one looks for first at the top."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in MODULES:
            return None
        found = vars(import_module(f"memtui.cli.{MODULES[cmd_name]}")).values()
        return next(value for value in found if isinstance(value, click.Command) and value.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or the app with all words that are left."""
        if args[0] in MODULES:
            return super().resolve_command(ctx, args)
        return open_app.name, open_app, args


@click.group(cls=PathOrCommand, invoke_without_command=True, subcommand_metavar="[PATH | COMMAND [ARGS]…]")
@click.version_option(__version__, message="memtui %(version)s")
@run_options
@click.pass_context
def root(context: click.Context) -> None:
    """Review, repair and audit the long-term memory of AI agents.

    Without a command the app opens on PATH (a home, a memories folder or a memory file) or on the home that
    is found; where there are several it lists them first. A folder that is called like a command is written ./list.
    """
    if context.invoked_subcommand is None:
        context.invoke(open_app, path=None)
