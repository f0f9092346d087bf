"""Finding the home: what is named, what the environment says, the active profile, the known places."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memtui.core.errors import NotFound
from memtui.disk import search_homes
from memtui.disk.homes import Home, find_home, resolve_home
from memtui.disk.search_homes import list_homes


@pytest.fixture
def user_home(tmp_path: Path) -> Path:
    """A user's home folder without any agent."""
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A working folder without any agent."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def make_home(root: Path, *profiles: str) -> Path:
    for place in (root, *(root / "profiles" / name for name in profiles)):
        (place / "memories").mkdir(parents=True)
    return root


def test_a_named_path_beats_everything(user_home: Path, cwd: Path) -> None:
    make_home(user_home / ".hermes")

    home = find_home("other", {"HERMES_HOME": str(user_home / "env")}, cwd, user_home)

    assert home == Home(cwd / "other", cwd / "other" / "memories", "hermes", "default", is_named=True)


def test_the_environment_beats_the_known_places_and_need_not_exist(user_home: Path, cwd: Path) -> None:
    make_home(user_home / ".hermes")

    home = find_home(None, {"HERMES_HOME": " /srv/agent "}, cwd, user_home)

    assert (home.root, home.memories, home.is_named) == (
        Path("/srv/agent"),
        Path("/srv/agent/memories"),
        True,
    )


@pytest.mark.parametrize("value", ["~/.hermes", "~/../user/.hermes"])
def test_a_tilde_in_the_environment_means_the_users_home(user_home: Path, cwd: Path, value: str) -> None:
    home = find_home(None, {"HERMES_HOME": value}, cwd, user_home)

    assert home.memories == user_home / ".hermes" / "memories"


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_variable_is_none(user_home: Path, cwd: Path, value: str) -> None:
    make_home(user_home / ".hermes")

    assert find_home(None, {"HERMES_HOME": value}, cwd, user_home).root == user_home / ".hermes"


def test_the_active_profile_is_followed(user_home: Path, cwd: Path) -> None:
    root = make_home(user_home / ".hermes", "work")
    (root / "active_profile").write_text("Work\n")

    home = find_home(None, {}, cwd, user_home)

    assert (home.root, home.profile) == (root / "profiles" / "work", "work")
    assert home.memories == root / "profiles" / "work" / "memories"
    assert not home.is_named


@pytest.mark.parametrize(
    "name",
    [b"", b"\n", b"default", b"Default\n", b"../../escape", b"/etc", b".", b"work/../..", b"gone",
     b"\xff\xfe", b"work\nother", b"w" * 5000, b"work\0"],
)  # fmt: skip
def test_a_useless_profile_means_the_root(user_home: Path, cwd: Path, name: bytes) -> None:
    root = make_home(user_home / ".hermes", "work")
    (user_home / "escape" / "memories").mkdir(parents=True)
    (root / "active_profile").write_bytes(name)

    assert find_home(None, {}, cwd, user_home).root == root


def test_a_root_in_the_environment_means_its_active_profile(tmp_path: Path, user_home: Path, cwd: Path) -> None:
    root = make_home(tmp_path / "data", "work", "play")
    (root / "active_profile").write_text("work")

    in_root = find_home(None, {"HERMES_HOME": str(root)}, cwd, user_home)
    in_profile = find_home(None, {"HERMES_HOME": str(root / "profiles" / "play")}, cwd, user_home)
    by_a_person = find_home(str(root), {"HERMES_HOME": str(root)}, cwd, user_home)

    assert [home.profile for home in (in_root, in_profile, by_a_person)] == ["work", "play", "default"]


def test_the_profiles_of_a_root_in_the_environment_are_known(tmp_path: Path, user_home: Path, cwd: Path) -> None:
    root = make_home(tmp_path / "data", "work", "play")
    make_home(user_home / ".hermes")

    for place in (root, root / "profiles" / "play"):
        found = {home.root for home in list_homes((), {"HERMES_HOME": str(place)}, cwd, user_home)}
        assert found == {root, root / "profiles" / "work", root / "profiles" / "play", user_home / ".hermes"}


