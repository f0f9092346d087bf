"""The staged writes' commands: approve, edit then approve, reject, one or all.

What is approved is what was shown; when the entry changed since, both texts are shown and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import Conflict, ThreatFound
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.asking import ask, ask_then
from memtui.view import questions, texts
from memtui.view import staged_texts as words
from memtui.view.draft import Draft
from memtui.view.events import ChangeCommitted, ChangeRefused
from memtui.view.fields import can_be_typed
from memtui.view.staged import SeenAnew

if TYPE_CHECKING:
    from memtui.actions.pending import Answered, PendingView
    from memtui.tui.actions import Handler
    from memtui.tui.screens.review import ReviewScreen
    from memtui.tui.screens.staged import StagedScreen


async def open_staged(screen: ReviewScreen, key: str) -> None:
    """Open the staged writes."""
    from memtui.tui.screens.staged import StagedScreen

    await screen.app.push_screen(StagedScreen())


def _view(screen: StagedScreen) -> PendingView | None:
    """The record under the cursor; says so when there is none, or when it cannot be read."""
    view = screen.staged.view
    if view is None:
        screen.fail(words.NO_RECORD)
    return view


def approve(screen: StagedScreen, key: str) -> None:
    """Approve the record under the cursor."""
    if view := _view(screen):
        screen.memtui.start(_approve(screen, view, {}))


async def _approve(
    screen: StagedScreen, view: PendingView, edited: Mapping[int, str], allow: Sequence[str] = ()
) -> None:
    app = screen.memtui
    job = partial(screen.jobs.approve, screen.staged.as_listed(view), edited, tuple(allow))
    events = await app.change(job, quiet=(ThreatFound.code, Conflict.code))
    if any(isinstance(event, ChangeCommitted) for event in events):
        screen.close_editor()
    await _refresh(screen)
    refusal = next((event for event in events if isinstance(event, ChangeRefused)), None)
    if refusal is None:
        return
    if refusal.code == ThreatFound.code:
        answers = words.ANSWERS_WHILE_EDITING if edited else words.ANSWERS_TO_A_THREAT
        if await ask(app, questions.threat_question(refusal.details, *answers)) == "allow":
            await _approve(screen, view, edited, tuple(refusal.details["rules"]))
    elif refusal.code == Conflict.code:
        question = words.conflict_question(refusal.details, refusal.message)
        if await ask(app, question) == "again":
            screen.apply(SeenAnew(view.staged.id))


async def _refresh(screen: StagedScreen) -> None:
    """Count and list anew what is left."""
    app = screen.memtui
    app.apply(await app.jobs.run(partial(screen.jobs.count, None)))
    await screen.read_anew()


# ---------------------------------------------------------------------------------------------- edit, then approve


def edit(screen: StagedScreen, key: str) -> None:
    """Edit a new text of the record; saving approves it."""
    view = _view(screen)
    if view is not None:
        screen.memtui.start(_edit(screen, view))


async def _edit(screen: StagedScreen, view: PendingView) -> None:
    places = [at for at, change in enumerate(view.changes) if change.action != "remove" and change.after]
    if not places:
        screen.fail(words.NOTHING_TO_EDIT)
        return
    at = places[0] if len(places) == 1 else await _which(screen, view, places)
    text = view.changes[at].after if at is not None else None
    if at is None or text is None:
        return
    if not can_be_typed(text):
        screen.fail(words.UNFIT_TO_TYPE)
    else:
        await _open_editor(screen, view, at, text)


async def _which(screen: StagedScreen, view: PendingView, places: Sequence[int]) -> int | None:
    """Which operation of a batch is meant."""
    from memtui.tui.screens.pick import PickScreen
    from memtui.view.picking import Choices, text_choice

    rows = tuple(text_choice(view.changes[at].action, view.changes[at].after or "") for at in places)
    picked = await screen.app.push_screen_wait(PickScreen(Choices(words.WHICH_OPERATION, rows)))
    return None if picked is None else places[picked]


@dataclass(frozen=True, slots=True)
class Edited:
    """Which text of which record the open editor holds."""

    view: PendingView
    at: int


async def _open_editor(screen: StagedScreen, view: PendingView, at: int, text: str) -> None:
    from memtui.tui.widgets.editor import EditorPanel

    target = view.staged.target
    load = next((group.load for group in screen.state.groups if group.key == target), None)
    if load is None or screen.editor is not None:
        return
    screen.edited = Edited(view, at)
    draft, jobs = Draft(target, view.changes[at].before, text, opened=text), screen.memtui.jobs
    await screen.mount_editor(EditorPanel(draft, load.file, jobs.store.suppressions, jobs.outside))


def save(screen: StagedScreen, key: str) -> None:
    """Approve the record with the editor's text."""
    editor, edited = screen.editor, screen.edited
    if editor is not None and edited is not None:
        screen.memtui.start(_approve(screen, edited.view, {edited.at: editor.draft.text}))


async def leave_editor(screen: StagedScreen, key: str) -> None:
    """Leave the editor; a text that was edited asks first."""
    if screen.state.waiting:
        screen.memtui.jobs.give_up_waiting()
    else:
        await screen.drop_text_then(screen.close_editor)


# ------------------------------------------------------------------------------------------------- reject, and all


async def reject(screen: StagedScreen, key: str) -> None:
    """Ask, then drop the record under the cursor."""
    view = _view(screen)
    if view is None:
        return

    async def answered(answer: str) -> None:
        if answer == "reject":
            await _answer_all(screen, partial(screen.jobs.reject, [view]), words.REJECTED)

    await ask_then(screen.memtui, words.reject_question(view), answered)


async def approve_all(screen: StagedScreen, key: str) -> None:
    """Ask, then approve every record that is not refused as things stand."""
    views = tuple(screen.staged.as_listed(view) for view in screen.staged.views or () if not view.refusal)
    if not views:
        screen.fail(words.NONE_TO_APPROVE if screen.staged.views else words.NO_RECORD)
        return

    async def answered(answer: str) -> None:
        if answer == "approve":
            await _answer_all(screen, partial(screen.jobs.approve_all, views), words.APPROVED)

    await ask_then(screen.memtui, words.approve_all_question(screen.staged.views or ()), answered)


async def reject_all(screen: StagedScreen, key: str) -> None:
    """Ask, then drop every record."""
    views = screen.staged.views or ()
    if not views:
        screen.fail(words.NO_RECORD)
        return

    async def answered(answer: str) -> None:
        if answer == "reject":
            await _answer_all(screen, partial(screen.jobs.reject, views), words.REJECTED)

    await ask_then(screen.memtui, words.reject_all_question(views), answered)


async def _answer_all(screen: StagedScreen, job: Callable[[], Sequence[Answered]], verb: str) -> None:
    """Answer, and show what came of it: in the files, in the list, in words."""
    app = screen.memtui
    answers = await app.jobs.write(job)
    await app.lookout.look_again()
    await _refresh(screen)
    for answer in answers:
        for notice in answer.change.notices if answer.change else ():
            app.tell(texts.Notice(notice, texts.Level.WARNING))
    if any(answer.refusal is not None for answer in answers):
        await ask(app, words.results_question(answers, verb))
    else:
        app.tell(texts.Notice(words.results_words(answers, verb)))


OWN_HANDLERS: Mapping[str, Handler] = {**PLACE_HANDLERS, "editor.save": save, "editor.leave": leave_editor}

HANDLERS: Mapping[str, Handler] = {
    "staged.open": open_staged,
    "staged.approve": approve,
    "staged.edit": edit,
    "staged.reject": reject,
    "staged.approve_all": approve_all,
    "staged.reject_all": reject_all,
}
