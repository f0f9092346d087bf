"""`memtui archive`: the entries that newer agents evicted, and bringing one back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memtui.cli.backups import local_time
from memtui.cli.edit import ALLOW, report
from memtui.cli.options import TARGET, Count, Options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.running import FAILED
from memtui.core.errors import Ambiguous, InvalidArgument, NotFound
from memtui.core.model import entry_name

if TYPE_CHECKING:
    from memtui.disk.archive import Archive, ArchivedEntry
    from memtui.store import MemoryStore

LISTED = 100


@click.group(invoke_without_command=True)
@write_options
@click.pass_context
def archive(context: click.Context) -> None:
    """List or restore what the agent evicted into ARCHIVE.jsonl."""
    if context.invoked_subcommand is None:
        context.invoke(list_archive)


@archive.command("list")
@click.argument("target", type=TARGET, required=False)
@click.option("--limit", type=Count(min=1, max=10_000), default=LISTED, help="Read so many lines.")
@write_options
@click.pass_obj
def list_archive(options: Options, target: str | None = None, limit: int = LISTED) -> None:
    """List the archived entries of TARGET, or of both, newest first."""
    store = options.open_store()
    found = _read(store, limit)
    entries = [one for one in found.entries if target in (None, one.target)]
    if options.as_json:
        shapes = [_entry_shape(one) for one in entries]
        say_json({"entries": shapes, "left_out": found.left_out, "problem": found.problem})
    else:
        for one in entries:
            _say_entry(one)
        if not entries and not found.problem:
            say("The archive holds nothing (there is no ARCHIVE.jsonl, or it has no such entry).")
        if found.left_out:
            warn(f"note: {found.left_out:,} older lines were not read; --limit reads more.")
    if found.problem:
        warn(f"memtui: {found.problem}")
        raise click.exceptions.Exit(FAILED)


@archive.command()
@click.argument("entry")
@click.option("--target", type=TARGET, help="Where it is to stand, when the archive does not say it.")
@ALLOW
@write_options
@click.pass_obj
def restore(options: Options, entry: str, target: str | None, allow: tuple[str, ...]) -> None:
    """Add an archived entry again, through every guard.

    ENTRY is its line in the archive or its name, such as #ab12cd34. The archive keeps its line.
    """
    store = options.open_store()
    found = _wanted(_read(store, 10_000), entry)
    into = target or found.target
    if not into:
        raise InvalidArgument(f"Line {found.line} does not say where the entry stood: name it with --target.")
    report(options, store.add(into, found.text, allow=allow, source="archive"))


def _read(store: MemoryStore, limit: int) -> Archive:
    from memtui.disk.archive import read_archive

    return read_archive(store.memories, limit)


def _wanted(found: Archive, wanted: str) -> ArchivedEntry:
    """Raises NotFound, Ambiguous for a name of several texts, or InvalidArgument for a line without a text."""
    if found.problem:
        raise NotFound(found.problem)
    meant = {one.text: one for one in found.entries if wanted in (str(one.line), f"#{entry_name(one.text)}")}
    if not meant:
        raise NotFound(f"The archive holds no “{one_line(wanted, 60)}”; `memtui archive` lists what it holds.")
    if len(meant) > 1:
        lines = " and ".join(str(line) for line in sorted(one.line for one in meant.values()))
        raise Ambiguous(f"{wanted} is the name of several entries: give the line, {lines}. Nothing was written.")
    (one,) = meant.values()
    if not one.text:
        raise InvalidArgument(f"Line {one.line} of the archive cannot be restored: {one.problem}")
    return one


def _entry_shape(one: ArchivedEntry) -> dict[str, Any]:
    return {
        "line": one.line,
        "name": f"#{entry_name(one.text)}" if one.text else None,
        "target": one.target or None,
        "text": one.text,
        "chars": len(one.text),
        "when": one.when,
        "action": one.action,
        "reason": one.reason,
        "problem": one.problem,
    }


def _say_entry(one: ArchivedEntry) -> None:
    when = "no time" if one.when is None else local_time(one.when)
    name = f"#{entry_name(one.text)}" if one.text else "-"
    head = f"{one.line:>5}  {name}  {when:<19}  {one.target or '?':<6}  "
    problem = f"! {one.problem} " if one.problem else ""
    say(head + one_line(problem + one.text, len(head)))
