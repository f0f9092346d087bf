"""`memtui backups`: the copies beside the memory files, and deleting those that hold nothing more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.look import refuse_unreadable
from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import say, say_json, warn
from memtui.cli.refusing import Refusals
from memtui.cli.running import FAILED
from memtui.core.model import TARGETS
from memtui.core.visible import visible_text
from memtui.view.amounts import counted

if TYPE_CHECKING:
    from memtui.actions.backups import Deleted
    from memtui.actions.sources import Source
    from memtui.store import MemoryStore


@click.command()
@click.argument("target", type=TARGET, required=False)
@click.option("--delete-identical", is_flag=True, help="Delete copies of the file's or a newer copy's bytes.")
@click.option("--delete-live", is_flag=True, help="Delete copies whose every entry is in the file now.")
@write_options
@click.pass_obj
def backups(options: Options, target: str | None, delete_identical: bool, delete_live: bool) -> None:
    """List the backups of TARGET (default: both), each compared with the file.

    Copies that editors and synchronisers leave are listed too. What is deleted is in the history first;
    `memtui restore` brings one back byte for byte.
    """
    from memtui.actions.sources import sources

    store = options.open_store()
    targets = [target] if target else list(TARGETS)
    refuse_unreadable([store.inspect(name, scan=False) for name in targets])
    deleted, refusals = {}, Refusals()
    for name in targets if delete_identical or delete_live else ():
        with refusals.of(name):
            deleted[name] = _delete(store, name, delete_live)
    found = {name: sources(store, name)[1:] for name in targets}
    if options.as_json:
        shapes = [_target_shape(store, name, found[name], deleted.get(name)) for name in targets]
        say_json({**refusals.shape(), "targets": shapes})
    else:
        for name in targets:
            _say_target(store, name, found[name], deleted.get(name))
    refusals.leave()
    if any(one.kept for one in deleted.values()):
        raise click.exceptions.Exit(FAILED)


def _delete(store: MemoryStore, target: str, delete_live: bool) -> Deleted:
    from memtui.actions import backups as actions

    if delete_live:
        names = [one.name for one in actions.deletable_backups(store, target)]
        return actions.delete_backups(store, target, names)
    names = [one.name for one in actions.identical_backups(store, target)]
    return actions.delete_backups(store, target, names, actions.is_identical)


def _target_shape(
    store: MemoryStore, target: str, found: tuple[Source, ...], deleted: Deleted | None
) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "target": target,
        "path": str(store.path_of(target)),
        "backups": [source_shape(one) for one in found],
    }
    if deleted is not None:
        shape["deleted"] = list(deleted.removed)
        shape["kept"] = [{"name": one.name, "why": one.why} for one in deleted.kept]
    return shape


def source_shape(source: Source) -> dict[str, Any]:
    """One copy."""
    return {
        "name": source.name,
        "path": str(source.path),
        "when": source.when,
        "size_bytes": source.size_bytes,
        "sha256": source.sha256,
        "verdict": source.verdict.value,
        "missing": source.missing_count,
        "same_as": source.twin,
        "words": source.words,
    }


def local_time(when: float) -> str:
    """Seconds since 1970 as local date and time; words for a time beyond the calendar."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(when))
    except (OverflowError, ValueError, OSError):
        return "at an unknown time"


def _say_target(store: MemoryStore, target: str, found: tuple[Source, ...], deleted: Deleted | None) -> None:
    count = counted(len(found), "backup") if found else "no backups"
    say(f"{target}  {count}  {visible_text(str(store.path_of(target)))}")
    for one in found:
        say(f"  {local_time(one.when)}  {one.size_bytes:>9,} B  {visible_text(f'{one.name}  {one.words}')}")
    if deleted is not None:
        say(f"  {deleted}")
        for kept in deleted.kept:
            warn(f"memtui: {kept.name} was kept: {kept.why}")
