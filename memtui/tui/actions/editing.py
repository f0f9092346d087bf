"""Commands that change a file: add, edit, save, remove, undo.

Each asks what has to be asked and hands a job to the store. No text is lost on the way: a refused save leaves the
editor open with its draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memtui.core.errors import Conflict, ThreatFound
from memtui.tui.asking import ask, ask_then
from memtui.tui.entry_jobs import EntryJobs
from memtui.view import questions, texts
from memtui.view.draft import Draft
from memtui.view.events import ChangeCommitted, ChangeRefused, Event
from memtui.view.fields import can_be_typed
from memtui.view.rows import BLOCKED, DANGEROUS

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.review import ReviewScreen


async def add(screen: ReviewScreen, key: str) -> None:
    """Open the editor on nothing."""
    if group := screen.state.group:
        await open_editor(screen, Draft(group.key, None, ""))


async def edit(screen: ReviewScreen, key: str) -> None:
    """Open the editor on the selected entry."""
    text = _live_text(screen)
    if text is None or screen.state.group is None:
        return
    if not can_be_typed(text):
        screen.memtui.tell(texts.Notice(texts.EDITOR_CANNOT_HOLD, texts.Level.WARNING))
        return
    await open_editor(screen, Draft(screen.state.group.key, text, text))


async def edit_outside(screen: ReviewScreen, key: str) -> None:
    """Open the selected entry in $VISUAL or $EDITOR and save what comes back."""
    from memtui.tui.external_editor import edit_text

    text = _live_text(screen)
    if text is None or screen.state.group is None:
        return
    edited = edit_text(screen.memtui, text)
    if edited.problem:
        screen.memtui.tell(texts.Notice(edited.problem, texts.Level.ERROR))
    elif edited.text.strip() == text.strip():
        screen.memtui.tell(texts.Notice(texts.UNCHANGED))
    else:
        screen.memtui.start(_save(screen, Draft(screen.state.group.key, text, edited.text.strip())))


async def open_editor(screen: ReviewScreen, draft: Draft) -> None:
    """Open the editor in the lower box."""
    from memtui.tui.widgets.editor import EditorPanel

    load = next((group.load for group in screen.state.groups if group.key == draft.group), None)
    if load is not None and screen.editor is None:
        screen.after_editing, jobs = None, screen.memtui.jobs
        await screen.mount_editor(EditorPanel(draft, load.file, jobs.store.suppressions, jobs.outside))


def _finish(screen: ReviewScreen) -> None:
    """Close the editor, and go back to where it was opened from."""
    screen.close_editor()
    if then := screen.after_editing:
        screen.after_editing = None
        then()


def save(screen: ReviewScreen, key: str) -> None:
    """Save the editor's draft."""
    if editor := screen.editor:
        if editor.draft.is_changed:
            screen.memtui.start(_save(screen, editor.draft))
        else:
            _finish(screen)
            screen.memtui.tell(texts.Notice(texts.UNCHANGED))


async def leave(screen: ReviewScreen, key: str) -> None:
    """Leave the editor; an unsaved text asks first."""
    if screen.state.waiting:
        screen.memtui.jobs.give_up_waiting()
    else:
        await screen.drop_text_then(lambda: _finish(screen))


async def remove(screen: ReviewScreen, key: str) -> None:
    """Ask, then remove the selected entry."""
    app, group, text = screen.memtui, screen.state.group, _live_text(screen)
    if text is None or group is None:
        return

    is_threat = _is_threat(screen)

    async def answered(answer: str) -> None:
        if answer == "remove":
            events = await app.change(lambda: EntryJobs(app.jobs).remove(group.key, text))
            if is_threat and any(isinstance(event, ChangeCommitted) for event in events):
                from memtui.tui.actions.purging import offer_for_entry

                await offer_for_entry(app, text)

    await ask_then(app, questions.remove_question(text, group.file_name), answered)


def _change(job: str) -> Handler:
    def changed(screen: ReviewScreen, key: str) -> None:
        app, group = screen.memtui, screen.state.group
        if group is not None:
            entries = EntryJobs(app.jobs)
            jobs: Mapping[str, Callable[[str], tuple[Event, ...]]] = {"undo": entries.undo, "redo": entries.redo}
            app.start(app.change(lambda: jobs[job](group.key)))

    return changed


async def _save(screen: ReviewScreen, draft: Draft, allow: tuple[str, ...] = ()) -> None:
    app = screen.memtui
    if screen.editor:
        screen.editor.field.read_only = True
    events = await app.change(lambda: EntryJobs(app.jobs).save(draft, allow), quiet=(ThreatFound.code, Conflict.code))
    if screen.editor:
        screen.editor.field.read_only = False
    if any(isinstance(event, ChangeCommitted) for event in events):
        _finish(screen)
        return
    refusal = next(event for event in events if isinstance(event, ChangeRefused))
    if screen.editor is None:
        # A refused text from $EDITOR goes on in the editor here, so that it is not lost.
        await open_editor(screen, draft)
    if refusal.code == ThreatFound.code:
        if await ask(app, questions.threat_question(refusal.details)) == "allow":
            await _save(screen, draft, tuple(refusal.details["rules"]))
    elif refusal.code == Conflict.code:
        await _settle_conflict(screen, draft, refusal.details.get("live"))


async def _settle_conflict(screen: ReviewScreen, draft: Draft, theirs: str | None) -> None:
    answer = await ask(screen.memtui, questions.conflict_question(draft.text, theirs))
    if answer == "mine":
        await _save(screen, Draft(draft.group, theirs, draft.text))
    elif answer == "theirs":
        _finish(screen)
    elif answer == "both" and screen.editor and theirs is not None:
        screen.editor.take(Draft(draft.group, theirs, f"{theirs}\n\n{draft.text}"))


def _is_threat(screen: ReviewScreen) -> bool:
    row = screen.state.picked
    return row is not None and row.live is not None and bool({DANGEROUS, BLOCKED} & {*row.live.badges})


def _live_text(screen: ReviewScreen) -> str | None:
    row = screen.state.picked
    if row is None:
        return None
    if row.live is None:
        screen.memtui.tell(texts.Notice(texts.NOT_ON_DISK, texts.Level.WARNING))
        return None
    return row.live.text


HANDLERS: Mapping[str, Handler] = {
    "entry.add": add,
    "entry.edit": edit,
    "entry.edit_outside": edit_outside,
    "entry.remove": remove,
    "change.undo": _change("undo"),
    "change.redo": _change("redo"),
    "editor.save": save,
    "editor.leave": leave,
}
