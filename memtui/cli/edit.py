"""Commands that change one entry. Every check is the store's; nothing here opens a file."""

from __future__ import annotations

import sys

import click

from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import say, say_json, warn
from memtui.cli.shapes import change_shape
from memtui.core.errors import InvalidArgument
from memtui.core.model import MAX_TEXT_CHARS, TARGETS, Change

ALLOW = click.option(
    "--allow", metavar="RULE", multiple=True, help="Write the text although this rule refuses it."
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
    report(options, options.open_store().add(target, new_text, allow=allow))


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@click.argument("text")
@ALLOW
@write_options
@click.pass_obj
def replace(options: Options, target: str, old: str, text: str, allow: tuple[str, ...]) -> None:
    """Replace the entry that OLD names by TEXT.

    OLD is a name from `memtui list` such as #ab12cd34, the entry's text, or a part that no other entry of
    TARGET holds; always the whole entry is replaced. - reads TEXT from standard input.
    """
    new_text = given_text(text)
    report(options, options.open_store().replace(target, old, new_text, allow=allow))


@click.command()
@click.argument("target", type=TARGET)
@click.argument("old")
@write_options
@click.pass_obj
def remove(options: Options, target: str, old: str) -> None:
    """Remove the entry that OLD names.

    OLD is a name from `memtui list` such as #ab12cd34, the entry's text, or a part that no other entry of
    TARGET holds. - reads OLD from standard input.
    """
    old_text = given_text(old)
    report(options, options.open_store().remove(target, old_text))


@click.command()
@click.argument("target", type=TARGET, default=TARGETS[0])
@write_options
@click.pass_obj
def undo(options: Options, target: str) -> None:
    """Take back the last change of TARGET.

    Only what was changed through memtui, entry by entry; what others wrote since stays. TARGET is memory when
    it is not given.
    """
    report(options, options.open_store().undo(target))


@click.command()
@click.argument("target", type=TARGET, default=TARGETS[0])
@write_options
@click.pass_obj
def redo(options: Options, target: str) -> None:
    """Make the change of TARGET again that undo took back.

    TARGET is memory when it is not given.
    """
    report(options, options.open_store().redo(target))


def report(options: Options, change: Change) -> None:
    """Say what a change did; its notices go to standard error."""
    if options.as_json:
        say_json(change_shape(change))
    else:
        say(str(change))
        for notice in change.notices:
            warn(f"note: {notice}")


def given_text(text: str) -> str:
    """The argument, or standard input for `-`. Raises InvalidArgument when that is not UTF-8 or endless."""
    if text != "-":
        return text
    raw_bytes = sys.stdin.buffer.read(4 * MAX_TEXT_CHARS + 1)
    if len(raw_bytes) > 4 * MAX_TEXT_CHARS:
        raise InvalidArgument(
            f"Standard input is longer than {MAX_TEXT_CHARS:,} characters; nothing was written."
        )
    try:
        return raw_bytes.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"Standard input is not UTF-8 (byte 0x{raw_bytes[error.start]:02X} at offset {error.start:,}); "
            "nothing was written. Convert it first, for example with iconv.",
            {"offset": error.start},
        ) from None
