"""The command `memtui` itself: no command opens the app, and a word that is no command is a path."""

from __future__ import annotations

import click

from memtui import __version__
from memtui.cli.app import open_app
from memtui.cli.archive import archive
from memtui.cli.audit import audit
from memtui.cli.backups import backups
from memtui.cli.check import check
from memtui.cli.demo import demo
from memtui.cli.drift import drift
from memtui.cli.edit import add, redo, remove, replace, undo
from memtui.cli.history import history, restore
from memtui.cli.homes import homes
from memtui.cli.layout import split, tidy
from memtui.cli.look import list_entries, show, snapshot
from memtui.cli.options import run_options
from memtui.cli.pending import pending
from memtui.cli.purge import purge
from memtui.cli.resolve import resolve
from memtui.cli.scan import scan
from memtui.cli.sessions import sessions
from memtui.cli.suppress import suppress, suppressions
from memtui.cli.tool_schema import tool_schema
from memtui.cli.transfer import compare, copy, move

COMMANDS = (
    list_entries, show, add, replace, remove, undo, redo, snapshot, check, drift, backups, resolve, tidy,
    split, history, restore, pending, sessions, archive, copy, move, compare, audit, scan, suppress,
    suppressions, purge, homes, tool_schema, demo,
)  # fmt: skip


class PathOrCommand(click.Group):
    """A group whose first word is a command, or else the path of a home to open."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or the app with all words that are left."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return open_app.name, open_app, args


@click.group(cls=PathOrCommand, invoke_without_command=True, subcommand_metavar="[PATH | COMMAND [ARGS]…]")
@click.version_option(__version__, message="memtui %(version)s")
@run_options
@click.pass_context
def root(context: click.Context) -> None:
    """Review, repair and audit the long-term memory of AI agents.

    Without a command the app opens on PATH (a home, a memories folder or a memory file) or on the home that
    is found. A folder that is called like a command is written ./list.
    """
    if context.invoked_subcommand is None:
        context.invoke(open_app, path=None)


for command in COMMANDS:
    root.add_command(command)
