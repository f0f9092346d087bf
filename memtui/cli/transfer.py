"""`memtui copy`, `memtui move` and `memtui compare`: two homes, or the two targets of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.edit import ALLOW, given_text, warn_of_unknown
from memtui.cli.look import refuse_unreadable
from memtui.cli.naming import entry_meant
from memtui.cli.options import TARGET, Options, command_options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.running import FOUND
from memtui.cli.shapes import change_shape
from memtui.core.comparing import Comparison, compare_entries
from memtui.core.diff import Row, RowKind
from memtui.core.errors import NotFound
from memtui.core.model import TARGETS
from memtui.disk.faults import shown

if TYPE_CHECKING:
    from memtui.actions.transfer import Place, Transfer
    from memtui.store import MemoryStore

_MARKS = {RowKind.SAME: "=", RowKind.MOVED: "↕", RowKind.CHANGED: "~", RowKind.NEW: "<", RowKind.REMOVED: ">"}

TO = click.option("--to", metavar="HOME", help="The receiving home (default: the same one).")
TO_TARGET = click.option(
    "--to-target", type=TARGET, help="The receiving target (default: the same, or the other one of the same home)."
)


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@TO
@TO_TARGET
@ALLOW
@write_options
@click.pass_obj
def copy(
    options: Options, target: str, old: str, to: str | None, to_target: str | None, allow: tuple[str, ...]
) -> None:
    """Copy the entry that OLD names to another home or target.

    It passes every guard of the receiving file, its budget included. `memtui undo` there takes it back.
    """
    from memtui.actions.transfer import copy_entry

    origin, place = _places(options, target, to, to_target)
    warn_of_unknown(allow)
    _report(options, copy_entry(origin, entry_meant(origin.store, target, given_text(old)), place, allow))


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@TO
@TO_TARGET
@ALLOW
@write_options
@click.pass_obj
def move(
    options: Options, target: str, old: str, to: str | None, to_target: str | None, allow: tuple[str, ...]
) -> None:
    """Move the entry that OLD names to another home or target.

    It is added there before it is removed here. `memtui undo` in either file takes back both.
    """
    from memtui.actions.transfer import move_entry

    origin, place = _places(options, target, to, to_target)
    warn_of_unknown(allow)
    _report(options, move_entry(origin, entry_meant(origin.store, target, given_text(old)), place, allow))


@click.command()
@click.argument("other", metavar="HOME")
@click.argument("target", type=TARGET, required=False)
@command_options
@click.pass_obj
def compare(options: Options, other: str, target: str | None) -> None:
    """Compare this home's entries with those of HOME.

    `=` stands in both, `↕` in another place, `~` told differently, `<` here only, `>` there only. The exit code
    is 1 when they differ.
    """
    here, there = options.open_store(), options.open_store(other)
    if not os.path.isdir(there.memories):
        raise NotFound(f"There is no memory to compare with at {shown(there.memories)}.", {"path": str(there.memories)})
    names = [target] if target else list(TARGETS)
    compared = {name: _compared(here, there, name) for name in names}
    if options.as_json:
        targets = [_comparison_shape(name, one) for name, one in compared.items()]
        say_json({"home": str(here.memories), "other": str(there.memories), "targets": targets})
    else:
        for name, one in compared.items():
            _say_comparison(name, one)
    if not all(one.is_same for one in compared.values()):
        raise click.exceptions.Exit(FOUND)


def _places(options: Options, target: str, to: str | None, to_target: str | None) -> tuple[Place, Place]:
    from memtui.actions.transfer import Place

    store = options.open_store()
    receiving = store if to is None else options.open_store(to)
    (the_other,) = (name for name in TARGETS if name != target)
    return Place(store, target), Place(receiving, to_target or (the_other if to is None else target))


def _report(options: Options, done: Transfer) -> None:
    changes = [change for change in (done.added, done.removed) if change is not None]
    if options.as_json:
        removed = change_shape(done.removed) if done.removed else None
        say_json({"ok": True, "text": done.text, "added": change_shape(done.added), "removed": removed})
        return
    say(str(done))
    for notice in dict.fromkeys(notice for change in changes for notice in change.notices):
        warn(f"note: {notice}")


def _compared(here: MemoryStore, there: MemoryStore, target: str) -> Comparison:
    files = [store.inspect(target, scan=False) for store in (here, there)]
    refuse_unreadable(files)
    return compare_entries(*(file.document.texts for file in files))


def _comparison_shape(target: str, one: Comparison) -> dict[str, Any]:
    rows = [
        {
            "kind": _WORDS[row.kind],
            "left": None if row.live_index is None else one.left[row.live_index],
            "right": None if row.snapshot_index is None else one.right[row.snapshot_index],
        }
        for row in one.rows
    ]
    return {"target": target, "same": one.is_same, "rows": rows}


_WORDS = {
    RowKind.SAME: "same", RowKind.MOVED: "moved", RowKind.CHANGED: "changed", RowKind.NEW: "left_only",
    RowKind.REMOVED: "right_only",
}  # fmt: skip


def _say_comparison(target: str, one: Comparison) -> None:
    counts: list[tuple[int, str]] = [
        (one.count(RowKind.SAME, RowKind.MOVED), "in both"),
        (one.count(RowKind.CHANGED), "told differently"),
        (one.count(RowKind.NEW), "here only"),
        (one.count(RowKind.REMOVED), "there only"),
    ]
    say(f"{target}  {', '.join(f'{count} {words}' for count, words in counts)}")
    for row in one.rows:
        for mark, text in _lines(row, one):
            say(f"  {mark} {one_line(text, 4)}")


def _lines(row: Row, one: Comparison) -> list[tuple[str, str]]:
    left = None if row.live_index is None else one.left[row.live_index]
    right = None if row.snapshot_index is None else one.right[row.snapshot_index]
    mark = _MARKS[row.kind]
    if row.kind is RowKind.CHANGED and left is not None and right is not None:
        return [(f"{mark}<", left), (f"{mark}>", right)]
    return [(mark, left if left is not None else right or "")]
