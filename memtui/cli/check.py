"""`memtui check`: every verdict on a home's files, for people and for cron. It writes and records nothing."""

from __future__ import annotations

from typing import Any

import click

from memtui.cli.look import fail_for_unreadable, gauge, judge, state_words
from memtui.cli.options import TARGET, Options, command_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.running import FOUND
from memtui.cli.shapes import Judged, entry_shape, file_shape, finding_shape
from memtui.core.judgement import State
from memtui.core.model import TARGETS, MemoryFile, Verdict
from memtui.core.threats.masking import masked, masked_text, without_secrets
from memtui.core.verdicts import describe
from memtui.core.visible import visible_text
from memtui.view.amounts import counted

CALLING = frozenset({Verdict.DRIFT, Verdict.MERGED, Verdict.OVER_BUDGET})
"""Verdicts that call for a person. A layout difference and an outside change are told and lose nothing."""


@click.command()
@click.argument("target", type=TARGET, required=False)
@command_options
@click.pass_obj
def check(options: Options, target: str | None) -> None:
    """Check for drift, threats and budget.

    Tells every verdict on TARGET, or on both targets: drift, merged entries, budget, outside changes, layout,
    threats, and notes that the agent cannot see. The exit code is 0 when nothing calls for a person, 1 when
    something does, 2 when a file cannot be read.
    """
    from memtui.disk.own_rules import own_rule_problems

    store = options.open_store()
    for problem in own_rule_problems():
        warn(f"note: {problem}")
    files = [store.inspect(name) for name in ([target] if target else TARGETS)]
    looks = [(file, [one for one in judge(store, file) if one.state is not State.CLEAN]) for file in files]
    calls = any(calls_for_a_person(file, len(flagged)) for file, flagged in looks)
    if options.as_json:
        shapes = [check_shape(file, flagged) for file, flagged in looks]
        say_json({"home": str(store.memories), "flavour": store.flavour, "clean": not calls, "targets": shapes})
    else:
        for file, flagged in looks:
            if not file.problem:
                _say_verdicts(file, flagged)
    fail_for_unreadable(files)
    if calls:
        raise click.exceptions.Exit(FOUND)


def calls_for_a_person(file: MemoryFile, flagged_count: int = 0) -> bool:
    """True when somebody should look at the file; `flagged_count`: entries that are not clean."""
    return bool(flagged_count or file.agent_refuses or CALLING & set(file.verdicts))


def check_shape(file: MemoryFile, flagged: list[Judged]) -> dict[str, Any]:
    """Everything known of one file, with the entries that are not clean; secrets are cut short."""
    return {
        **file_shape(file),
        "messages": list(describe(file)),
        "agent_refuses": file.agent_refuses,
        "drift": [
            {
                "kind": drift.kind.value,
                "detail": drift.detail,
                "line": drift.line,
                "last_line": drift.last_line,
                "column": drift.column,
                "entry": None if drift.entry_index is None else drift.entry_index + 1,
            }
            for drift in file.drift
        ],
        "merged": [
            {"entry": merged.entry_index + 1, "reason": merged.reason, "parts": [masked(part) for part in merged.parts]}
            for merged in file.merged
        ],
        "differences": [{"kind": one.kind.value, "line": one.line, "detail": one.detail} for one in file.differences],
        "external": {
            "added": [masked(text) for text in file.external.added],
            "removed": [masked(text) for text in file.external.removed],
            "changed": [{"before": masked(before), "after": masked(after)} for before, after in file.external.changed],
        },
        "entries": [_without_secrets(one) for one in flagged],
    }


def _without_secrets(one: Judged) -> dict[str, Any]:
    findings = [finding_shape(found) for found in without_secrets(one.findings)]
    return {**entry_shape(one), "text": masked_text(one.entry.text, one.findings), "findings": findings}


def _say_verdicts(file: MemoryFile, flagged: list[Judged]) -> None:
    verdicts = ", ".join(verdict.value.replace("_", " ") for verdict in file.verdicts)
    if flagged:
        # The verdicts are of the file's form: "clean" above a poisoned entry was read as "nothing is wrong".
        found = f"{counted(len(flagged), 'entry', 'entries')} flagged"
        verdicts = found if file.verdict is Verdict.CLEAN else f"{verdicts}, {found}"
    say(f"{file.target}  {verdicts}  {gauge(file)}  {visible_text(file.path)}")
    for sentence in describe(file):
        say(f"  {sentence}")
    for one in flagged:
        text = masked_text(one.entry.text, one.findings)
        say(f"  {one.number:>4}  #{one.entry.name}  {state_words(one)}  {one_line(text, 60)}")
