"""`memtui purge`: delete a text for good where it still lies after it was removed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.asking import YES, is_wanted
from memtui.cli.options import Options, write_options
from memtui.cli.output import say, say_json, warn
from memtui.cli.running import FAILED, FOUND
from memtui.core.visible import visible_text
from memtui.view.amounts import counted
from memtui.view.threat_texts import BACKUP_WHOLE

if TYPE_CHECKING:
    from memtui.actions.purge import Place, PurgeReport


@click.command()
@click.argument("text")
@click.option("--dry-run", is_flag=True, help="Only say where the text lies.")
@click.option("--unreadable", is_flag=True, help="Delete the damaged history that nobody can search, too.")
@YES
@write_options
@click.pass_obj
def purge(options: Options, text: str, dry_run: bool, unreadable: bool, yes: bool) -> None:
    """Delete a text for good from backups, staged writes and history.

    TEXT is the whole text (- reads standard input), or the name of an entry that history or a backup holds, such as
    #ab12cd34. The file itself is left alone: remove the entry first. A backup is deleted whole; its other entries go to
    memtui's history. The exit code is 1 when the text still lies
    somewhere, else 2 when nobody can tell of some place.
    """
    from memtui.actions.purge import PurgeReport, where_is
    from memtui.actions.purge import purge as purge_places
    from memtui.actions.removed import text_named

    store = options.open_store(may_be_absent=True)
    meant = text_named(store, _given(text))
    places = where_is(store, meant)
    if not places:
        options.refuse_absent(store)
    if not options.as_json:
        _say_places(places)
    chosen = [] if dry_run else _chosen(options, places, unreadable, yes)
    report = purge_places(store, meant, chosen) if chosen else PurgeReport(())
    left = where_is(store, meant) if report.purged else places
    if options.as_json:
        say_json(_shape(places, report, left))
    else:
        _say_report(report, left, was_tried=bool(chosen))
    if report.left or any(place.is_found for place in left):
        raise click.exceptions.Exit(FOUND)
    if left:
        raise click.exceptions.Exit(FAILED)


def _given(text: str) -> str:
    """The text that is meant; of bytes that are no text what is shown of them."""
    raw_bytes = sys.stdin.buffer.read().strip() if text == "-" else os.fsencode(text)
    return raw_bytes.decode("utf-8", "replace")


def _chosen(options: Options, places: Sequence[Place], unreadable: bool, yes: bool) -> list[Place]:
    """Where it is to be purged, with what stays, to be told why. What nobody can read is asked about by itself."""
    chosen: list[Place] = []
    found = [place for place in places if place.is_found]
    can_go = [place for place in found if place.is_purgeable]
    unread = [place for place in places if place.is_unread] if unreadable else []
    if can_go and is_wanted(
        options, f"Delete it for good in {counted(len(can_go), 'place')}? Undo cannot bring it back.", yes
    ):
        chosen += found
    where = counted(len(unread), "place")
    if unread and is_wanted(
        options, f"Delete for good what nobody can read in {where}? It may hold anything else, too.", yes
    ):
        chosen += unread
    return chosen


def _say_places(places: Sequence[Place]) -> None:
    if not places:
        say("The text lies nowhere around this home.")
    elif not any(place.is_found for place in places):
        say("The text was found nowhere; these places could not be searched.")
    for place in places:
        sign = "purgeable" if place.is_purgeable else "stays" if place.is_found else "unknown"
        say(f"{sign:<9}  {visible_text(place.words)}")
    if any(place.is_purgeable and place.where == "backup" for place in places):
        say(BACKUP_WHOLE)


def _say_report(report: PurgeReport, left: Sequence[Place], *, was_tried: bool) -> None:
    if was_tried:
        say(visible_text(str(report)))
    for one in report.left:
        warn(f"memtui: still in {one.place.words}: {one.why}")
    if any(place.is_unread for place in left):
        warn("memtui: nobody can tell whether what is damaged holds the text; --unreadable deletes it.")


def _shape(places: Sequence[Place], report: PurgeReport, left: Sequence[Place]) -> dict[str, Any]:
    unsearched = [{"name": place.name, "why": place.words} for place in left if not place.is_found]
    return {
        "places": [_place_shape(place) for place in places],
        "purged": [_place_shape(place) for place in report.purged],
        "left": [_place_shape(place) for place in left],
        "problems": [*({"name": one.place.name, "why": one.why} for one in report.left), *unsearched],
    }


def _place_shape(place: Place) -> dict[str, Any]:
    return {
        "where": place.where.value,
        "name": place.name,
        "target": place.target,
        "count": place.count,
        "running": place.is_running,
        "purgeable": place.is_purgeable,
        "searched": place.is_found,
        "words": place.words,
    }
