"""Every sentence of the app: empty states, notifications, confirmations, captions.

Sentences are plain text. What they quote from a file goes through `core.visible` here, so that no widget has to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memtui.core.change import Change
from memtui.core.model import ExternalChange, MemoryFile
from memtui.core.visible import clip, visible_text
from memtui.view.events import (
    ChangeCommitted,
    Event,
    FileLoaded,
    SnapshotFrozen,
    StagedCounted,
)
from memtui.view.keys import Need
from memtui.view.rows import Side
from memtui.view.state import GroupView, Phase, ViewState

TOO_SMALL: Final = ("memtui needs a", "larger window.", "ctrl+q leaves.")
HOW_TO_QUIT: Final = "Press q (ctrl+q while typing) to leave memtui."
COPIED: Final = "Sent to the terminal's clipboard. In tmux this needs `set -g set-clipboard on`."
NOTHING_TO_COPY: Final = "There is no entry to copy."
PREVIEW_EMPTY: Final = "The store is empty: the agent gets no block."
STILL_OPENING: Final = "The home is still being opened."
NO_ENTRY: Final = "Select an entry first; a writes a new one."
NO_SNAPSHOT: Final = "These entries have no snapshot."
PREVIEW_TITLE: Final = "The block that the agent gets"
READING_HINT: Final = "esc closes · arrows scroll"
HELP_TITLE: Final = "Keys and marks"
NOT_ON_DISK: Final = "This entry is gone from disk: only the snapshot still shows it. a writes it anew."
NO_EDITOR: Final = "Neither $VISUAL nor $EDITOR names an editor that can be started: set one, or edit here with e."
EDITOR_CANNOT_HOLD: Final = (
    "This entry holds line breaks or control characters that the editor here would change. "
    "E opens it in $EDITOR, which keeps every byte."
)
FROZEN_ANEW: Final = "Frozen anew: this is what a session that starts now would hold. A running agent keeps its own."
STILL_WRITING: Final = "A change is still being written. Leave once it is done; esc ends a wait for a lock."
UNCHANGED: Final = "Nothing was changed, so nothing was written."


class Level(StrEnum):
    """How loud a notice is."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """One notification."""

    message: str
    level: Level = Level.INFORMATION
    topic: str = ""
    """What it is news of: a newer notice of the same takes its place. Empty for what happens once."""

    @property
    def seconds(self) -> float:
        """How long it stays: a success is glanced at, a failure is read."""
        return {Level.INFORMATION: 3.0, Level.WARNING: 7.0, Level.ERROR: 12.0}[self.level]


def notices(event: Event, state: ViewState) -> tuple[Notice, ...]:
    """What to tell about an event, `state` being the one after it. Failures stand above the footer until esc."""
    match event:
        case FileLoaded(group=key, external=external) if external:
            told = f"{_file_name(state, key)} changed outside: {_outside_words(state, key, external)}"
            return (Notice(f"{told}; {_old_text_words(state, key)}.", Level.WARNING, f"outside {key}"),)
        case ChangeCommitted(change=change):
            return (_change_notice(change),)
        case StagedCounted(came=came) if came > 0:
            waits = "A new staged write waits" if came == 1 else f"{came:,} new staged writes wait"
            shows = f"{waits} for approval: w shows {'it' if came == 1 else 'them'}."
            return (Notice(shows, topic="staged"),)
        case SnapshotFrozen():
            return (Notice(FROZEN_ANEW),)
        case _:
            return ()


def _change_notice(change: Change) -> Notice:
    more = tuple(visible_text(notice, keep_newlines=True) for notice in change.notices)
    return Notice("\n".join((str(change), *more)), Level.WARNING if more else Level.INFORMATION)


def _outside_words(state: ViewState, key: str, last: ExternalChange) -> str:
    """What the last write changed, and all since the session began: its notice takes the place of those before."""
    whole = next((group.outside for group in state.groups if group.key == key), last)
    return last.summary if whole.summary == last.summary else f"{last.summary} ({whole.summary} in all)"


def _old_text_words(state: ViewState, key: str) -> str:
    """Who still has the old text: what a real session holds is known, else it is a guess."""
    group = next((group for group in state.groups if group.key == key), None)
    is_known = bool(group and group.load and group.load.snapshot and group.load.snapshot.chat)
    return "the session shown still holds the old text" if is_known else "a running session may still hold the old text"


def _file_name(state: ViewState, key: str) -> str:
    return next((group.file_name for group in state.groups if group.key == key), key)


def empty_state(state: ViewState) -> tuple[str, ...]:
    """Why the list is empty and which key to press next, one sentence a line; () when it is not."""
    group = state.group
    if state.phase is Phase.MISSING:
        return ("No home found.", *_sentences(state.problem),
                "Start `memtui PATH` with the folder of an agent, or `memtui demo` to try it. q leaves.")
    if group is None or group.load is None:
        return ("Reading …",)
    if group.shown:
        return ()
    file = group.load.file
    if file.problem:
        return (f"{group.file_name} cannot be read.", *_sentences(file.problem),
                "Put that right and it is shown here by itself; p shows what the session holds. q leaves.")
    if group.rows:
        return (f"Nothing matches “{clip(state.query, 40)}”.", "esc clears the filter, / changes it.")
    if not file.exists:
        return (f"{group.file_name} does not exist yet.", _write_first(state))
    return (f"{group.file_name} holds no entry.", _write_first(state))


def _write_first(state: ViewState) -> str:
    if state.home is not None and state.home.read_only:
        return "Nothing can be written here: " + clip(state.home.read_only, 120)
    return "Press a to write the first entry."


def _sentences(text: str) -> tuple[str, ...]:
    return (clip(text, 400),) if text else ()


def pane_title(group: GroupView | None, side: Side, is_alone: bool) -> str:
    """What stands in a pane's upper border."""
    load = group.load if group else None
    scanning = " · scanning …" if load and not load.is_scanned else ""
    hint = " · tab: other pane" if is_alone else ""
    if side is Side.LIVE:
        count = len(load.file.entries) if load else 0
        entries = f" · {count:,} entr{'y' if count == 1 else 'ies'}" if load else ""
        filtered = f" · {len(group.shown):,} shown" if group and load and len(group.shown) != len(group.rows) else ""
        return f"Live · on disk{entries}{filtered}{scanning}{hint}"
    if load is None or load.snapshot is None:
        return f"Snapshot{scanning}{hint}"
    if load.snapshot.chat:
        return f"Snapshot{scanning} · {load.snapshot.chat} · frozen {load.snapshot.frozen_words}{hint}"
    return f"Snapshot{scanning} · prediction, frozen {load.snapshot.frozen_words} by memtui{hint}"


