"""Commands round threats: the audit screen and what it does to what holds a finding, and rewording."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import MemoryRefused
from memtui.tui.actions.placing import HANDLERS as PLACE_OWN
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.tui.actions.reaching import reach
from memtui.tui.asking import ask_then
from memtui.view import audit_rows, texts
from memtui.view import threat_texts as words
from memtui.view.audit import ClassChosen, FiltersCleared, StateChosen, WordsTyped
from memtui.view.audit_finding import MEMORY
from memtui.view.draft import Draft
from memtui.view.events import ChangeCommitted
from memtui.view.fields import can_be_typed

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.app import MemtuiApp
    from memtui.tui.screens.audit import AuditScreen
    from memtui.tui.screens.review import ReviewScreen
    from memtui.view.audit import AuditState
    from memtui.view.audit_finding import AuditRow


async def open_audit(screen: ReviewScreen, key: str) -> None:
    """Open the audit, where it was left for an entry."""
    from memtui.tui.screens.audit import AuditScreen

    await screen.app.push_screen(AuditScreen(_taken_left(screen)))


def _taken_left(review: ReviewScreen) -> AuditState | None:
    left, review.left_audit = review.left_audit, None
    return left


async def reword(screen: ReviewScreen, key: str) -> None:
    """Open the editor on the selected note with the words that the agent would see."""
    from memtui.tui.actions.editing import open_editor

    group, row = screen.state.group, screen.state.picked
    if group is None or group.load is None or row is None or row.live is None:
        screen.memtui.tell(texts.Notice(texts.NOT_ON_DISK, texts.Level.WARNING))
        return
    advice = group.load.advice.get(row.live.text)
    if advice is None or not advice.rewordings:
        screen.memtui.tell(texts.Notice(words.NO_OTHER_WORDS if advice else words.AGENT_SEES_IT))
        return
    await open_editor(screen, Draft(group.key, row.live.text, advice.rewordings[0].text))


async def go(screen: AuditScreen, key: str) -> None:
    """Go to the entry in the review, or to the staged write; in another home, open that home."""
    if (row := _picked(screen)) is not None:
        await reach(screen, row)


def _look_again(screen: AuditScreen) -> None:
    screen.begin(is_every_home=screen.audit.is_every_home)


async def edit(screen: AuditScreen, key: str) -> None:
    """Go to the entry and open the editor on it."""
    row = _picked(screen)
    if row is None:
        return
    if row.one.kind != MEMORY:
        screen.memtui.tell(texts.Notice(words.ONLY_IN_MEMORY, texts.Level.WARNING))
    elif not can_be_typed(row.one.text):
        screen.memtui.tell(texts.Notice(words.EDIT_ELSEWHERE, texts.Level.WARNING))
    else:
        app = screen.memtui
        await reach(screen, row, lambda: app.start(_edited(app)))


async def _edited(app: MemtuiApp) -> None:
    """Open the editor on the entry that was gone to; its end goes back to the audit."""
    from memtui.tui.screens.audit import AuditScreen

    review = app.review
    await review.action_command("entry.edit")
    if review.editor is not None:
        review.after_editing = lambda: app.return_to(AuditScreen(_taken_left(review)))


async def remove(screen: AuditScreen, key: str) -> None:
    """Ask, then remove what holds the finding, then say where its text still lies."""
    row = _picked(screen)
    if row is None:
        return

    async def answered(answer: str) -> None:
        if answer == "remove" and await _removed(screen, row):
            _look_again(screen)
            if await _offer(screen, row, was_removed=True):
                _look_again(screen)

    await ask_then(screen.memtui, words.removal_question(row), answered)


def purge(screen: AuditScreen, key: str) -> None:
    """Say where else the text lies, and offer to purge it there."""
    if (row := _picked(screen)) is not None:

        async def offered() -> None:
            if await _offer(screen, row, was_removed=False):
                _look_again(screen)

        screen.memtui.start(offered())


def copy(screen: AuditScreen, key: str) -> None:
    """Send the report to the terminal's clipboard."""
    if not screen.audit.shown:
        screen.memtui.tell(texts.Notice(words.NOTHING_TO_COPY, texts.Level.WARNING))
        return
    screen.app.copy_to_clipboard(audit_rows.report(screen.audit.listed))
    screen.memtui.tell(texts.Notice(words.COPIED_REPORT))


def open_filter(screen: AuditScreen, key: str) -> None:
    """Show the filter and go there."""
    screen.filter_bar.display = True
    screen.set_focus(screen.filter_bar)


def accept_filter(screen: AuditScreen, key: str) -> None:
    """Keep the filter and go to the list."""
    screen.filter_bar.display = bool(screen.audit.query.strip())
    _to_list(screen)


def clear_filter(screen: AuditScreen, key: str) -> None:
    """Drop the words and go to the list."""
    screen.filter_bar.value = ""
    screen.filter_bar.display = False
    screen.apply(WordsTyped(""))
    _to_list(screen)


async def leave(screen: AuditScreen, key: str) -> None:
    """One step out: esc first shows everything again."""
    if key == "escape" and screen.audit.is_filtered and not screen.state.waiting:
        screen.apply(FiltersCleared())
        clear_filter(screen, key)
    elif (waited := PLACE_OWN["place.leave"](screen, key)) is not None:
        await waited


def _to_list(screen: AuditScreen) -> None:
    screen.set_focus(screen.query_one(f"#{screen.called}"), scroll_visible=False)


def _picked(screen: AuditScreen) -> AuditRow | None:
    row = screen.audit.picked
    if row is None:
        screen.memtui.tell(texts.Notice(words.NO_FINDING))
    return row


async def _removed(screen: AuditScreen, row: AuditRow) -> bool:
    app = screen.memtui
    if row.is_own and row.one.kind == "memory":
        events = await app.change(partial(screen.jobs.remove, row))
        return any(isinstance(event, ChangeCommitted) for event in events)
    try:
        await app.jobs.write(partial(screen.jobs.remove, row))
    except MemoryRefused as refusal:
        app.tell(texts.Notice(str(refusal), texts.Level.ERROR))
        return False
    app.tell(texts.Notice(words.removed(row)))
    return True


async def _offer(screen: AuditScreen, row: AuditRow, *, was_removed: bool) -> bool:
    from memtui.tui.actions.purging import offer_purge

    jobs = screen.jobs
    return await offer_purge(screen.memtui, partial(jobs.where, row), partial(jobs.purge, row), was_removed=was_removed)


def _again(other: bool) -> Callable[[AuditScreen, str], Awaitable[None] | None]:
    def begun(screen: AuditScreen, key: str) -> None:
        screen.begin(is_every_home=screen.audit.is_every_home is not other)

    return begun


OWN_HANDLERS: Mapping[str, Handler] = {
    **PLACE_HANDLERS,
    "filter.accept": accept_filter,
    "filter.clear": clear_filter,
    "place.leave": leave,
}
"""What commands that work in several places do on the audit screen."""

HANDLERS: Mapping[str, Handler] = {
    "threats.open": open_audit,
    "entry.reword": reword,
    "finding.go": go,
    "finding.edit": edit,
    "finding.remove": remove,
    "finding.purge": purge,
    "audit.class": lambda screen, key: screen.apply(ClassChosen()),
    "audit.class_back": lambda screen, key: screen.apply(ClassChosen(-1)),
    "audit.state": lambda screen, key: screen.apply(StateChosen()),
    "audit.state_back": lambda screen, key: screen.apply(StateChosen(-1)),
    "audit.filter": open_filter,
    "audit.homes": _again(other=True),
    "audit.again": _again(other=False),
    "audit.copy": copy,
}
