"""Says "look again" when the files of a home may have changed, and how it finds out.

Watches folders, never files: a file that is replaced takes its watch with it. Reads no contents, decides
nothing, and does not end by itself: what the system does not report is looked at from time to time.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from memtui.core.visible import visible_text
from memtui.disk.faults import shown
from memtui.disk.homes import Home
from memtui.disk.mounts import remote_file_system
from memtui.disk.sight import Sight, folders_of, look, names_of

STEP_MS: Final = 5
DEBOUNCE_MS: Final = 10
"""About 19 ms from a rename to the event; with the library's defaults (50 and 1,600) it is 56 to 106 ms."""

POLL_S: Final = 1.0
SAFETY_S: Final = 2.0
"""Between two looks that nothing asked for: where the system does not report, and behind reports that got
lost.
"""

REARM_S: Final = 0.05


class WatchMode(StrEnum):
    """How changes are noticed."""

    NOTIFY = "notify"
    POLL = "poll"
    WAIT = "wait"
    """The folder is not there; the one above it is watched."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One "look again"."""

    names: frozenset[str]
    """The files that changed, as `sight.Sight.files` names them; empty when only the way of watching did."""
    mode: WatchMode
    reason: str = ""
    """Why it is not simply notified, as a sentence; "" when it is."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How to watch a home as it is now."""

    folders: tuple[Path, ...]
    """Those to be notified of; none when the system cannot."""
    mode: WatchMode
    reason: str
    tick_s: float


async def watch_home(home: Home, beside: Collection[Path] = ()) -> AsyncGenerator[Beat, None]:
    """Beats without end; the first comes at once and tells how the home is watched.

    `beside` are files outside the home that count, too. A change between two beats is never lost, and several may
    share one beat. Close the generator, or cancel the task that reads it, to stop.
    """
    seen = await asyncio.to_thread(look, home, beside)
    told = None
    refusal = ""
    while True:
        way = await asyncio.to_thread(_choose, home, beside, refusal)
        if told != (way.mode, way.reason):
            told = (way.mode, way.reason)
            yield Beat(frozenset(), way.mode, way.reason)
        try:
            async with contextlib.aclosing(_looks(way, home, beside)) as looks:
                async for now, reported in looks:
                    names = (reported | now.changed_since(seen)) - {""}
                    is_moved = now.folders != seen.folders
                    seen = now
                    if names:
                        yield Beat(names, way.mode, way.reason)
                    if is_moved:
                        break
        except _Refused as error:
            refusal = str(error)


class _Refused(Exception):
    """The system does not report changes here; why, as a sentence."""


def _choose(home: Home, beside: Collection[Path], refusal: str) -> _Way:
    """How to watch the home as it is now; `refusal` says why the system cannot report, "" when it can."""
    if refusal:
        return _Way((), WatchMode.POLL, refusal, POLL_S)
    nearest = {_nearest(folder) for folder in folders_of(home, beside)}
    folders = tuple(folder for folder in nearest if folder is not None)
    kind = remote_file_system(home.memories)
    if kind:
        reason = f"{shown(home.memories)} is on a file system ({kind}) whose changes are not reported."
        return _Way(folders, WatchMode.POLL, reason, POLL_S)
    if not home.memories.is_dir():
        return _Way(folders, WatchMode.WAIT, f"{shown(home.memories)} is not there.", SAFETY_S)
    return _Way(folders, WatchMode.NOTIFY, "", SAFETY_S)


def _nearest(folder: Path) -> Path | None:
    """The folder, or the first above it that is there."""
    return next((place for place in (folder, *folder.parents) if place.is_dir()), None)


async def _looks(
    way: _Way, home: Home, beside: Collection[Path]
) -> AsyncGenerator[tuple[Sight, frozenset[str]], None]:
    """Looks at the home whenever there may be something new to see, with the names that were reported."""
    pulses = _reports(way) if way.folders else _ticks(way.tick_s)
    due = 0.0
    async with contextlib.aclosing(pulses):
        async for paths in pulses:
            reported = await asyncio.to_thread(names_of, paths, home, beside) if paths else frozenset()
            # An agent that writes its database all the time must not keep the ticks away.
            if reported or time.monotonic() >= due:
                due = time.monotonic() + way.tick_s / 2
                yield await asyncio.to_thread(look, home, beside), reported


async def _ticks(tick_s: float) -> AsyncGenerator[frozenset[str], None]:
    while True:
        await asyncio.sleep(tick_s)
        yield frozenset()


async def _reports(way: _Way) -> AsyncGenerator[frozenset[str], None]:
    """The paths that the system reports as changed; none at all when a tick has passed. Raises _Refused."""
    from watchfiles import awatch

    changes = awatch(
        *way.folders,
        watch_filter=None,
        step=STEP_MS,
        debounce=DEBOUNCE_MS,
        rust_timeout=int(way.tick_s * 1000),
        yield_on_timeout=True,
        recursive=False,
    )
    batch = asyncio.ensure_future(anext(changes))
    try:
        await asyncio.sleep(0)  # its first step arms the watch; what changed before that shows in a look now
        yield frozenset()
        while True:
            paths = frozenset(path for _, path in await batch)
            batch = asyncio.ensure_future(anext(changes))
            yield paths
    except FileNotFoundError:  # a folder went between the choice and the watch: choose again
        await asyncio.sleep(REARM_S)
    except (OSError, RuntimeError) as error:
        raise _Refused(f"The system cannot report changes here: {visible_text(str(error))}.") from error
    finally:
        batch.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await batch
        await changes.aclose()
