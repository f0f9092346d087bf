"""From paths to what is to be audited: homes, memories folders, files, or whatever lies below them.

A path that leads nowhere becomes a problem at its place in the order and stops nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.audit.values import AuditOptions, AuditProblem
from memtui.core.errors import MemoryRefused, NotFound
from memtui.core.model import FILE_NAMES, TARGETS_BY_NAME
from memtui.disk.backups import is_copy_name
from memtui.disk.faults import reason_of, shown
from memtui.disk.files import read_state
from memtui.disk.homes import HERMES_ROOT, PI_ROOT, Home, expand, has_home_signs, resolve_home
from memtui.disk.search_homes import folder_key, list_homes
from memtui.disk.whereabouts import user_home, working_folder


@dataclass(frozen=True, slots=True)
class Place:
    """One home to audit, or one file of it."""

    home: Home
    only: Path | None = None
    """The one file that was named; None for all files of the home."""
    without: frozenset[str] = frozenset()
    """Real paths of files of the home that were named before it, and are looked at by themselves."""


def find_places(paths: Sequence[str | Home], options: AuditOptions) -> Iterator[Place | AuditProblem]:
    """What the paths mean, in their order, each place and each file once; without paths, the homes that are known.

    A home that was found already stands for itself, empty or not.
    """
    homes: set[object] = set()
    files: set[str] = set()
    for found in _each(paths, options.recursive):
        if isinstance(found, Place):
            key, file = folder_key(found.home.memories), os.path.realpath(found.only) if found.only else ""
            if file in files or (key in homes and (not found.only or _is_of_home(found.only, options))):
                continue
            if file:
                files.add(file)
            else:
                homes.add(key)
                found = Place(found.home, without=frozenset(files))
        yield found


def _is_of_home(file: Path, options: AuditOptions) -> bool:
    """True for a file that an audit of its whole home looks at."""
    is_copy = options.with_backups and any(is_copy_name(file.name, name) for name in TARGETS_BY_NAME)
    return file.name in TARGETS_BY_NAME or is_copy


def _each(paths: Sequence[str | Home], recursive: bool) -> Iterator[Place | AuditProblem]:
    if not paths:
        try:
            yield from _homes(())
        except NotFound as refusal:  # what HERMES_HOME names is none
            yield AuditProblem(os.environ.get("HERMES_HOME", ""), str(refusal))
    for path in paths:
        if isinstance(path, Home):
            yield _checked(path, is_known=True)
            continue
        try:
            place = expand(path, working_folder(), user_home())
            if not os.path.isdir(place):
                yield _file_place(place)
            elif recursive:
                yield from _homes((str(place),))
            else:
                yield _checked(resolve_home(place, is_named=True))
        except NotFound as refusal:
            yield AuditProblem(path, str(refusal))
        except OSError as error:
            yield AuditProblem(path, f"{shown(path)} cannot be looked at: {reason_of(error)}.")


def unsearched(folder: Path, error: OSError) -> AuditProblem:
    """A folder into which a search could not look, in words."""
    return AuditProblem(str(folder), f"{shown(folder)} cannot be searched: {reason_of(error)}.")


def _homes(paths: Sequence[str]) -> Iterator[Place | AuditProblem]:
    """The homes that a search finds, with the folders into which it could not look."""
    refused: list[AuditProblem] = []

    def refuse(folder: Path, error: OSError) -> None:
        refused.append(unsearched(folder, error))

    for home in list_homes(paths, os.environ, working_folder(), user_home(), refuse):
        yield from refused
        is_found = not refused
        refused.clear()
        if is_found or os.path.isdir(home.memories):
            yield _checked(home, is_known=not paths)
    yield from refused


def _checked(home: Home, *, is_known: bool = False) -> Place | AuditProblem:
    """The home, unless nothing tells that it is one; a known one, or one of an agent's own name, may be empty."""
    is_called_so = is_known or home.root.name in (HERMES_ROOT, PI_ROOT)
    is_fresh = is_called_so and os.path.isdir(home.root)
    is_home = is_fresh or os.path.isdir(home.memories) or has_home_signs(home.root)
    # A folder that is closed to us looks empty; reading a file in it says why.
    if is_home or read_state(home.memories / FILE_NAMES["memory"]).problem:
        return Place(home)
    return AuditProblem(
        str(home.root),
        f"No memory was found in {shown(home.root)}. Name a home, or look below it with --recursive.",
    )


def _file_place(path: Path) -> Place | AuditProblem:
    if not os.path.lexists(path):
        return AuditProblem(str(path), f"{shown(path)} is not there.")
    if path.name not in TARGETS_BY_NAME and os.path.exists(path) and not os.path.isfile(path):
        return AuditProblem(str(path), f"{shown(path)} is no file on a disk; `memtui scan` reads pipes and devices.")
    try:
        home = resolve_home(path, is_named=True)
    except MemoryRefused:  # any file may be read as a memory when somebody names it
        home = Home(path.parent, path.parent, is_named=True)
    return Place(home, path)
