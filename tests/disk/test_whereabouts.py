"""Working folders that were removed, users without a home, relative places: nothing stops, nothing is mistaken."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.core.errors import InvalidArgument, NotFound
from memtui.disk import whereabouts
from memtui.disk.folders import DATA_VARIABLE, config_folder, state_folder
from memtui.disk.homes import expand, find_home
from memtui.disk.pending import PendingQueue
from memtui.disk.whereabouts import NOWHERE, fixed, user_home, working_folder
from memtui.opening import open_store, resolve_memory_dir
from memtui.store import MemoryStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the folder that is worked in")


@pytest.fixture
def removed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process works in a folder that is gone."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    yield
    os.chdir(tmp_path)


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither HOME nor the table of users tells a home, as under an arbitrary number in a container."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(whereabouts.os.path, "expanduser", lambda place: os.fspath(place))


@pytest.mark.usefixtures("removed_folder")
def test_a_full_path_is_opened_and_written_from_a_removed_folder(tmp_path: Path) -> None:
    store = open_store(tmp_path / "home")

    store.add("memory", "Alpha fact")

    assert open_store(str(tmp_path / "home")).entries("memory") == ["Alpha fact"]


@pytest.mark.usefixtures("removed_folder")
def test_a_relative_path_in_a_removed_folder_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="home leads nowhere: the folder .* has been removed"):
        open_store("home")
    with pytest.raises(NotFound, match="No memory found"):
        open_store()
    with pytest.raises(NotFound, match="leads nowhere"):
        expand("../home", working_folder(), user_home())


@pytest.mark.usefixtures("no_home")
def test_without_a_home_nothing_of_memtui_lies_in_the_folder_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)

    store = open_store(tmp_path / "home")
    change = store.remove("memory", "Alpha") if store.entries("memory") else store.add("memory", "Alpha fact")

    assert NOWHERE in user_home().parents
    assert NOWHERE in state_folder().parents
    assert NOWHERE in config_folder().parents
    assert "History cannot be used" in " ".join(change.notices)
    assert [entry.name for entry in tmp_path.iterdir()] == ["home"]


@pytest.mark.usefixtures("no_home")
def test_without_a_home_none_is_found_and_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No memory found"):
        find_home(None, {}, tmp_path, user_home())


def test_a_home_that_nobody_has_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, "~nobody-of-that-name/data")

    assert NOWHERE in state_folder().parents


def test_a_relative_place_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, "data")

    assert state_folder() == tmp_path / "data" / "state"
    assert fixed("~") == Path(os.environ["HOME"])


@pytest.mark.parametrize("path", ["a\0b", "~\0", "half \ud800", Path("a\0b")], ids=ascii)
@pytest.mark.parametrize("do", [open_store, MemoryStore, PendingQueue, lambda path: resolve_memory_dir(path, "/")])
def test_what_no_system_can_open_is_refused_in_words(do: Callable[..., object], path: str | Path) -> None:
    with pytest.raises(InvalidArgument, match="is no path that the system can open"):
        do(path)
