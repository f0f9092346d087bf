"""`memtui resolve`: the app's resolver for a person, and what can be done without one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.app import run_app
from memtui.cli.options import TARGET, Options, write_options
from memtui.cli.output import say, say_json
from memtui.cli.refusing import Refusals
from memtui.cli.running import FOUND
from memtui.cli.shapes import change_shape
from memtui.core.model import TARGETS
from memtui.core.visible import visible_text

if TYPE_CHECKING:
    from memtui.actions.auto import AutoReport


@click.command()
@click.argument("target", type=TARGET, required=False)
@click.option("--auto", is_flag=True, help="Do all that can lose nothing and needs no judgement.")
@click.option("--dry-run", is_flag=True, help="Say what --auto would do, and do nothing.")
@write_options
@click.pass_obj
def resolve(options: Options, target: str | None, auto: bool, dry_run: bool) -> None:
    """Resolve the drift of TARGET (default: both).

    On a terminal the app opens in its resolver. --auto tidies the layout and deletes backups with the very bytes
    of the file or of a newer backup; the exit code is 1 when something is left to a person.
    """
    if not auto and not dry_run:
        _open(options, target or "")
        return
    from memtui.actions.auto import resolve_auto

    store = options.open_store()
    reports, refusals = [], Refusals()
    for name in [target] if target else TARGETS:
        report = resolve_auto(store, name, dry_run)
        reports.append(report)
        if report.refusal:
            refusals.add(name, report.refusal)
        if not options.as_json:
            _say_report(report)
    if options.as_json:
        shapes = [auto_shape(report) for report in reports]
        say_json({**refusals.shape(), "home": str(store.memories), "targets": shapes})
    refusals.leave()
    if any(report.left for report in reports):
        raise click.exceptions.Exit(FOUND)


def auto_shape(report: AutoReport) -> dict[str, Any]:
    """What was done to one target, and what is left."""
    return {
        "target": report.target,
        "dry_run": report.is_dry_run,
        "did": list(report.did),
        "left": list(report.left),
        "kept": list(report.kept),
        "change": change_shape(report.change) if report.change else None,
    }


def _open(options: Options, target: str) -> None:
    if options.as_json or not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            "What goes into the file is a person's choice, and there is no terminal to make it on. "
            "`memtui drift` says what is wrong, `memtui resolve --auto` does what can lose nothing, "
            "`memtui split`, `memtui replace` and `memtui restore` do one thing each."
        )
    run_app(options, options.home, resolves=target)


def _say_report(report: AutoReport) -> None:
    head = "refused" if report.refusal else "a person has to decide" if report.left else "clean"
    say(f"{report.target}  {head}")
    for sentence in report.did or (() if report.refusal else ("nothing to do",)):
        say(f"  {visible_text(sentence)}")
    for sentence in report.left:
        say(f"  left: {visible_text(sentence)}")
    for sentence in report.kept:
        say(f"  kept: {visible_text(sentence)}")
