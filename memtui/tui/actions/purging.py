"""After a removal: say where the text still lies, and purge it there when a person says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import MemoryRefused
from memtui.tui.asking import ask
from memtui.view import texts
from memtui.view import threat_texts as words

if TYPE_CHECKING:
    from memtui.actions.purge import Place, PurgeReport
    from memtui.tui.app import MemtuiApp

Find = Callable[[], "tuple[Place, ...]"]
Purge = Callable[["tuple[Place, ...]"], "PurgeReport"]
"""Both for the store's thread."""


async def offer_purge(app: MemtuiApp, find: Find, purge: Purge, *, was_removed: bool) -> bool:
    """Tell where a text lies and ask whether to delete it there; True when something was deleted."""
    try:
        places = await app.jobs.run(find)
        chosen = await _chosen(app, places, was_removed)
        if not chosen:
            return False
        message, left = words.purged(await app.jobs.write(lambda: purge(chosen)))
    except MemoryRefused as refusal:
        app.tell(texts.Notice(str(refusal), texts.Level.ERROR))
        return False
    app.tell(texts.Notice(message))
    for sentence in left:
        app.tell(texts.Notice(sentence, texts.Level.WARNING))
    return True


async def _chosen(app: MemtuiApp, places: Sequence[Place], was_removed: bool) -> tuple[Place, ...]:
    """Where it is to be purged.

    What would change other entries is asked about by itself, and so is what nobody can read, of who came to purge.
    """
    found = tuple(place for place in places if place.is_found and not place.is_inside)
    inside = tuple(place for place in places if place.is_cuttable)
    unread = tuple(place for place in places if place.is_unread and not was_removed)
    chosen: tuple[Place, ...] = ()
    if _is_worth_asking(app, places, was_removed):
        is_wanted = await ask(app, words.purge_question(places, was_removed=was_removed)) == "purge"
        chosen = found if is_wanted else ()
    if inside and await ask(app, words.inside_question(inside)) == "cut":
        chosen += inside
    if unread and await ask(app, words.unread_question(unread)) == "delete":
        chosen += unread
    return chosen


async def offer_for_entry(app: MemtuiApp, text: str) -> None:
    """Say where the text of an entry that was just removed still lies, and offer to purge it there."""
    from memtui.actions.purge import purge, where_is
    from memtui.actions.purge_places import MIN_CHARS

    if len(text.strip()) >= MIN_CHARS:
        store = app.jobs.store
        find, delete = partial(where_is, store, text), partial(purge, store, text)
        await offer_purge(app, find, delete, was_removed=True)


def _is_worth_asking(app: MemtuiApp, places: Sequence[Place], was_removed: bool) -> bool:
    if any(place.is_purgeable for place in places):
        return True
    if stays := [place for place in places if not place.is_cuttable]:
        app.tell(texts.Notice(words.only_stays(stays), texts.Level.WARNING))
    elif not places and not was_removed:
        app.tell(texts.Notice(words.NOWHERE_ELSE))
    return False
