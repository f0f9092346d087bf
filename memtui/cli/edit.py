"""Commands that change one entry. Every check is the store's; nothing here opens a file."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.naming import entry_meant
from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.shapes import change_shape
from memtui.core.change import Change
from memtui.core.errors import InvalidArgument
from memtui.core.model import MAX_TEXT_CHARS, TARGETS, entry_name
from memtui.core.visible import visible_text
from memtui.disk.files import real_path

if TYPE_CHECKING:
    from memtui.disk.history import History
    from memtui.disk.undo_log import LoggedChange
    from memtui.store import MemoryStore

ALLOW = click.option(
    "--allow",
    metavar="RULE",
    multiple=True,
    help="Write the text although this rule refuses it; its finding is known and fine in this text from then on.",
)


@click.command()
@click.argument("target", type=TARGET)
@click.argument("text")
@ALLOW
@write_options
@click.pass_obj
def add(options: Options, target: str, text: str, allow: tuple[str, ...]) -> None:
    """Add TEXT to TARGET as a new entry.

    - reads the text from standard input.
    """
    new_text = given_text(text)
    report(options, options.open_store(may_be_absent=True).add(target, new_text, allow=allow))


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@click.argument("text")
@ALLOW
@write_options
@click.pass_obj
def replace(options: Options, target: str, old: str, text: str, allow: tuple[str, ...]) -> None:
    """Replace the entry that OLD names by TEXT.

    OLD is a name from `memtui list` such as #ab12cd34 (not its number), the entry's text, or a part that no
    other entry of TARGET holds; always the whole entry is replaced. - reads TEXT from standard input.
    """
    new_text = given_text(text)
    store = options.open_store()
    report(options, store.replace(target, entry_meant(store, target, old), new_text, allow=allow))


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@write_options
@click.pass_obj
def remove(options: Options, target: str, old: str) -> None:
    """Remove the entry that OLD names.

    OLD is a name from `memtui list` such as #ab12cd34 (not its number), the entry's text, or a part that no
    other entry of TARGET holds. - reads OLD from standard input.
    """
    old_text = given_text(old)
    store = options.open_store()
    change = store.remove(target, entry_meant(store, target, old_text))
    report(options, change)
    if not options.as_json:
        _say_where_it_lies(store, change)


def _say_where_it_lies(store: MemoryStore, change: Change) -> None:
    """Of a threat that was removed: where its text still lies, as the app tells."""
    from memtui.actions.purge import where_is
    from memtui.actions.purge_places import MIN_CHARS
    from memtui.core.threats import scan
    from memtui.core.threats.finding import Severity

    text = change.before or ""
    found = store.suppressions.apply(text, scan(text))
    if len(text) < MIN_CHARS or not any(one.severity is not Severity.INFO and not one.suppressed for one in found):
        return
    if places := [visible_text(place.words) for place in where_is(store, text) if place.is_found]:
        how = f"`memtui purge '#{entry_name(text)}'` deletes it there."
        warn(f"note: its text still lies in {'; '.join(places)}. {how}")


@click.command()
@click.argument("target", type=TARGET, required=False)
@write_options
@click.pass_obj
def undo(options: Options, target: str | None) -> None:
    """Take back the last change, or the last one of TARGET.

    Only what was changed through memtui, entry by entry; what others wrote since stays.
    """
    store = options.open_store(may_be_absent=True)
    report(options, store.undo(target or last_changed(store)))


@click.command()
@click.argument("target", type=TARGET, required=False)
@write_options
@click.pass_obj
def redo(options: Options, target: str | None) -> None:
    """Make the change again that undo took back."""
    store = options.open_store(may_be_absent=True)
    report(options, store.redo(target or last_undone(store)))


def last_changed(store: MemoryStore) -> str:
    """The target of the newest change that undo could take back; the first target when there is none."""
    ids = _change_ids(store, lambda history, key: history.next_undo(key))
    return max(ids, key=lambda target: ids[target], default=TARGETS[0])


def last_undone(store: MemoryStore) -> str:
    """The target of the change that was taken back last: undo goes from the newest to the oldest."""
    ids = _change_ids(store, lambda history, key: history.next_redo(key))
    return min(ids, key=lambda target: ids[target], default=TARGETS[0])


def _change_ids(store: MemoryStore, next_change: Callable[[History, str], LoggedChange | None]) -> dict[str, int]:
    history = store.recorder.looking()
    if history is None:
        return {}
    changes = {target: next_change(history, str(real_path(store.path_of(target)))) for target in TARGETS}
    return {target: change.id for target, change in changes.items() if change is not None}


def report(options: Options, change: Change) -> None:
    """Say what a change did; its notices go to standard error."""
    if options.as_json:
        say_json(change_shape(change))
    else:
        say(str(change))
        for line in _stepped(change):
            say(line)
        for notice in change.notices:
            warn(f"note: {notice}")


def _stepped(change: Change) -> Iterator[str]:
    """What undo or redo did, a line a text: nobody named it, unlike the texts of the other changes."""
    for step in change.steps if change.action in ("undo", "redo") else ():
        if step.before is not None:
            yield f"  - {one_line(step.before, 4)}"
        if step.after is not None:
            yield f"  + {one_line(step.after, 4)}"


def given_text(text: str) -> str:
    """The argument, or standard input for `-`. Raises InvalidArgument when that is not UTF-8 or endless."""
    if text != "-":
        return text
    raw_bytes = sys.stdin.buffer.read(4 * MAX_TEXT_CHARS + 1).removeprefix(BOM_UTF8)
    if len(raw_bytes) > 4 * MAX_TEXT_CHARS:
        raise InvalidArgument(f"Standard input is longer than {MAX_TEXT_CHARS:,} characters; nothing was written.")
    try:
        return raw_bytes.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"Standard input is not UTF-8 (byte 0x{raw_bytes[error.start]:02X} at offset {error.start:,}); "
            "nothing was written. Convert it first, for example with iconv.",
            {"offset": error.start},
        ) from None
