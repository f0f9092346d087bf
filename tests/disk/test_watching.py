"""The watcher: a beat for every change that counts, whatever happens to files, links and folders."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memtui.disk import watch
from memtui.disk.files import identity_of
from memtui.disk.homes import Home
from memtui.disk.watch import Beat, WatchMode, watch_home

PATIENCE_S = 10
QUIET_S = 0.15
"""How long to wait for a beat that must not come: several times what one takes."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with an empty memories folder."""
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    return Home(root, root / "memories")


class Listener:
    """What a test heard of a watcher."""

    def __init__(self) -> None:
        self.beats: asyncio.Queue[tuple[float, Beat]] = asyncio.Queue()

    async def next(self) -> Beat:
        return (await asyncio.wait_for(self.beats.get(), PATIENCE_S))[1]

    async def named(self, name: str) -> tuple[float, Beat]:
        """The next beat that names the file, and when it came."""
        while True:
            when, beat = await asyncio.wait_for(self.beats.get(), PATIENCE_S)
            if name in beat.names:
                return when, beat

    async def in_mode(self, mode: WatchMode) -> Beat:
        while (beat := await self.next()).mode is not mode:
            pass
        return beat

    async def silence(self) -> list[Beat]:
        """What comes though nothing should."""
        await asyncio.sleep(QUIET_S)
        return [self.beats.get_nowait()[1] for _ in range(self.beats.qsize())]


@asynccontextmanager
async def listening(home: Home) -> AsyncIterator[Listener]:
    """A running watcher whose first beat has come."""
    listener = Listener()

    async def listen() -> None:
        async for beat in watch_home(home):
            listener.beats.put_nowait((time.monotonic(), beat))

    task = asyncio.create_task(listen())
    try:
        first = await listener.next()
        assert first.names == frozenset()
        yield listener
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def put(path: Path, text: str) -> float:
    """Replace the file as agents do; the moment of the rename."""
    temporary = path.with_name(".mem_abcdefgh.tmp")
    temporary.write_text(text)
    os.replace(temporary, path)
    return time.monotonic()


