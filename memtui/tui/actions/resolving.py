"""The resolver's commands on its draft: pick, word otherwise, join, split and order texts. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.codec import parse
from memtui.core.edit import clean_text
from memtui.core.errors import InvalidArgument
from memtui.core.model import MemoryFile
from memtui.core.resolve import FILE_NOW, Draft
from memtui.tui.actions.placing import PLACE_HANDLERS
from memtui.view import draft as typing_draft
from memtui.view import resolver_texts as words
from memtui.view.fields import can_be_typed
from memtui.view.resolver import Column

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.resolver import ResolverScreen


def _on_text(act: Callable[[ResolverScreen, Draft, str], None]) -> Handler:
    """A command on the text under the cursor; what cannot be done is said."""

    def acted(screen: ResolverScreen, key: str) -> None:
        draft, text = screen.resolver.draft, screen.resolver.text
        if draft is None or text is None:
            screen.fail(words.NO_TEXT if draft else words.STILL_READING)
            return
        try:
            act(screen, draft, text)
        except InvalidArgument as refusal:
            screen.fail(str(refusal))

    return acted


def _pick(screen: ResolverScreen, draft: Draft, text: str) -> None:
    screen.change(draft.toggle(text))


def _merge(screen: ResolverScreen, draft: Draft, text: str) -> None:
    rows = screen.resolver.rows(screen.resolver.column)
    at = screen.resolver.positions[screen.resolver.column]
    if at + 1 >= len(rows):
        raise InvalidArgument(words.NOTHING_AFTER)
    other = str(rows[at + 1])
    screen.change(draft.merge(text, other), f"{text}\n{other}")


def _split(screen: ResolverScreen, draft: Draft, text: str) -> None:
    if text in draft.pieces:
        screen.change(draft.split(draft.pieces.index(text)))
        return
    # A picked text of another source: cut alone, the pieces on screen stay.
    screen.change(replace(replace(draft, pieces=(text,)).split(0), pieces=draft.pieces))


def _move(places: int) -> Handler:
    return _on_text(
        lambda screen, draft, text: screen.change(draft.move(text, places), _moved_cursor(screen, text))
    )


def _moved_cursor(screen: ResolverScreen, text: str) -> str | None:
    return text if screen.resolver.column is Column.RESULT else None


def pick_all(screen: ResolverScreen, key: str) -> None:
    """Pick every candidate of the source, or none when all are picked."""
    draft = screen.resolver.draft
    if draft is None:
        return
    is_all = all(text in draft.picked for text in draft.pieces)
    screen.change(draft.unpick(*draft.pieces) if is_all else draft.pick(*draft.pieces))


# ------------------------------------------------------------------------------------------ wording otherwise


async def edit(screen: ResolverScreen, key: str) -> None:
    """Open the editor on the text under the cursor."""
    draft, text = screen.resolver.draft, screen.resolver.text
    if draft is None or text is None or screen.editor is not None:
        screen.fail(words.NO_TEXT)
        return
    if not can_be_typed(text):
        screen.fail(words.UNFIT_TO_TYPE)
        return
    await _open_editor(screen, draft, text, text)


async def _open_editor(screen: ResolverScreen, draft: Draft, before: str, typed: str) -> None:
    from memtui.tui.widgets.editor import EditorPanel

    typing = typing_draft.Draft(draft.target, before, typed)
    known = screen.memtui.jobs.store.suppressions
    await screen.mount_editor(EditorPanel(typing, _as_it_will_be(screen, draft), known))


def _as_it_will_be(screen: ResolverScreen, draft: Draft) -> MemoryFile:
    document = parse(draft.raw_bytes)
    return MemoryFile(draft.target, screen.group.file_name, True, document, draft.budget)


async def edit_outside(screen: ResolverScreen, key: str) -> None:
    """Word the text under the cursor otherwise in $EDITOR; what is refused goes on in the editor here."""
    from memtui.tui.external_editor import edit_text

    draft, text = screen.resolver.draft, screen.resolver.text
    if draft is None or text is None:
        screen.fail(words.NO_TEXT)
        return
    edited = edit_text(screen.memtui, text)
    if edited.problem:
        screen.fail(edited.problem)
    elif edited.text.strip() != text.strip() and not _reword(screen, text, edited.text):
        await _open_editor(screen, draft, text, edited.text.strip())


def save_text(screen: ResolverScreen, key: str) -> None:
    """Take the editor's text over into the draft."""
    editor = screen.editor
    if editor is not None and (
        not editor.draft.is_changed or _reword(screen, editor.draft.before, editor.draft.text)
    ):
        screen.close_editor()


def _reword(screen: ResolverScreen, before: str | None, after: str) -> bool:
    draft = screen.resolver.draft
    if draft is None or before is None:
        return False
    try:
        new_text = clean_text(after, "the entry")
        is_there = before in draft.pieces or before in draft.picked
        # Another program may have taken the text away meanwhile: what was typed is not lost for that.
        screen.change(draft.edit(before, after) if is_there else draft.pick(new_text), new_text)
    except InvalidArgument as refusal:
        screen.fail(str(refusal))
        return False
    return True


async def leave_text(screen: ResolverScreen, key: str) -> None:
    """Leave the editor; an unsaved text asks first."""
    await screen.drop_text_then(screen.close_editor)


# ------------------------------------------------------------------------------------------------ encodings


def choose_encoding(screen: ResolverScreen, key: str) -> None:
    """Choose as what bytes that are not UTF-8 are read."""
    from memtui.tui.screens.encodings import EncodingScreen

    state = screen.resolver
    encodings = state.cut.encodings if state.cut else None
    if encodings is None or state.draft is None:
        screen.fail(words.NO_ENCODING)
        return
    draft = state.draft

    async def chosen() -> None:
        name = screen.group.file_name if state.source == FILE_NOW else state.source
        encoding = await screen.app.push_screen_wait(EncodingScreen(encodings, name))
        if encoding == encodings.chosen:
            return
        if state.source == FILE_NOW:
            await screen.read_anew(encoding=encoding)
        else:
            screen.apply(
                await screen.memtui.jobs.run(partial(screen.jobs.cut, draft, state.source, encoding))
            )

    screen.memtui.start(chosen())


OWN_HANDLERS: Mapping[str, Handler] = {**PLACE_HANDLERS, "editor.save": save_text, "editor.leave": leave_text}

HANDLERS: Mapping[str, Handler] = {
    "draft.pick": _on_text(_pick),
    "draft.edit": edit,
    "draft.edit_outside": edit_outside,
    "draft.merge": _on_text(_merge),
    "draft.split": _on_text(_split),
    "draft.move_down": _move(1),
    "draft.move_up": _move(-1),
    "draft.pick_all": pick_all,
    "source.encoding": choose_encoding,
}
