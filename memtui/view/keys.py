"""The one table of commands: footer, help, palette, key bindings and the README's key list all read it.

It says what exists and where it works; it runs nothing and knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memtui.view.agent_keys import AGENT_COMMANDS, AGENT_PLACES
from memtui.view.command import Command, Context, Danger, Need

__all__ = [
    "COMMANDS", "Command", "Context", "Danger", "Need", "command", "commands_in", "footer_commands", "key_name",
    "key_table", "keys_shown",
]  # fmt: skip

_EDITOR: Final = frozenset({Context.EDITOR})
_FILTER: Final = frozenset({Context.FILTER})
_ANYWHERE: Final = frozenset({Context.ANYWHERE})
_RESOLVER: Final = frozenset({Context.RESOLVER})
_HISTORY: Final = frozenset({Context.HISTORY})
_BESIDE: Final = frozenset({Context.RESOLVER, Context.HISTORY, Context.COMPARE})
_AUDIT: Final = frozenset({Context.AUDIT})
_KNOWN: Final = frozenset({Context.KNOWN})
_ABOVE: Final = frozenset({*_BESIDE, *_AUDIT, *_KNOWN, *AGENT_PLACES})
_LISTS: Final = frozenset({Context.REVIEW, *_ABOVE})
_WRITABLE: Final = frozenset({Need.HOME, Need.WRITABLE})
_WRITABLE_ENTRY: Final = frozenset({Need.HOME, Need.WRITABLE, Need.ENTRY})
_ENTRY: Final = frozenset({Need.ENTRY})
_HOME: Final = frozenset({Need.HOME})
_CHANGES: Final = frozenset({Need.HOME, Need.CHANGES})

COMMANDS: Final[tuple[Command, ...]] = (
    Command("entry.add", ("a",), "Add", "Write a new entry.",
            danger=Danger.WRITES, footer=1, needs=_WRITABLE),
    Command("entry.edit", ("e", "enter"), "Edit", "Edit the selected entry in place.",
            danger=Danger.WRITES, footer=2, needs=_WRITABLE_ENTRY),
    Command("entry.edit_outside", ("E",), "In $EDITOR", "Edit the selected entry in $VISUAL or $EDITOR.",
            danger=Danger.WRITES, footer=12, needs=_WRITABLE_ENTRY),
    Command("entry.remove", ("d",), "Remove", "Remove the selected entry, after asking.",
            danger=Danger.REMOVES, footer=3, needs=_WRITABLE_ENTRY),
    Command("change.undo", ("u",), "Undo", "Take back the last change made through memtui.",
            contexts=frozenset({Context.REVIEW, Context.HISTORY}), danger=Danger.WRITES, footer=4, needs=_WRITABLE),
    Command("change.redo", ("U",), "Redo", "Make the change again that was last taken back.",
            contexts=frozenset({Context.REVIEW, Context.HISTORY}), danger=Danger.WRITES, footer=13, needs=_WRITABLE),
    Command("drift.resolve", ("b",), "Drift", "Resolve drift, split merged entries, clean up backups.",
            footer=6, needs=_HOME),
    Command("history.open", ("H",), "History", "Show every version of the file, and bring one back.",
            footer=9, needs=_HOME),
    Command("file.tidy", ("x",), "Tidy",
            "Bring the file's layout into canonical form, after showing what changes.",
            danger=Danger.WRITES, footer=16, needs=_WRITABLE),
    Command("entry.split", ("S",), "Split",
            "Make entries of the notes that the selected entry holds, after showing them.",
            danger=Danger.WRITES, footer=17, needs=_WRITABLE_ENTRY),
    Command("threats.open", ("t",), "Threats", "Go through every finding of both targets, staged writes and backups.",
            footer=7, needs=_HOME),
    Command("entry.reword", ("r",), "Reword",
            "Put into the editor what the agent would see of a harmless note that it hides.",
            danger=Danger.WRITES, footer=18, needs=_WRITABLE_ENTRY),
    Command("filter.open", ("slash",), "Filter", "Show only the entries that hold all the words you type.",
            footer=5, needs=_HOME),
    Command("session.freeze", ("n",), "New session",
            "Freeze the snapshot anew, as a session that starts now would.",
            footer=10, needs=frozenset({Need.HOME, Need.SNAPSHOT})),
    Command("block.preview", ("p",), "Prompt", "Show the block that an agent gets into its prompt.",
            footer=7, needs=_HOME),
    Command("entry.copy", ("y",), "Copy", "Send the selected entry to the terminal's clipboard.",
            footer=11, needs=_ENTRY),
    Command("group.pick", ("1", "2", "3", "4", "5", "6", "7", "8", "9"), "Show",
            "Show the first, second, … group of entries.", contexts=frozenset({Context.REVIEW, Context.COMPARE}),
            needs=_HOME, takes_group=True),
    Command("pane.switch", ("tab", "shift+tab"), "Other pane", "Go to the other pane: live or snapshot.",
            footer=10, needs=_HOME),
    Command("move.down", ("down", "j"), "Down", "Go one entry down.", contexts=_LISTS, in_palette=False),
    Command("move.up", ("up", "k"), "Up", "Go one entry up.", contexts=_LISTS, in_palette=False),
    Command("move.page_down", ("pagedown",), "Page down", "Go one page down.",
            contexts=_LISTS, in_palette=False),
    Command("move.page_up", ("pageup",), "Page up", "Go one page up.", contexts=_LISTS, in_palette=False),
    Command("move.first", ("g", "home"), "First", "Go to the first entry.", contexts=_LISTS),
    Command("move.last", ("G", "end"), "Last", "Go to the last entry.", contexts=_LISTS),
    Command("detail.down", ("shift+down",), "Scroll text down", "Scroll the text of a long entry down.",
            contexts=_LISTS),
    Command("detail.up", ("shift+up",), "Scroll text up", "Scroll the text of a long entry up.",
            contexts=_LISTS),
    Command("step.back", ("escape",), "Back",
            "Step back: stop waiting, put a message away, clear the filter.", in_palette=False),
    Command("app.help", ("question_mark", "f1"), "Help", "Show every key.",
            contexts=_LISTS, footer=8),
    Command("app.theme", (), "Theme", "Choose other colours.", contexts=_LISTS),
    Command("app.quit", ("q",), "Quit", "Leave memtui.", footer=9),
    Command("app.palette", ("ctrl+p",), "Commands", "Find a command by typing a part of its name.",
            contexts=_ANYWHERE, in_palette=False),
    Command("app.leave", ("ctrl+q",), "Quit", "Leave memtui from anywhere; an unsaved text asks first.",
            contexts=_ANYWHERE, in_palette=False),
    Command("editor.save", ("ctrl+s",), "Save", "Save the text.", contexts=_EDITOR, danger=Danger.WRITES,
            footer=1),
    Command("editor.leave", ("escape",), "Leave", "Leave the editor; an unsaved text asks first.",
            contexts=_EDITOR, footer=2),
    Command("filter.accept", ("enter", "down"), "To the list", "Keep the filter and go to the list.",
            contexts=_FILTER, footer=1, in_palette=False),
    Command("filter.clear", ("escape",), "Clear", "Clear the filter and go to the list.",
            contexts=_FILTER, footer=2, in_palette=False),
    Command("draft.pick", ("space",), "Pick", "Pick the text for the file, or leave it out.",
            contexts=_RESOLVER, footer=1),
    Command("draft.edit", ("e",), "Edit", "Reword the text in place.", contexts=_RESOLVER, footer=2),
    Command("draft.write", ("enter",), "Write", "Write what is picked, in one guarded batch.",
            contexts=_RESOLVER,
            danger=Danger.WRITES, footer=3, needs=_WRITABLE),
    Command("draft.preview", ("p",), "Preview", "Show what writing would change on disk.",
            contexts=_RESOLVER, footer=4),
    Command("draft.merge", ("m",), "Merge", "Make one entry of this text and the next.",
            contexts=_RESOLVER, footer=10),
    Command("draft.split", ("s",), "Split", "Cut the text into the notes it holds.",
            contexts=_RESOLVER, footer=11),
    Command("draft.move_down", ("J",), "Move down", "Move the picked text one place down.",
            contexts=_RESOLVER, footer=16),
    Command("draft.move_up", ("K",), "Move up", "Move the picked text one place up.",
            contexts=_RESOLVER, footer=17),
    Command("draft.pick_all", ("a",), "All", "Pick every candidate of this source, or none.",
            contexts=_RESOLVER, footer=14),
    Command("draft.edit_outside", ("E",), "In $EDITOR", "Open the text in $VISUAL or $EDITOR.",
            contexts=_RESOLVER, footer=18),
    Command("backups.clean_up", ("D",), "Clean up",
            "Delete identical backups, or all that hold nothing more, after asking.",
            contexts=_RESOLVER, danger=Danger.REMOVES, footer=12, needs=_WRITABLE),
    Command("backups.restore", ("R",), "Restore", "Put the chosen backup back byte for byte, after asking.",
            contexts=_RESOLVER, danger=Danger.WRITES, footer=13, needs=_WRITABLE),
    Command("backups.make", ("B",), "Back up", "Make a backup of the file as it is now.", contexts=_RESOLVER,
            danger=Danger.WRITES, footer=19, needs=_WRITABLE),
    Command("source.encoding", ("c",), "Encoding", "Choose as what bytes that are not UTF-8 are read.",
            contexts=_RESOLVER, footer=15),
    Command("version.restore", ("enter", "r"), "Bring back",
            "Bring back the whole version, or the entry in the list of its entries, after asking.",
            contexts=_HISTORY, danger=Danger.WRITES, footer=1, needs=_WRITABLE),
    Command("version.compare", ("v",), "Compare", "Compare with the file now, or with the version before.",
            contexts=_HISTORY, footer=2),
    Command("finding.go", ("enter",), "Go to it",
            "Go to the entry that the finding stands in; in another home, open that home.", contexts=_AUDIT, footer=1),
    Command("finding.remove", ("d",), "Remove",
            "Remove the entry, the staged write or the backup that the finding stands in, after asking.",
            contexts=_AUDIT, danger=Danger.REMOVES, footer=2, needs=_CHANGES),
    Command("finding.edit", ("e",), "Edit", "Edit the entry that the finding stands in.", contexts=_AUDIT,
            danger=Danger.WRITES, footer=3, needs=_CHANGES),
    Command("finding.know", ("f",), "Fine", "Mark the finding as known and fine in this very text; asks why.",
            contexts=_AUDIT, danger=Danger.WRITES, footer=4, needs=_CHANGES),
    Command("finding.purge", ("P",), "Purge", "Say where else the text lies, and offer to delete it there for good.",
            contexts=_AUDIT, danger=Danger.REMOVES, footer=10, needs=_CHANGES),
    Command("audit.class", ("c",), "Class", "Show the next class of findings alone, or all classes again.",
            contexts=_AUDIT, footer=6),
    Command("audit.class_back", ("C",), "Class before", "Show the class before alone, or all classes again.",
            contexts=_AUDIT),
    Command("audit.state", ("s",), "State",
            "Show the findings of the next state alone (agent reads it, blocked, staged, …), or all again.",
            contexts=_AUDIT, footer=6),
    Command("audit.state_back", ("S",), "State before", "Show the findings of the state before alone, or all again.",
            contexts=_AUDIT),
    Command("audit.filter", ("slash",), "Filter", "Show only the findings that hold all the words you type.",
            contexts=_AUDIT, footer=5),
    Command("audit.homes", ("o",), "Homes", "Audit every home that is known, or this one alone again.",
            contexts=_AUDIT, footer=7),
    Command("audit.again", ("r",), "Audit again", "Look at every file anew.", contexts=_AUDIT, footer=14),
    Command("audit.copy", ("y",), "Copy report",
            "Send a report of the findings shown to the terminal's clipboard, without secrets.",
            contexts=_AUDIT, footer=12),
    Command("known.open", ("l",), "Known list", "List what is known and fine, and take something back.",
            contexts=_AUDIT, footer=13),
    Command("known.revoke", ("d", "enter"), "Take back", "Show the finding again, wherever its text stands.",
            contexts=_KNOWN, danger=Danger.WRITES, footer=1, needs=_CHANGES),
    Command("list.next", ("tab",), "Next list", "Go to the next list.", contexts=_BESIDE, footer=5),
    Command("list.previous", ("shift+tab",), "List before", "Go to the list before.",
            contexts=_BESIDE, in_palette=False),
    Command("place.leave", ("escape", "q"), "Back",
            "Go back to the review screen; a draft that is not written asks first.",
            contexts=_ABOVE, footer=9),
    *AGENT_COMMANDS,
)

_KEY_NAMES: Final = {
    "question_mark": "?", "slash": "/", "escape": "esc", "pagedown": "pgdn", "pageup": "pgup",
    "shift+down": "shift+↓", "shift+up": "shift+↑", "down": "↓", "up": "↑",
}


def command(command_id: str) -> Command:
    """The command with this id. Raises KeyError when there is none."""
    return _BY_ID[command_id]


def commands_in(context: Context) -> tuple[Command, ...]:
    """The commands that work in a context, in table order; those that work anywhere are not repeated here."""
    return tuple(entry for entry in COMMANDS if context in entry.contexts)


def footer_commands(context: Context) -> tuple[Command, ...]:
    """The commands a context's footer shows, the most important first."""
    return tuple(sorted((entry for entry in commands_in(context) if entry.footer), key=lambda entry: entry.footer))


def key_name(key: str) -> str:
    """A key as people write it: `question_mark` is `?`."""
    return _KEY_NAMES.get(key, key)


def keys_shown(entry: Command) -> str:
    """All keys of a command in one short text."""
    if entry.takes_group:
        return f"{entry.keys[0]}–{entry.keys[-1]}"
    return " ".join(key_name(key) for key in entry.keys)


def key_table(contexts: Iterable[Context] = tuple(Context)) -> str:
    """The README's key list: a Markdown table, one command a line."""
    lines = ["| key | what it does | where |", "|---|---|---|"]
    for entry in COMMANDS:
        where = ", ".join(context.value for context in contexts if context in entry.contexts)
        if entry.keys and where:
            keys = keys_shown(entry).replace("|", "\\|")
            lines.append(f"| `{keys}` | {entry.help} | {where} |")
    return "\n".join(lines)


_BY_ID: Final = {entry.id: entry for entry in COMMANDS}
