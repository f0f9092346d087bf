"""`memtui suppress` and `memtui suppressions`: findings that a person knows and takes for fine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memtui.cli.backups import local_time
from memtui.cli.look import find_entry, judge
from memtui.cli.options import TARGET, Options, command_options
from memtui.cli.output import one_line, say, say_json, short, warn
from memtui.cli.running import FAILED
from memtui.core.errors import InvalidArgument, NotFound, WriteFailed
from memtui.core.model import TARGETS
from memtui.core.threats.finding import Severity, suppression_key
from memtui.view.threat_texts import AGENTS_OWN

if TYPE_CHECKING:
    from memtui.cli.shapes import Judged
    from memtui.disk.suppressions import Suppression

REASON_CELLS = 200
NAME_CHARS = 8
"""Hex digits that name an entry, in lists as here."""


@click.command()
@click.argument("entry")
@click.argument("rules", nargs=-1, metavar="[RULE]…")
@click.option("--reason", required=True, metavar="TEXT", help="Why it is fine; kept with it.")
@click.option("--target", type=TARGET, help="Look in this target only.")
@command_options
@click.pass_obj
def suppress(options: Options, entry: str, rules: tuple[str, ...], reason: str, target: str | None) -> None:
    """Mark findings in an entry as known and fine.

    ENTRY is a name from `memtui list`, a number with --target, or a part of the text; RULE the id of a finding in
    it, without one every warning and block. It holds for this very text: one changed byte, and the finding is back.
    """
    if not reason.strip():
        raise click.UsageError("--reason is empty.")
    store = options.open_store()
    if store.read_only:
        raise WriteFailed("Nothing was marked: memtui was opened read-only.")
    files = [store.inspect(name) for name in ([target] if target else TARGETS)]
    one = find_entry([one for file in files for one in judge(store, file)], entry)
    chosen = _chosen(one, rules)
    store.suppressions.allow(one.entry.text, chosen, reason=reason.strip(), renews=True)
    keys = {suppression_key(one.entry.text, rule_id) for rule_id in chosen}
    if options.as_json:
        say_json({"suppressed": [suppression_shape(known) for known in store.suppressions.items if known.key in keys]})
    else:
        say(f"Known and fine in #{one.entry.name} from now on: {', '.join(chosen)}.")


@click.command()
@click.option("--revoke", multiple=True, metavar="NAME", help="Show this finding again, as ab12cd34:rule; or: all.")
@command_options
@click.pass_obj
def suppressions(options: Options, revoke: tuple[str, ...]) -> None:
    """List the findings that are known and fine, and revoke some.

    They are this user's and hold for every home.
    """
    from memtui.disk.folders import suppressions_path
    from memtui.disk.suppressions import Suppressions

    kept = Suppressions.load(suppressions_path())
    if revoke and options.read_only:
        raise WriteFailed("Nothing was revoked: memtui was opened read-only.")
    # The first change mends a damaged file: what could not be read is told all the same.
    problem = kept.problem
    if problem:
        warn(f"memtui: not everything could be revoked: {problem}" if revoke else f"note: {problem}")
    wanted = [known for name in revoke for known in _named(kept.items, name)]
    for known in wanted:
        kept.revoke(known.key)
    if options.as_json:
        shapes = [suppression_shape(known) for known in kept.items]
        say_json({"suppressions": shapes, "revoked": [known.key for known in wanted], "problem": problem})
    elif revoke:
        for known in wanted:
            say(f"Shown again from now on: {_name(known)}.")
    else:
        _say_all(kept.items)
    if revoke and problem:
        raise click.exceptions.Exit(FAILED)


def _say_all(items: tuple[Suppression, ...]) -> None:
    for known in items:
        say(f"{_name(known)}  {local_time(known.when)}  {short(known.who, 40)}  {short(known.reason, REASON_CELLS)}")
        say(f"    {one_line(known.preview, 4)}")
    say(f"{len(items):,} {'finding is' if len(items) == 1 else 'findings are'} known and fine.")


def suppression_shape(known: Suppression) -> dict[str, Any]:
    """One finding that is known and fine."""
    return {
        "key": known.key,
        "name": _name(known),
        "rule": known.rule_id,
        "sha256": known.sha256,
        "who": known.who,
        "when": known.when,
        "reason": known.reason,
        "preview": known.preview,
    }


def _name(known: Suppression) -> str:
    return f"{known.sha256[:NAME_CHARS]}:{short(known.rule_id, 80)}"


def _named(items: tuple[Suppression, ...], name: str) -> list[Suppression]:
    """Those that a name means. Raises NotFound."""
    if name == "all":
        return list(items)
    wanted = name.removeprefix("#")
    found = [known for known in items if wanted in (known.key, f"{known.sha256[:NAME_CHARS]}:{known.rule_id}")]
    if not found:
        raise NotFound(f"Nothing known and fine is called {name}; `memtui suppressions` lists what there is.")
    return found


def _chosen(one: Judged, rules: tuple[str, ...]) -> list[str]:
    """The rules to be marked. Raises InvalidArgument for one that found nothing in the entry."""
    from memtui.audit.judging import HIDDEN_RULE

    found = {finding.id: finding for finding in one.findings}
    agents = (HIDDEN_RULE, *one.agent.rule_ids) if one.agent and one.agent.hidden else ()
    if unknown := [rule_id for rule_id in rules if rule_id not in found]:
        if unknown[0] in agents:
            name = f"#{one.entry.name}"
            help_ = f"Put the note into other words; `memtui show '{name}'` suggests some where it can."
            raise InvalidArgument(f"{unknown[0]} is {AGENTS_OWN}. {help_}")
        there = ", ".join(found) or "none"
        raise InvalidArgument(f"{unknown[0]} found nothing in #{one.entry.name}; its findings are: {there}.")
    chosen = list(rules) or [rule_id for rule_id, finding in found.items() if finding.severity is not Severity.INFO]
    if not chosen:
        raise InvalidArgument(f"Nothing in #{one.entry.name} is a warning or worse; nothing was marked.")
    return chosen