def pane_subtitle(group: GroupView | None, side: Side) -> str:
    """What stands in a pane's lower border."""
    if side is not Side.SNAPSHOT:
        return ""
    snapshot = group.load.snapshot if group and group.load else None
    return (snapshot.summary if snapshot else "") or "a running agent may hold older text"


def changed_underneath(*, is_gone: bool) -> str:
    """Told in the editor when another program changed or removed the edited entry."""
    if is_gone:
        return "Another program removed this entry; ctrl+s asks whether to add yours as a new one."
    return "Another program changed this entry; ctrl+s asks which text to keep."


def editor_failed(program: str, reason: object) -> str:
    """Why nothing came back from an editor."""
    return f"{clip(program, 60)} ended with {clip(str(reason), 120)}; nothing was saved."


def unexpected(error: BaseException) -> str:
    """A failure that nobody foresaw, in one sentence."""
    what = f"{type(error).__name__}: {clip(str(error), 200)}"
    return f"Something unexpected happened ({what}). No file was changed by it."


def dropped_from_paste(count: int) -> str:
    """Told when a paste held what a text field must not hold."""
    are = "character was" if count == 1 else "characters were"
    return f"{count:,} invisible or control {are} left out of the paste."


def watch_words(mode: str) -> str:
    """How the folder is watched, for the header."""
    return {"notify": "watching", "poll": "looking every second", "wait": "waiting for the folder"}.get(mode, mode)


def status(state: ViewState) -> str:
    """The line above the footer: what is waited for, else the last failure; empty when there is neither."""
    return f"… esc stops waiting. {state.waiting}" if state.waiting else state.problem


def need(missing: Need, state: ViewState) -> str:
    """Why a command cannot run now."""
    match missing:
        case Need.HOME:
            return " ".join(empty_state(state)) if state.phase is Phase.MISSING else STILL_OPENING
        case Need.WRITABLE | Need.CHANGES:
            file = state.group.load.file if state.group and state.group.load else None
            return read_only_sentence(file, state.home.read_only if state.home else "")
        case Need.ENTRY:
            return NO_ENTRY
        case Need.SNAPSHOT:
            return NO_SNAPSHOT


def read_only_sentence(file: MemoryFile | None, home_words: str) -> str:
    """Why a writing key does nothing; empty when writing is possible."""
    why = home_words or (file.problem or file.read_only if file else "")
    return f"Nothing can be written here: {clip(why, 300)}" if why else ""