async def test_a_rename_is_told_within_milliseconds(home: Home) -> None:
    waits_s = []
    async with listening(home) as listener:
        for number in range(15):
            renamed = put(home.memories / "MEMORY.md", str(number))
            when, beat = await listener.named("MEMORY.md")
            waits_s.append(when - renamed)
            assert beat.mode is WatchMode.NOTIFY
            await listener.silence()

    assert sorted(waits_s)[len(waits_s) // 2] < 0.05


@pytest.mark.parametrize(
    "name",
    [
        "MEMORY.md",
        "USER.md",
        "MEMORY.md.bak.1764500000",
        "USER.md~",
        "MEMORY.sync-conflict-20240301-102030-A.md",
    ],
)
async def test_memory_files_and_their_copies_count(home: Home, name: str) -> None:
    async with listening(home) as listener:
        (home.memories / name).write_text("x")
        _, beat = await listener.named(name)

        assert beat.names == {name}


async def test_configuration_and_staged_writes_count(home: Home) -> None:
    async with listening(home) as listener:
        (home.root / "config.yaml").write_text("memory: {}")
        await listener.named("config.yaml")
        (home.root / "pending" / "memory").mkdir(parents=True)
        (home.root / "pending" / "memory" / "ab12.json").write_text("{}")
        await listener.named("pending/memory/ab12.json")
        (home.root / "pending" / "memory" / "ab12.json").unlink()
        await listener.named("pending/memory/ab12.json")


async def test_locks_temporary_files_and_the_agents_own_noise_do_not(home: Home) -> None:
    async with listening(home) as listener:
        for name in ("MEMORY.md.lock", ".memtui_MEMORY.md_ab.tmp", ".mem_abcdefgh.tmp", "notes.md"):
            (home.memories / name).write_text("x")
        for name in ("agent.log", "gateway.pid", "auth.lock"):
            (home.root / name).write_text("x")

        assert await listener.silence() == []


async def test_a_look_is_no_change(home: Home) -> None:
    (home.memories / "MEMORY.md").write_text("Alpha")
    async with listening(home) as listener:
        (home.memories / "MEMORY.md").read_text()
        os.listdir(home.memories)

        assert await listener.silence() == []


async def test_a_change_in_place_of_the_same_size_counts(home: Home) -> None:
    (home.memories / "MEMORY.md").write_text("Alpha")
    async with listening(home) as listener:
        with open(home.memories / "MEMORY.md", "r+") as file:
            file.write("Omega")
        await listener.named("MEMORY.md")


async def test_a_folder_that_is_removed_and_made_again_goes_on_being_watched(home: Home) -> None:
    (home.memories / "MEMORY.md").write_text("Alpha")
    async with listening(home) as listener:
        shutil.rmtree(home.memories)
        await listener.named("MEMORY.md")
        waiting = await listener.in_mode(WatchMode.WAIT)
        assert "is not there" in waiting.reason

        home.memories.mkdir()
        put(home.memories / "MEMORY.md", "Beta")
        await listener.named("MEMORY.md")
        await listener.silence()
        put(home.memories / "MEMORY.md", "Gamma")
        _, beat = await listener.named("MEMORY.md")

        assert beat.mode is WatchMode.NOTIFY


async def test_a_folder_that_is_swapped_for_another_goes_on_being_watched(home: Home) -> None:
    put(home.memories / "MEMORY.md", "Alpha")
    async with listening(home) as listener:
        home.memories.rename(home.root / "aside")
        home.memories.mkdir()
        put(home.memories / "MEMORY.md", "Beta")
        await listener.named("MEMORY.md")
        await listener.silence()
        put(home.memories / "MEMORY.md", "Gamma")
        await listener.named("MEMORY.md")


async def test_a_home_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "not" / "yet"
    home = Home(root, root / "memories")
    async with listening(home) as listener:
        home.memories.mkdir(parents=True)
        put(home.memories / "MEMORY.md", "Alpha")
        await listener.named("MEMORY.md")
        await listener.silence()
        put(home.memories / "MEMORY.md", "Beta")
        _, beat = await listener.named("MEMORY.md")

        assert beat.mode is WatchMode.NOTIFY


async def test_a_file_that_becomes_a_link_is_followed_to_its_real_folder(home: Home, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "agent.md"
    real.parent.mkdir()
    real.write_text("Alpha")
    put(home.memories / "MEMORY.md", "old")
    async with listening(home) as listener:
        (home.memories / "new").symlink_to(real)
        os.replace(home.memories / "new", home.memories / "MEMORY.md")
        await listener.named("MEMORY.md")
        await listener.silence()
        put(real, "Beta")
        when, _ = await listener.named("MEMORY.md")

        assert time.monotonic() - when < watch.SAFETY_S


async def test_a_folder_reached_through_a_link_is_watched(home: Home, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(home.root)
    linked = Home(tmp_path / "shortcut", tmp_path / "shortcut" / "memories")
    async with listening(linked) as listener:
        put(home.memories / "MEMORY.md", "Alpha")
        _, beat = await listener.named("MEMORY.md")

        assert beat.names == {"MEMORY.md"}


async def test_a_change_while_the_reader_is_busy_is_not_lost(home: Home) -> None:
    async with listening(home) as other, contextlib.aclosing(watch_home(home)) as beats:
        await anext(beats)
        put(home.memories / "USER.md", "Uma")
        await asyncio.wait_for(anext(beats), PATIENCE_S)
        put(home.memories / "MEMORY.md", "Beta")
        await other.named("MEMORY.md")  # the system has reported it, and the reader did not ask yet
        put(home.memories / "USER.md", "Una")

        names: set[str] = set()
        while not {"MEMORY.md", "USER.md"} <= names:
            names |= (await asyncio.wait_for(anext(beats), PATIENCE_S)).names


async def test_a_watcher_ends_at_once_when_cancelled_or_closed(home: Home) -> None:
    beats = watch_home(home)
    await anext(beats)
    put(home.memories / "MEMORY.md", "Alpha")
    await asyncio.wait_for(anext(beats), PATIENCE_S)
    waiting = asyncio.create_task(anext(beats))
    await asyncio.sleep(0)  # it is armed already, so that its first step waits for a report

    began = time.monotonic()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await beats.aclose()

    assert time.monotonic() - began < 0.5


async def test_without_notifications_the_home_is_polled_and_says_why(home: Home, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr(watch, "POLL_S", 0.05)
    monkeypatch.setattr("watchfiles.main.RustNotify", refuse)
    async with listening(home) as listener:
        polled = await listener.in_mode(WatchMode.POLL)
        assert "watch limit reached" in polled.reason

        put(home.memories / "MEMORY.md", "Alpha")
        _, beat = await listener.named("MEMORY.md")

        assert beat.mode is WatchMode.POLL


async def test_a_network_file_system_is_looked_at_often_and_says_so(home: Home, monkeypatch) -> None:
    monkeypatch.setattr(watch, "remote_file_system", lambda folder: "nfs4")
    monkeypatch.setattr(watch, "POLL_S", 0.05)
    async with contextlib.aclosing(watch_home(home)) as beats:
        first = await anext(beats)

        assert first.mode is WatchMode.POLL
        assert "nfs4" in first.reason


async def test_a_report_that_got_lost_is_found_by_the_next_look(home: Home, monkeypatch) -> None:
    monkeypatch.setattr(watch, "SAFETY_S", 0.2)
    monkeypatch.setattr(watch, "names_of", lambda paths, home, beside: frozenset())
    async with listening(home) as listener:
        put(home.memories / "MEMORY.md", "Alpha")

        await listener.named("MEMORY.md")


async def test_a_busy_database_does_not_keep_the_looks_away(home: Home, monkeypatch) -> None:
    monkeypatch.setattr(watch, "SAFETY_S", 0.2)
    async with listening(home) as listener:
        for number in range(40):
            (home.root / "state.db-wal").write_bytes(b"x" * number)
            await asyncio.sleep(0.02)
        _, beat = await listener.named("state.db-wal")

        assert beat.names == {"state.db-wal"}


@pytest.mark.as_root("unshare")
def test_when_the_system_has_no_watch_to_give_the_home_is_polled(home: Home, run_python) -> None:
    limit = "/proc/sys/user/max_inotify_instances"
    said = run_python(
        """
import asyncio, sys
from pathlib import Path
from memtui.disk.homes import Home
from memtui.disk import watch
watch.POLL_S = 0.05
root = Path(sys.argv[1])
async def main():
    beats = watch.watch_home(Home(root, root / "memories"))
    while (beat := await asyncio.wait_for(anext(beats), 10)).mode is not watch.WatchMode.POLL: pass
    print(beat.reason)
    (root / "memories" / "MEMORY.md").write_text("x")
    print((await asyncio.wait_for(anext(beats), 10)).names)
    await beats.aclose()
asyncio.run(main())
""",
        home.root,
        shell=f'exec unshare -U -r sh -ec \'echo 0 > {limit}; exec "$@"\' sh "$@"',
    )

    assert "cannot report changes" in said
    assert "MEMORY.md" in said


async def test_watching_writes_nothing_into_the_home(home: Home) -> None:
    before = identity_of(home.memories)
    async with listening(home) as listener:
        await listener.silence()

    assert identity_of(home.memories) == before
    assert os.listdir(home.root) == ["memories"]