def test_a_pipe_in_place_of_the_active_profile_stops_nothing(user_home: Path, cwd: Path) -> None:
    root = make_home(user_home / ".hermes")
    os.mkfifo(root / "active_profile")

    assert find_home(None, {}, cwd, user_home).root == root


def test_the_memory_of_the_project_is_the_last_place(user_home: Path, cwd: Path) -> None:
    (cwd / ".my_agent_core" / "memory").mkdir(parents=True)

    home = find_home(None, {}, cwd, user_home)

    assert home == Home(cwd / ".my_agent_core", cwd / ".my_agent_core" / "memory", "pi")


def test_nothing_found_says_where_it_looked_and_what_to_do(user_home: Path, cwd: Path) -> None:
    with pytest.raises(NotFound) as refusal:
        find_home(None, {}, cwd, user_home)

    assert str(user_home / ".hermes") in str(refusal.value)
    assert str(cwd / ".my_agent_core") in str(refusal.value)
    assert "memtui demo" in str(refusal.value)


def test_a_home_a_folder_and_a_file_mean_the_same_home(tmp_path: Path) -> None:
    root = make_home(tmp_path / "agent")
    (root / "memories" / "USER.md").write_text("Uma")

    for path in (root, root / "memories", root / "memories" / "MEMORY.md", root / "memories" / "USER.md"):
        assert resolve_home(path) == Home(root, root / "memories", "hermes", "default")


def test_a_profile_knows_its_name(tmp_path: Path) -> None:
    root = make_home(tmp_path / "agent", "work")

    assert resolve_home(root / "profiles" / "work" / "memories").profile == "work"


def test_a_copied_folder_of_files_is_its_own_home(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "MEMORY.md").write_text("Alpha")

    for path in (tmp_path / "copy", tmp_path / "copy" / "MEMORY.md"):
        assert resolve_home(path) == Home(tmp_path / "copy", tmp_path / "copy", "hermes")


def test_a_named_file_is_opened_where_it_lies_though_a_home_is_around_it(tmp_path: Path) -> None:
    make_home(tmp_path)
    (tmp_path / "MEMORY.md").write_text("Alpha")

    assert resolve_home(tmp_path / "MEMORY.md").memories == tmp_path
    assert resolve_home(tmp_path / "new" / "MEMORY.md").memories == tmp_path / "new"
    assert resolve_home(tmp_path).memories == tmp_path / "memories"


def test_the_three_ways_to_name_a_pi_memory(tmp_path: Path) -> None:
    core = tmp_path / ".my_agent_core"
    (core / "memory").mkdir(parents=True)

    for path in (core, core / "memory", core / "memory" / "MEMORY.md", tmp_path):
        assert resolve_home(path) == Home(core, core / "memory", "pi")


def test_a_users_folder_means_the_agent_inside(user_home: Path) -> None:
    make_home(user_home / ".hermes")

    assert resolve_home(user_home).root == user_home / ".hermes"


def test_a_link_to_a_memories_folder_means_the_home_that_one_lies_in(tmp_path: Path) -> None:
    root = make_home(tmp_path / "agent")
    (tmp_path / "shortcut").symlink_to(root / "memories")

    assert resolve_home(tmp_path / "shortcut").root == root


def test_a_file_that_is_no_memory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "\x1bnotes.md").write_text("x")

    with pytest.raises(NotFound, match="is no memory") as refusal:
        resolve_home(tmp_path / "\x1bnotes.md")

    assert "\x1b" not in str(refusal.value)


def test_a_file_beside_a_memory_means_its_folder(tmp_path: Path) -> None:
    root = make_home(tmp_path / "agent")
    (root / "memories" / "MEMORY.md").write_text("Alpha")
    (root / "memories" / "MEMORY.md.bak.1764500000").write_text("Alpha")

    assert resolve_home(root / "memories" / "MEMORY.md.bak.1764500000").root == root


