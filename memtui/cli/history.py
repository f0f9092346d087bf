"""`memtui history` and `memtui restore`: what stood in a file, and how to get it back."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.asking import YES, is_wanted
from memtui.cli.backups import local_time
from memtui.cli.edit import report
from memtui.cli.options import TARGET, Amount, Count, Options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.running import FAILED
from memtui.core.codec import parse
from memtui.core.errors import NotFound, Unreadable, WriteFailed
from memtui.core.matching import locate
from memtui.core.model import TARGETS
from memtui.core.visible import visible_text
from memtui.disk.files import real_path
from memtui.view.amounts import counted

if TYPE_CHECKING:
    from memtui.disk.history import Version
    from memtui.store import MemoryStore

SHOWN_VERSIONS = 40
DAY_S = 86_400.0
MAX_ID_DIGITS = 19
"""SQLite's largest id has so many; Python refuses to read a number of 4,300."""


@click.command()
@click.argument("target", type=TARGET, default=TARGETS[0])
@click.option("--show", "version_id", type=int, metavar="ID", help="Show what stood in that version.")
@click.option("--limit", type=Count(min=1), default=SHOWN_VERSIONS, help="List so many versions.")
@click.option("--purge", is_flag=True, help="Delete TARGET's versions for good; what stands now stays there.")
@click.option("--older-than", type=Amount(min=0), metavar="DAYS", help="Purge only older ones.")
@YES
@write_options
@click.pass_obj
def history(
    options: Options,
    target: str,
    version_id: int | None,
    limit: int,
    purge: bool,
    older_than: float | None,
    yes: bool,
) -> None:
    """List the versions of TARGET that memtui saw or wrote, newest first.

    TARGET is memory when it is not given.
    """
    if older_than is not None and not purge:
        raise click.UsageError("--older-than belongs to --purge.")
    store = options.open_store(may_be_absent=True)
    if not any(map(store.history, TARGETS)) and not store.recorder.problem:
        options.refuse_absent(store)
    if purge:
        _purge(options, store, target, older_than, yes)
    elif version_id is not None:
        _show(options, version_of(store, target, version_id))
    else:
        _list(options, store, target, limit)


@click.command()
@click.argument("target", type=TARGET)
@click.argument("what", metavar="ID|BACKUP")
@click.option("--entry", metavar="TEXT", help="Bring back only the entry that TEXT names.")
@write_options
@click.pass_obj
def restore(options: Options, target: str, what: str, entry: str | None) -> None:
    """Put TARGET back to a version of `memtui history` or a copy of `memtui backups`, byte for byte.

    With --entry one entry of it is added to the file as it is. What the scan, the budget and drift would say
    is told and refuses nothing; `memtui undo` takes it back.
    """
    from memtui.actions.restore import restore_bytes, restore_entry
    from memtui.actions.sources import backup_named
    from memtui.disk.backups import read_backup

    store = options.open_store(may_be_absent=True)
    if what.isascii() and what.isdigit() and len(what) <= MAX_ID_DIGITS:
        raw_bytes = version_of(store, target, int(what)).raw
    else:
        raw_bytes = read_backup(backup_named(store.path_of(target), what))
    if entry is None:
        report(options, restore_bytes(store, target, raw_bytes))
        return
    texts = parse(raw_bytes).texts
    report(options, restore_entry(store, target, texts[locate(texts, entry)]))


def version_of(store: MemoryStore, target: str, version_id: int) -> Version:
    """The version of the target's file with that id. Raises NotFound, or Unreadable when history cannot tell."""
    versions, name = store.history(target), store.path_of(target).name
    for version in versions:
        if version.id == version_id:
            return version
    if store.recorder.problem and not versions:
        raise Unreadable(f"Version {version_id} of {name} cannot be looked up. {store.recorder.problem}")
    raise NotFound(f"There is no version {version_id} of {name}; `memtui history` lists them.")


def version_shape(version: Version) -> dict[str, Any]:
    """One version without its text."""
    return {
        "id": version.id,
        "when": version.when,
        "source": version.source,
        "summary": version.summary,
        "sha256": version.sha256,
        "size_bytes": version.size_bytes,
        "stood": version.stood,
    }


def _list(options: Options, store: MemoryStore, target: str, limit: int) -> None:
    versions = store.history(target)
    problem = store.recorder.problem
    if options.as_json:
        shapes = [version_shape(version) for version in versions[:limit]]
        path = str(store.path_of(target))
        say_json({"target": target, "path": path, "count": len(versions), "versions": shapes, "problem": problem})
    else:
        count = counted(len(versions), "version") if versions or not problem else "no version could be read"
        say(f"{target}  {count}  {visible_text(str(store.path_of(target)))}")
        for version in versions[:limit]:
            _say_version(version)
        if len(versions) > limit:
            say(f"  … and {len(versions) - limit:,} older ones; --limit lists more.")
    if problem and not options.as_json:
        warn(f"note: {problem}")
    if problem and not versions:
        raise click.exceptions.Exit(FAILED)


def _say_version(version: Version) -> None:
    never = "" if version.stood else "  (perhaps never stood there)"
    head = f"{version.id:>6}  {local_time(version.when)}  {version.source:<9} {version.size_bytes:>8,} bytes  "
    say(f"{head}{one_line(version.summary, len(head) + len(never))}{never}")


def _show(options: Options, version: Version) -> None:
    raw_bytes = version.raw
    if options.as_json:
        entries = list(parse(raw_bytes).texts)
        encoded = base64.b64encode(raw_bytes).decode()
        say_json({**version_shape(version), "entries": entries, "base64": encoded})
    else:
        say(visible_text(raw_bytes.decode("utf-8", "replace"), keep_newlines=True))


def _purge(options: Options, store: MemoryStore, target: str, older_than: float | None, yes: bool) -> None:
    if store.read_only:
        raise WriteFailed("Nothing was purged: memtui was opened read-only.")
    kept = store.recorder.looking()
    path = store.path_of(target)
    if kept is None or not store.history(target):
        count = 0
    else:
        which = "all versions" if older_than is None else f"versions older than {older_than:g} days"
        if not is_wanted(options, f"Delete {which} of {path.name} for good? Undo goes with them.", yes):
            return
        before = None if older_than is None else time.time() - older_than * DAY_S
        count = kept.purging.versions(str(real_path(path)), before)
    if options.as_json:
        say_json({"target": target, "purged": count, "problem": store.recorder.problem})
    else:
        say(f"Purged {counted(count, 'version')} of {visible_text(path.name)}.")
        if store.recorder.problem:
            warn(f"note: {store.recorder.problem}")
    if not count and store.recorder.problem:
        raise click.exceptions.Exit(FAILED)
