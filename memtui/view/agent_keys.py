"""The commands of the agent's side: staged writes, homes, copies between them, real sessions, the archive.

A part of the one table in `keys.py`, which alone is asked for commands.
"""

from __future__ import annotations

from typing import Final

from memtui.view.command import Command, Context, Danger, Need

AGENT_PLACES: Final = frozenset({Context.STAGED, Context.HOMES, Context.COMPARE, Context.ARCHIVE})
"""The full screens of the agent's side."""

_STAGED: Final = frozenset({Context.STAGED})
_HOMES: Final = frozenset({Context.HOMES})
_ARCHIVE: Final = frozenset({Context.ARCHIVE})
_ENTRIES: Final = frozenset({Context.REVIEW, Context.COMPARE})
_HOME: Final = frozenset({Need.HOME})
_CHANGES: Final = frozenset({Need.HOME, Need.CHANGES})
_ENTRY: Final = frozenset({Need.HOME, Need.CHANGES, Need.ENTRY})

AGENT_COMMANDS: Final[tuple[Command, ...]] = (
    Command("staged.open", ("w",), "Staged", "Judge the writes that the agent waits to have approved.",
            footer=7, needs=_HOME),
    Command("home.choose", ("o",), "Homes", "List every home, and open or compare one.", footer=8),
    Command("snapshot.choose", ("s",), "Snapshot source",
            "Choose what the snapshot pane shows: a prediction, or what a real session of the agent holds.",
            footer=10, needs=frozenset({Need.HOME, Need.SNAPSHOT})),
    Command("entry.copy_to", ("c",), "Copy to", "Copy the entry to another home or to the other file.",
            contexts=_ENTRIES, danger=Danger.WRITES, footer=14, needs=_ENTRY),
    Command("entry.move_to", ("m",), "Move to",
            "Move the entry to another home or to the other file; one undo takes back both halves.",
            contexts=_ENTRIES, danger=Danger.REMOVES, footer=15, needs=_ENTRY),
    Command("archive.open", ("A",), "Archive", "List what the agent evicted into its archive, and bring it back.",
            contexts=frozenset({Context.REVIEW, Context.HISTORY}), footer=19, needs=_HOME),
    Command("staged.approve", ("enter", "a"), "Approve",
            "Write what is shown, through every guard, and drop the record.",
            contexts=_STAGED, danger=Danger.WRITES, footer=1, needs=_CHANGES),
    Command("staged.edit", ("e",), "Edit, approve", "Edit the new text, then approve it.",
            contexts=_STAGED, danger=Danger.WRITES, footer=2, needs=_CHANGES),
    Command("staged.reject", ("r", "d"), "Reject", "Drop the record without writing it, after asking.",
            contexts=_STAGED, danger=Danger.REMOVES, footer=3, needs=_CHANGES),
    Command("staged.approve_all", ("A",), "Approve all", "Approve every staged write that can be, after asking.",
            contexts=_STAGED, danger=Danger.WRITES, footer=4, needs=_CHANGES),
    Command("staged.reject_all", ("R",), "Reject all", "Drop every record without writing it, after asking.",
            contexts=_STAGED, danger=Danger.REMOVES, footer=5, needs=_CHANGES),
    Command("home.open", ("enter",), "Open", "Open the home in the app.", contexts=_HOMES, footer=1),
    Command("home.audit", ("t",), "Threats", "Open the home and go through every finding in it.",
            contexts=_HOMES, footer=5),
    Command("home.mark", ("space",), "Mark", "Mark the home as one side of a comparison, or take the mark back.",
            contexts=_HOMES, footer=2),
    Command("home.compare", ("c",), "Compare", "Compare the home with the marked one, else with the one in use.",
            contexts=_HOMES, footer=3),
    Command("home.filter", ("slash",), "Filter", "Show only the homes that hold all the words you type.",
            contexts=_HOMES, footer=4),
    Command("home.again", ("r",), "Read again", "Read every home anew.", contexts=_HOMES, footer=10),
    Command("archive.restore", ("enter", "r"), "Bring back", "Add the archived entry again, after asking.",
            contexts=_ARCHIVE, danger=Danger.WRITES, footer=1, needs=_CHANGES),
)
