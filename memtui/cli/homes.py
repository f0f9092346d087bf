"""`memtui homes`: every home with its gauges and what calls for a person. It writes and records nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.check import calls_for_a_person
from memtui.cli.look import fail_for_unreadable, judge
from memtui.cli.options import Options, command_options
from memtui.cli.output import say, say_json
from memtui.cli.shapes import Judged, file_shape
from memtui.core.errors import NotFound
from memtui.core.model import TARGETS, MemoryFile, Verdict
from memtui.core.visible import visible_text

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.store import MemoryStore

Looks = list[tuple[MemoryFile, list[Judged]]]
"""What one look at a home gave, target by target."""


@click.command()
@click.argument("paths", nargs=-1)
@command_options
@click.pass_obj
def homes(options: Options, paths: tuple[str, ...]) -> None:
    """List homes with gauges, drift and threats.

    Looks below PATHS, or in the places where homes are known to lie.
    """
    files: list[MemoryFile] = []
    for home in _homes(options, paths):
        store = options.open_store(str(home.memories))
        looks = [(file, judge(store, file)) for file in (store.inspect(name) for name in TARGETS)]
        if options.as_json:
            say_json(home_shape(home, store, looks))
        else:
            _say_home(home, store, looks)
        files += [file for file, _ in looks]
    if not files:
        raise NotFound("No home was found; name one: `memtui homes PATH`.")
    fail_for_unreadable(files)


def home_shape(home: Home, store: MemoryStore, looks: Looks) -> dict[str, Any]:
    """One home."""
    return {
        "path": str(home.root),
        "memories": str(home.memories),
        "profile": home.profile,
        "flavour": store.flavour,
        "exists": home.memories.is_dir(),
        "memory_enabled": store.settings.memory_enabled,
        "user_profile_enabled": store.settings.user_profile_enabled,
        "write_approval": store.settings.write_approval,
        "staged": _staged_count(home),
        "problems": list(store.settings.problems),
        "targets": [
            {
                **file_shape(file),
                "entries": len(file.entries),
                "flagged": len(_flagged(entries)),
                "calls": calls_for_a_person(file, _flagged(entries)),
            }
            for file, entries in looks
        ],
    }


def _homes(options: Options, paths: tuple[str, ...]) -> Iterator[Home]:
    from memtui.disk.search_homes import list_homes

    named = [*paths, *([options.home] if options.home else [])]
    return list_homes(named, os.environ, Path.cwd(), Path.home())


def _say_home(home: Home, store: MemoryStore, looks: Looks) -> None:
    profile = f" · {home.profile}" if home.profile else ""
    say(f"{visible_text(str(home.root))}{profile}  {store.flavour}")
    for file, entries in looks:
        say(f"  {file.target:<6} unreadable" if file.problem else f"  {_target_words(store, file, entries)}")
    staged = _staged_count(home)
    if staged:
        say(f"  + {staged} staged {'write' if staged == 1 else 'writes'}")


def _target_words(store: MemoryStore, file: MemoryFile, entries: list[Judged]) -> str:
    is_on = store.settings.memory_enabled if file.target == "memory" else store.settings.user_profile_enabled
    budget = file.budget
    words = [f"{file.target:<6} {budget.used_chars:>6,}/{budget.limit_chars:,} {budget.percent:>3} %"]
    if not is_on:
        words.append("off in the configuration")
    if file.verdict is not Verdict.CLEAN:
        words.append(file.verdict.value.replace("_", " "))
    words += [f"{one.badge.mark} {one.badge.word} #{one.entry.name}" for one in _flagged(entries) if one.badge]
    return "  ".join(words)


def _flagged(entries: list[Judged]) -> list[Judged]:
    return [one for one in entries if one.state != "clean"]


def _staged_count(home: Home) -> int:
    from memtui.disk.pending import PendingQueue

    return PendingQueue(home.root).count()
