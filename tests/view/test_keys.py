"""The table of commands: complete, without clashes, and read by everything that shows keys."""

from __future__ import annotations

from collections import Counter

import pytest

from memtui.core.visible import cell_width
from memtui.view.chrome import footer_line
from memtui.view.help import help_page
from memtui.view.keys import (
    COMMANDS,
    Context,
    Danger,
    Need,
    command,
    commands_in,
    footer_commands,
    key_table,
    keys_shown,
)

UNUSABLE = ("ctrl+h", "ctrl+i", "ctrl+m", "backspace", "ctrl+z", "ctrl+slash")


@pytest.mark.parametrize("context", list(Context))
def test_no_key_means_two_things_in_one_place(context: Context) -> None:
    anywhere = (
        {}
        if context is Context.ANYWHERE
        else {key: 1 for c in commands_in(Context.ANYWHERE) for key in c.keys}
    )
    bound = Counter(key for entry in commands_in(context) for key in entry.keys)
    bound.update(anywhere)

    assert [key for key, count in bound.items() if count > 1] == []


def test_every_command_says_what_it_does() -> None:
    for entry in COMMANDS:
        assert entry.label, entry.id
        assert entry.help.endswith("."), entry.id
        assert entry.contexts, entry.id
        assert command(entry.id) is entry
    assert len({entry.id for entry in COMMANDS}) == len(COMMANDS)


def test_every_command_that_writes_is_refused_at_once_where_nothing_may_be_written() -> None:
    # A text is only saved from the editor, and that opens where writing is possible.
    writing = [entry for entry in COMMANDS if entry.danger is not Danger.LOOKS and entry.id != "editor.save"]

    assert [entry.id for entry in writing if not entry.needs & {Need.CHANGES, Need.WRITABLE}] == []


def test_no_command_needs_a_key_that_terminals_do_not_deliver() -> None:
    keys = {key for entry in COMMANDS for key in entry.keys}

    assert not keys & set(UNUSABLE)
    assert not [key for key in keys if key.startswith("alt+") or key.endswith("+enter")]


def test_help_lists_every_command_that_has_a_key() -> None:
    page = "\n".join("".join(span.text for span in line) for line in help_page())

    for entry in COMMANDS:
        if entry.keys:
            assert keys_shown(entry) in page, entry.id
            assert entry.help in page, entry.id


def test_the_readmes_table_holds_every_command_that_has_a_key() -> None:
    table = key_table()

    assert all(entry.help in table for entry in COMMANDS if entry.keys)


@pytest.mark.parametrize("width", [0, 3, 20, 40, 60, 80, 120, 300])
def test_a_footer_shows_whole_keys_only(width: int) -> None:
    commands = footer_commands(Context.REVIEW)

    line, slots = footer_line(commands, frozenset(), width)

    assert sum(cell_width(span.text) for span in line) <= width
    others = [slot.target for slot in slots if slot.target != "app.help"]
    assert others == [entry.id for entry in commands if entry.id != "app.help"][: len(others)]
    assert all(slot.end <= width for slot in slots)
