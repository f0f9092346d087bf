"""`memtui tidy` and `memtui split`: the form of a file changes, no word of it. Each first shows how."""

from __future__ import annotations

import click

from memtui.cli.asking import YES, is_wanted, say_diff
from memtui.cli.edit import report
from memtui.cli.look import refuse_unreadable
from memtui.cli.naming import entry_meant
from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import one_line, say, say_json
from memtui.cli.refusing import Refusals
from memtui.cli.shapes import change_shape
from memtui.core.diff import line_diff
from memtui.core.model import TARGETS, MemoryFile
from memtui.core.visible import visible_text


@click.command()
@click.argument("target", type=TARGET, required=False)
@YES
@write_options
@click.pass_obj
def tidy(options: Options, target: str | None, yes: bool) -> None:
    """Bring TARGET (default: both) into canonical form, after showing the difference.

    No entry's text changes: blank lines, stray signs, line endings and repeated entries go. A drifted file is
    refused. `memtui undo` takes it back.
    """
    from memtui.actions.tidy import tidied
    from memtui.actions.tidy import tidy as tidy_now

    store = options.open_store()
    files = [store.inspect(name, scan=False) for name in ([target] if target else TARGETS)]
    refuse_unreadable(files)
    untidy = [file for file in files if file.exists and (file.drift or tidied(file) != file.raw)]
    changes, refusals = [], Refusals()
    for file in untidy:
        if not options.as_json and not file.drift:
            _say_tidying(file, tidied(file))
        if file.drift or is_wanted(options, f"Tidy {file.target}?", yes):
            with refusals.of(file.target):
                changes.append(tidy_now(store, file.target))
                if not options.as_json:
                    report(options, changes[-1])
    if options.as_json:
        say_json({**refusals.shape(), "changes": [change_shape(change) for change in changes]})
    elif not untidy:
        say("Nothing to tidy: the layout is canonical.")
    refusals.leave()


@click.command()
@click.argument("target", type=TARGET)
@click.argument("entry")
@YES
@write_options
@click.pass_obj
def split(options: Options, target: str, entry: str, yes: bool) -> None:
    """Make entries of the notes that ENTRY of TARGET holds, after showing them and the new size.

    ENTRY is a name from `memtui list` such as #ab12cd34 (not its number), the entry's text, or a part that no
    other entry holds.
    """
    from memtui.actions.split import split as split_now
    from memtui.actions.split import split_change

    store = options.open_store()
    file = store.inspect(target, scan=False)
    refuse_unreadable([file])
    proposed = split_change(file, entry_meant(store, target, entry))
    if not options.as_json:
        for number, text in enumerate(proposed.new_texts, 1):
            say(f"{number:>4}  {len(text):>5}  {one_line(text, 13)}")
        say(
            f"{target} will hold {proposed.used_chars:,} of {proposed.limit_chars:,} characters "
            f"(now {file.budget.used_chars:,})."
        )
    if is_wanted(options, "Split it?", yes):
        report(options, split_now(store, target, proposed.before or entry, proposed.new_texts))


def _say_tidying(file: MemoryFile, raw_bytes: bytes) -> None:
    from memtui.actions.tidy import untidy_words

    say(f"{file.target}: {visible_text(untidy_words(file))}")
    say_diff(line_diff(_flat(file.raw), _flat(raw_bytes)))


def _flat(raw_bytes: bytes) -> str:
    return raw_bytes.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
