"""`memtui sessions` and `memtui snapshot --session`: what a chat that runs really holds of the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memtui.cli.backups import local_time
from memtui.cli.look import refuse_unreadable
from memtui.cli.options import Count, Options, command_options
from memtui.cli.output import one_line, say, say_json, short, warn
from memtui.cli.running import FAILED
from memtui.core.diff import RowKind
from memtui.core.errors import NotFound
from memtui.core.held import HeldView, held_view
from memtui.core.model import TARGETS
from memtui.core.pairing import paired
from memtui.core.visible import clip, visible_text

if TYPE_CHECKING:
    from memtui.disk.sessions import SessionPrompt, SessionsFound
    from memtui.store import MemoryStore

LISTED = 20
LATEST = "latest"

_WORDS = {
    RowKind.SAME: "held", RowKind.MOVED: "held", RowKind.CHANGED: "older", RowKind.NEW: "not_yet",
    RowKind.REMOVED: "gone",
}  # fmt: skip
_MARKS = {"held": "=", "older": "~", "not_yet": "+", "gone": "−"}


@click.command()
@click.option("--limit", type=Count(min=1, max=200), default=LISTED, help="List so many.")
@command_options
@click.pass_obj
def sessions(options: Options, limit: int) -> None:
    """List the newest sessions whose prompt the agent has stored.

    Read from the agent's state.db, where nothing is ever written. `memtui snapshot --session ID` shows what one
    of them holds.
    """
    found = _found(options.open_store(), limit)
    if options.as_json:
        say_json({"sessions": [_session_shape(one) for one in found.sessions], "problem": found.problem})
    else:
        _say_found(found)
    if not found.is_read:
        raise click.exceptions.Exit(FAILED)


def _say_found(found: SessionsFound) -> None:
    for one in found.sessions:
        held = ", ".join(f"{len(one.blocks[t])} in {t}" for t in TARGETS if t in one.blocks) or one.problem
        state = "running" if one.ended_at is None else "ended"
        words = "  ".join(filter(None, (one.source, one.model, one.title)))
        say(f"{short(one.id, 40)}  {local_time(one.started_at)}  {state:<7}  {held}  {one_line(words, 60)}")
    if found.problem:
        warn(f"memtui: {found.problem}")
    elif not found.sessions:
        say("The agent has recorded no session here (there is no state.db).")


def say_session(options: Options, store: MemoryStore, targets: tuple[str, ...], wanted: str) -> None:
    """Print what a session's prompt holds beside what is on disk. Raises NotFound."""
    session = _session(store, wanted)
    files = [store.inspect(target, scan=False) for target in targets]
    refuse_unreadable(files)
    views = {
        file.target: held_view(
            session.blocks.get(file.target, ()),
            file.entries,
            paired(file.entries, store.agent_view(file.target, live=True)),
        )
        for file in files
    }
    if options.as_json:
        shapes = [_view_shape(target, view, target in session.blocks) for target, view in views.items()]
        say_json({"session": _session_shape(session), "targets": shapes})
        return
    words = "  ".join(filter(None, (session.source, session.title)))
    say(f"session {short(session.id, 40)}  {local_time(session.started_at)}  {one_line(words, 60)}".rstrip())
    if session.problem:
        warn(f"memtui: {session.problem}")
    for target, view in views.items():
        _say_view(target, view, target in session.blocks)


def _found(store: MemoryStore, limit: int) -> SessionsFound:
    from memtui.disk.sessions import read_sessions
    from memtui.opening import home_of

    return read_sessions(home_of(store).root, limit)


def _session(store: MemoryStore, wanted: str) -> SessionPrompt:
    """The newest session, or the one of that id. Raises NotFound."""
    from memtui.disk.sessions import MAX_SESSIONS

    found = _found(store, MAX_SESSIONS)
    for one in found.sessions:
        if wanted in (LATEST, one.id):
            return one
    why = found.problem or f"no session is called “{clip(visible_text(wanted), 60)}”; `memtui sessions` lists them."
    if not found.sessions and not found.problem:
        why = "the agent has recorded none here (there is no state.db)."
    raise NotFound(f"There is no such session: {why} Without --session the snapshot is a prediction.")


def _session_shape(one: SessionPrompt) -> dict[str, Any]:
    return {
        "id": one.id,
        "source": one.source,
        "title": one.title,
        "model": one.model,
        "started_at": one.started_at,
        "ended_at": one.ended_at,
        "entries": {target: len(texts) for target, texts in one.blocks.items()},
        "problem": one.problem,
    }


def _view_shape(target: str, view: HeldView, has_block: bool) -> dict[str, Any]:
    rows = []
    for row in view.rows:
        held = None if row.snapshot_index is None else view.held[row.snapshot_index]
        rows.append(
            {
                "state": _WORDS[row.kind],
                "live": None if row.live_index is None else view.live[row.live_index],
                "prompt": held.shown if held else None,
                "hidden": held.is_hidden if held else False,
                "agent_rules": list(held.rule_ids) if held else [],
            }
        )
    return {"target": target, "in_prompt": has_block, "rows": rows}


def _say_view(target: str, view: HeldView, has_block: bool) -> None:
    counts = {
        "held": view.count(RowKind.SAME, RowKind.MOVED),
        "in older words": view.count(RowKind.CHANGED),
        "not in the chat yet": view.count(RowKind.NEW),
        "gone from disk, still in the chat": view.count(RowKind.REMOVED),
    }
    told = ", ".join(f"{count} {words}" for words, count in counts.items() if count) or "nothing"
    say(f"{target}  {told}{'' if has_block else '  (the prompt has no such block)'}")
    for row in view.rows:
        held = None if row.snapshot_index is None else view.held[row.snapshot_index]
        text = held.shown if held is not None else view.live[row.live_index or 0]
        hidden = "⊘" if held is not None and held.is_hidden else " "
        say(f"  {_MARKS[_WORDS[row.kind]]}{hidden} {one_line(text, 5)}")
