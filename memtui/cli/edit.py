"""Commands that change one entry. Every check is the store's; nothing here opens a file."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from memtui.cli.naming import entry_meant
from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.shapes import change_shape
from memtui.core.change import Change
from memtui.core.errors import InvalidArgument
from memtui.core.model import MAX_TEXT_CHARS, entry_name
from memtui.core.visible import clip, visible_text

if TYPE_CHECKING:
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
    store = options.open_store(may_be_absent=True)
    warn_of_unknown(allow)
    report(options, store.add(target, new_text, allow=allow))


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
    warn_of_unknown(allow)
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

    Only what was changed through memtui, a redo included, entry by entry; what others wrote since stays.
    """
    from memtui.actions.latest import undo_latest

    store = options.open_store(may_be_absent=True)
    report(options, store.undo(target) if target else undo_latest(store))


@click.command()
@click.argument("target", type=TARGET, required=False)
@write_options
@click.pass_obj
def redo(options: Options, target: str | None) -> None:
    """Make the change again that undo took back.

    A new change ends that: after one in the other file TARGET has to be named.
    """
    from memtui.actions.latest import redo_latest

    store = options.open_store(may_be_absent=True)
    report(options, store.redo(target) if target else redo_latest(store))


def warn_of_unknown(allow: Sequence[str]) -> None:
    """Say which ids given to --allow no rule has; to be called once the store, and with it own rules, are open."""
    from memtui.core.threats.chosen import chosen_scanner

    for rule_id in allow:
        if rule_id not in chosen_scanner().rule_ids:
            warn(f"note: there is no rule “{clip(visible_text(rule_id), 60)}”, so --allow lets nothing through for it.")


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