def test_the_known_homes_are_the_root_its_profiles_and_the_project(user_home: Path, cwd: Path) -> None:
    root = make_home(user_home / ".hermes", "work", "play", "Not-A-Name")
    (cwd / ".my_agent_core" / "memory").mkdir(parents=True)
    env = {"HERMES_HOME": str(root / "profiles" / "work")}

    homes = list(list_homes([], env, cwd, user_home))

    assert [home.profile for home in homes] == ["work", "default", "play", ""]
    assert homes[-1].flavour == "pi"


def test_profiles_of_a_known_root_that_cannot_be_looked_into_are_told(user_home: Path, cwd: Path) -> None:
    root = make_home(user_home / ".hermes")
    (root / "profiles").symlink_to("profiles")
    refused: list[Path] = []

    homes = list(list_homes([], {}, cwd, user_home, lambda folder, error: refused.append(folder)))

    assert [home.root for home in homes] == [root]
    assert refused == [root / "profiles"]


def test_a_profile_that_is_a_circle_of_links_hides_no_other(user_home: Path, cwd: Path) -> None:
    root = make_home(user_home / ".hermes", "work")
    (root / "profiles" / "round").symlink_to("round")

    assert [home.profile for home in list_homes([], {}, cwd, user_home)] == ["default", "work"]


def test_no_known_home_is_an_empty_list(user_home: Path, cwd: Path) -> None:
    assert list(list_homes([], {}, cwd, user_home)) == []


def test_named_folders_are_searched_and_each_home_comes_once(tmp_path: Path, user_home: Path) -> None:
    root = make_home(tmp_path / "fleet" / "one", "work")
    (tmp_path / "fleet" / "two" / ".my_agent_core" / "memory").mkdir(parents=True)
    (tmp_path / "fleet" / "copy").mkdir()
    (tmp_path / "fleet" / "copy" / "USER.md").write_text("Uma")
    (tmp_path / "fleet" / "loop").symlink_to("..")
    (tmp_path / "fleet" / "node_modules" / "x" / "memories").mkdir(parents=True)

    homes = list(list_homes(["fleet", str(root)], {}, tmp_path, user_home))

    assert {home.memories for home in homes} == {
        root / "memories",
        root / "profiles" / "work" / "memories",
        tmp_path / "fleet" / "two" / ".my_agent_core" / "memory",
        tmp_path / "fleet" / "copy",
    }
    assert len(homes) == 4


def found_below(*folders: Path) -> tuple[list[Path], dict[Path, str]]:
    """The folders of memories below these, and what could not be looked into."""
    refused: dict[Path, str] = {}

    def refuse(folder: Path, error: OSError) -> None:
        assert folder not in refused
        refused[folder] = str(error)

    names = [str(folder) for folder in folders]
    return [home.memories for home in list_homes(names, {}, folders[0], folders[0], refuse)], refused


@pytest.mark.parametrize("name", ["dev", "proc", "sys", "venv"])
def test_a_folder_called_like_one_of_the_systems_is_searched(tmp_path: Path, name: str) -> None:
    root = make_home(tmp_path / "ada" / name / "agent" / ".hermes")

    assert found_below(tmp_path) == ([root / "memories"], {})


def test_the_file_systems_of_the_kernel_are_left_alone() -> None:
    with os.scandir("/") as entries:
        kernels = {entry.name for entry in entries if search_homes._is_kernels(entry)}

    assert kernels == {name for name in ("dev", "proc", "sys") if os.path.isdir(f"/{name}")}


def test_a_home_far_below_is_found_and_what_lies_deeper_is_told(tmp_path: Path) -> None:
    deep = make_home(tmp_path.joinpath("deep", *"abcdefghijklmnopqrstuvwxyz", ".hermes"))
    too_deep = make_home(tmp_path.joinpath("too", *("x" * 31), ".hermes"))

    found, refused = found_below(tmp_path)

    assert found == [deep / "memories"]
    assert list(refused) == [too_deep.parent]
    assert "no search goes deeper" in refused[too_deep.parent]


