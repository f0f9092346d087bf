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
from memtui.core.model import entry_name
from memtui.core.visible import visible_text
from memtui.view.amounts import counted
from memtui.view.threat_texts import BACKUP_WHOLE

if TYPE_CHECKING:
    from memtui.actions.purge import Place, PurgeReport


@click.command()
@click.argument("text")
@click.option("--dry-run", is_flag=True, help="Only say where the text lies.")
@click.option("--inside", is_flag=True, help="Cut it out of other entries that hold it and more, too.")
@click.option("--unreadable", is_flag=True, help="Delete the damaged history that nobody can search, too.")
@YES
@write_options
@click.pass_obj
def purge(options: Options, text: str, dry_run: bool, inside: bool, unreadable: bool, yes: bool) -> None:
    """Delete a text for good from backups, staged writes and history.

    TEXT is the whole text of an entry (- reads standard input), or the name of an entry that history or a backup
    holds, such as #ab12cd34. The file itself is left alone: remove the entry first. A backup is deleted whole; its
    other entries go to memtui's history. Other entries that hold TEXT and more are named and stay whole, unless
    --inside cuts it out of them. The exit code is 1 when the text still lies somewhere, else 2 when nobody can tell
    of some place.
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
    chosen = [] if dry_run else _chosen(options, places, inside, unreadable, yes)
    report = purge_places(store, meant, chosen) if chosen else PurgeReport(())
    left = where_is(store, meant) if report.purged else places
    if options.as_json:
        say_json(_shape(places, report, left))
    else:
        _say_report(report, left, was_tried=bool(chosen))
        _say_ways(left, dry_run=dry_run, inside=inside, unreadable=unreadable)
    if report.left or any(place.is_found for place in left):
        raise click.exceptions.Exit(FOUND)
    if left:
        raise click.exceptions.Exit(FAILED)


def _given(text: str) -> str:
    """The text that is meant; of bytes that are no text what is shown of them."""
    raw_bytes = sys.stdin.buffer.read().strip() if text == "-" else os.fsencode(text)
    return raw_bytes.decode("utf-8", "replace")


def _chosen(options: Options, places: Sequence[Place], inside: bool, unreadable: bool, yes: bool) -> list[Place]:
    """Where it is to be purged, with what stays, to be told why.

    What would change other entries, and what nobody can read, is asked about by itself.
    """
    chosen: list[Place] = []
    found = [place for place in places if place.is_found and not place.is_inside]
    can_go = [place for place in found if place.is_purgeable]
    around = [place for place in places if place.is_inside] if inside else []
    can_be_cut = [place for place in around if place.is_cuttable]
    unread = [place for place in places if place.is_unread] if unreadable else []
    if can_go and is_wanted(
        options, f"Delete it for good in {counted(len(can_go), 'place')}? Undo cannot bring it back.", yes
    ):
        chosen += found
    if can_be_cut and is_wanted(
        options, f"Cut it out of the other entries in {counted(len(can_be_cut), 'place')}? The rest of them stays.", yes
    ):
        chosen += around
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
        say(f"{_sign(place):<9}  {visible_text(place.words)}")
    if any(place.is_purgeable and place.where == "backup" for place in places):
        say(BACKUP_WHOLE)


def _sign(place: Place) -> str:
    if place.is_purgeable:
        return "purgeable"
    if place.is_cuttable:
        return "inside"
    return "stays" if place.is_found else "unknown"


def _say_report(report: PurgeReport, left: Sequence[Place], *, was_tried: bool) -> None:
    if was_tried:
        say(visible_text(str(report)))
    for one in report.left:
        warn(f"memtui: still in {one.place.words}: {one.why}")


def _say_ways(left: Sequence[Place], *, dry_run: bool, inside: bool, unreadable: bool) -> None:
    """What stays and could go, with what is to be said for it; an option that was given is advised to nobody."""
    if any(place.is_cuttable for place in left):
        way = "They stay; purge one by its name, or --inside cuts it out."
        if inside:
            way = "Without --dry-run it is cut out of them." if dry_run else "They were left as they are."
        warn(f"memtui: other entries hold the text and more. {way}")
    if any(place.is_unread for place in left):
        way = "; --unreadable deletes it"
        if unreadable:
            way = "; without --dry-run it is deleted" if dry_run else ""
        warn(f"memtui: nobody can tell whether what is damaged holds the text{way}.")


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
        "inside": place.is_inside,
        "entries": [entry_name(text) for text in place.others],
        "searched": place.is_found,
        "words": place.words,
    }
