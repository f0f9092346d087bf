"""`memtui purge`: delete a text for good where it still lies after it was removed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.asking import YES, is_wanted
from memtui.cli.options import Options, write_options
from memtui.cli.output import say, say_json, warn
from memtui.cli.running import FOUND
from memtui.core.visible import visible_text

if TYPE_CHECKING:
    from memtui.actions.purge import Place, PurgeReport


@click.command()
@click.argument("text")
@click.option("--dry-run", is_flag=True, help="Only say where the text lies.")
@YES
@write_options
@click.pass_obj
def purge(options: Options, text: str, dry_run: bool, yes: bool) -> None:
    """Delete a text for good from backups, staged writes and history.

    TEXT is the whole text (- reads standard input), or the name of an entry that history or a backup holds, such as
    #ab12cd34. The file itself is left alone: remove the entry first. The exit code is 1 when the text still lies
    somewhere.
    """
    from memtui.actions.purge import purge as purge_places
    from memtui.actions.purge import where_is
    from memtui.actions.removed import text_named

    store = options.open_store()
    given = sys.stdin.buffer.read().decode("utf-8", "replace").strip() if text == "-" else text
    meant = text_named(store, given)
    places = where_is(store, meant)
    can_go = [place for place in places if place.is_purgeable]
    report = None
    if not options.as_json:
        _say_places(places)
    if can_go and not dry_run:
        count = len(can_go)
        question = f"Delete it for good in {count} {'place' if count == 1 else 'places'}? Undo cannot bring it back."
        if is_wanted(options, question, yes):
            report = purge_places(store, meant, places)
    left = list(where_is(store, meant)) if report else list(places)
    if options.as_json:
        say_json(_shape(places, report, left))
    elif report:
        _say_report(report)
    if left:
        raise click.exceptions.Exit(FOUND)


def _say_places(places: tuple[Place, ...]) -> None:
    if not places:
        say("The text lies nowhere around this home.")
    for place in places:
        say(f"{'purgeable' if place.is_purgeable else 'stays    '}  {visible_text(place.words)}")


def _say_report(report: PurgeReport) -> None:
    say(visible_text(str(report)))
    for left in report.left:
        warn(f"memtui: still in {left.place.words}: {left.why}")


def _shape(places: tuple[Place, ...], report: PurgeReport | None, left: list[Place]) -> dict[str, Any]:
    return {
        "places": [_place_shape(place) for place in places],
        "purged": [_place_shape(place) for place in report.purged] if report else [],
        "left": [_place_shape(place) for place in left],
        "problems": [{"name": one.place.name, "why": one.why} for one in report.left] if report else [],
    }


def _place_shape(place: Place) -> dict[str, Any]:
    return {
        "where": place.where.value,
        "name": place.name,
        "target": place.target,
        "count": place.count,
        "running": place.is_running,
        "purgeable": place.is_purgeable,
        "words": place.words,
    }
