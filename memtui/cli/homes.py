"""`memtui homes`: every home with its gauges and what calls for a person. It writes and records nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.backups import local_time
from memtui.cli.check import calls_for_a_person
from memtui.cli.look import fail_for_unreadable
from memtui.cli.options import Options, command_options, warn_of_suppressions
from memtui.cli.output import flush, say, say_json, warn
from memtui.cli.running import FAILED
from memtui.cli.shapes import file_shape
from memtui.core.errors import NotFound
from memtui.core.model import MemoryFile, Verdict
from memtui.core.visible import visible_text
from memtui.disk.faults import shown
from memtui.disk.homes import is_absent
from memtui.view.amounts import counted
from memtui.view.rows import BLOCKED, DANGEROUS, UNSEEN, WARNED

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.homes_overview import HomeRow, TargetRow


@click.command()
@click.argument("paths", nargs=-1)
@command_options
@click.pass_obj
def homes(options: Options, paths: tuple[str, ...]) -> None:
    """List homes with gauges, drift and threats.

    Looks below PATHS, or in the places where homes are known to lie. Each is printed as soon as it is read.
    """
    from memtui.homes_overview import home_rows

    warn_of_suppressions()
    files: list[MemoryFile] = []
    absent: list[Home] = []
    for row in home_rows(_present(_homes(options, paths), absent), flavour=options.flavour):
        if options.as_json:
            say_json(home_shape(row))
        else:
            _say_home(row)
        for problem in row.problems:
            if problem not in [target.file.problem for target in row.targets]:
                warn(f"note: {problem}")
        flush()
        files += [target.file for target in row.targets]
    if not files and not absent:
        raise NotFound("No home was found; name one: `memtui homes PATH`.")
    fail_for_unreadable(files)
    if absent:
        raise click.exceptions.Exit(FAILED)


def home_shape(row: HomeRow) -> dict[str, Any]:
    """One home."""
    memory, user = row.targets
    return {
        "path": str(row.home.root),
        "memories": str(row.home.memories),
        "profile": row.home.profile,
        "flavour": row.flavour,
        "exists": row.exists,
        "memory_enabled": memory.is_enabled,
        "user_profile_enabled": user.is_enabled,
        "write_approval": row.has_write_approval,
        "staged": row.staged_count,
        "changed_at": row.changed_at,
        "problems": list(row.problems),
        "targets": [_target_shape(target) for target in row.targets],
    }


def _target_shape(row: TargetRow) -> dict[str, Any]:
    threats = row.threats
    return {
        **file_shape(row.file),
        "entries": len(row.file.entries),
        "flagged": threats.total,
        "threats": {
            "dangerous": threats.dangerous,
            "blocked": threats.blocked,
            "hidden": threats.hidden,
            "warning": threats.warning,
        },
        "calls": calls_for_a_person(row.file, threats.total),
        "changed_at": row.changed_at,
    }


def _homes(options: Options, paths: tuple[str, ...]) -> Iterator[Home]:
    from memtui.disk.search_homes import list_homes
    from memtui.disk.whereabouts import user_home, working_folder

    named = [*paths, *([options.home] if options.home else [])]
    return list_homes(named, os.environ, working_folder(), user_home())


def _present(homes: Iterable[Home], absent: list[Home]) -> Iterator[Home]:
    """The homes that are there; the others are told and go to `absent`."""
    for home in homes:
        if is_absent(home):
            absent.append(home)
            warn(f"memtui: There is no home at {shown(home.root)}. Check the path.")
        else:
            yield home


def _say_home(row: HomeRow) -> None:
    profile = f" · {row.home.profile}" if row.home.profile else ""
    changed = "" if row.changed_at is None else f"  changed {local_time(row.changed_at)}"
    say(f"{visible_text(f'{row.home.root}{profile}')}  {row.flavour}{changed}")
    for target in row.targets:
        name = f"{target.file.target:<6}"
        say(f"  {name} unreadable" if target.file.problem else f"  {name} {_target_words(target)}")
    if row.staged_count:
        say(f"  + {counted(row.staged_count, 'staged write')}")


def _target_words(row: TargetRow) -> str:
    budget, threats = row.file.budget, row.threats
    words = [f"{budget.used_chars:>6,}/{budget.limit_chars:,} {budget.percent:>3} %"]
    if not row.is_enabled:
        words.append("off in the configuration")
    if row.file.verdict is not Verdict.CLEAN:
        words.append(row.file.verdict.value.replace("_", " "))
    counted = (
        (threats.dangerous, DANGEROUS),
        (threats.blocked, BLOCKED),
        (threats.hidden, UNSEEN),
        (threats.warning, WARNED),
    )
    words += [f"{badge.mark} {count} {badge.word}" for count, badge in counted if count]
    return "  ".join(words)