@pytest.mark.parametrize(
    ("link", "goal"),
    [
        ("ada/.hermes", "ada-data"),
        ("ada/.my_agent_core", "pi/.my_agent_core"),
        ("ada/.my_agent_core/memory", "pi/.my_agent_core/memory"),
        ("ada/.hermes/memories", "ada-data/memories"),
        ("ada/.hermes/profiles/work", "ada-data"),
        ("ada/.hermes/profiles", "parent"),
        ("anything", "ada-data"),
        ("anything", "users/uma"),
        ("anything", "copy"),
    ],
)
def test_a_link_to_a_home_is_followed(tmp_path: Path, link: str, goal: str) -> None:
    data = tmp_path / "data"
    make_home(data / "ada-data")
    make_home(data / "parent" / "work")
    make_home(data / "users" / "uma" / ".hermes")
    (data / "pi" / ".my_agent_core" / "memory").mkdir(parents=True)
    (data / "copy").mkdir()
    (data / "copy" / "MEMORY.md").write_text("Alpha")
    place = tmp_path / "fleet" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(data / goal)

    found, refused = found_below(tmp_path / "fleet")

    assert len(found) == 1
    assert os.path.realpath(found[0]).startswith(str(data / goal))
    assert refused == {}


def test_a_home_that_several_links_lead_to_comes_once(tmp_path: Path) -> None:
    root = make_home(tmp_path / "b" / "data", "work")
    for name in ("a", "c", "d"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".hermes").symlink_to(root)
    (root / "back").symlink_to(root)
    (root / ".hermes").symlink_to(tmp_path)
    (root / "memories" / "memories").symlink_to(root / "profiles")
    (root / "profiles" / "again").symlink_to(root / "memories")

    found, refused = found_below(tmp_path)

    memories = [os.path.realpath(folder) for folder in found]
    assert sorted(set(memories)) == sorted(memories)
    assert {str(root / "memories"), str(root / "profiles" / "work" / "memories")} <= set(memories)
    assert refused == {}


def test_a_home_under_two_named_folders_is_told_by_both_and_comes_once(tmp_path: Path) -> None:
    root = make_home(tmp_path / "data")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".hermes").symlink_to(root)

    found, _ = found_below(tmp_path / "one", tmp_path / "two")

    assert found == [tmp_path / "one" / ".hermes" / "memories"]


def test_a_link_called_like_a_home_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    make_home(tmp_path / "home")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / ".hermes").symlink_to(tmp_path / "not-mounted")
    (tmp_path / "uma").mkdir()
    (tmp_path / "uma" / ".hermes").symlink_to(".hermes")
    (tmp_path / "other").symlink_to("gone")

    found, refused = found_below(tmp_path)

    assert found == [tmp_path / "home" / "memories"]
    assert set(refused) == {tmp_path / "ada" / ".hermes", tmp_path / "uma" / ".hermes"}


def test_a_named_path_without_a_home_is_the_home_it_would_be(tmp_path: Path, user_home: Path) -> None:
    [home] = list_homes(["new"], {}, tmp_path, user_home)

    assert home == Home(tmp_path / "new", tmp_path / "new" / "memories", "hermes", "default", is_named=True)


def test_the_first_of_many_homes_come_at_once(tmp_path: Path, user_home: Path) -> None:
    for number in range(200):
        make_home(tmp_path / "fleet" / f"{number:03}")
    began = time.monotonic()
    homes = list_homes(["fleet"], {}, tmp_path, user_home)

    first = [next(homes) for _ in range(20)]
    first_s = time.monotonic() - began

    assert [home.root.name for home in first] == [f"{number:03}" for number in range(20)]
    assert first_s < 0.3
    assert len(list(homes)) == 180


def test_looking_for_homes_makes_nothing(user_home: Path, cwd: Path) -> None:
    find_home("new", {}, cwd, user_home)
    list(list_homes(["new"], {}, cwd, user_home))

    assert os.listdir(cwd) == os.listdir(user_home) == []
