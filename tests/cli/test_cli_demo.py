"""The sample home: it has everything that the demo promises to show."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.disk import demo, demo_texts


@pytest.fixture
def sample(memtui: Any, tmp_path: Path) -> Path:
    """A sample home made by the command."""
    made = memtui("demo", "--make", tmp_path / "demo", "--json")
    assert made.code == 0
    return Path(made.json["home"])


def states_of(memtui: Any, home: Path) -> dict[str, str]:
    """The state of every entry of MEMORY.md by its text."""
    listed = memtui("list", "memory", "--json", "--home", home).json["targets"][0]["entries"]
    return {entry["text"]: entry["state"] for entry in listed}


def test_the_first_file_is_clean_but_for_its_threats_and_false_alarms(memtui: Any, sample: Path) -> None:
    states = states_of(memtui, sample)

    assert states.pop(demo_texts.POISON) == "blocked"
    assert states.pop(demo_texts.HIDDEN) == "dangerous"
    assert states.pop(demo_texts.SSH_NOTE) == "hidden"
    assert states.pop(demo_texts.EMOJI_NOTE) == "hidden"
    assert len(states) >= 4
    assert set(states.values()) == {"clean"}


def test_the_first_file_can_be_edited(memtui: Any, sample: Path) -> None:
    answer = memtui("add", "memory", "Lunch is at noon", "--home", sample)

    assert (answer.code, answer.err) == (0, "")


def test_the_profile_has_drifted_and_has_backups(memtui: Any, sample: Path) -> None:
    checked = memtui("check", "user", "--json", "--home", sample)

    (user,) = checked.json["targets"]
    backups = sorted(path.read_bytes() for path in (sample / "memories").glob("USER.md.bak.*"))
    assert checked.code == 1
    assert user["verdict"] == "drift"
    assert [drift["kind"] for drift in user["drift"]] == ["too_long"]
    assert len(backups) == 2
    assert (sample / "memories" / "USER.md").read_bytes() in backups


def test_a_second_profile_has_what_the_first_has_not(memtui: Any, sample: Path) -> None:
    checked = memtui("check", "--json", "--home", sample / "profiles" / "work").json

    verdicts = {file["target"]: file["verdicts"] for file in checked["targets"]}
    assert "merged" in verdicts["memory"]
    assert "layout" in verdicts["memory"]
    assert "over_budget" in verdicts["user"]


def test_every_home_is_listed_with_its_staged_writes_and_what_is_switched_off(memtui: Any, sample: Path) -> None:
    answer = memtui("homes", sample.parent, "--json")

    homes = {home["profile"]: home for home in map(json.loads, answer.out.splitlines())}
    assert sorted(homes) == ["default", "quiet", "work"]
    assert homes["default"]["staged"] == len(demo_texts.STAGED)
    assert [home["memory_enabled"] for _, home in sorted(homes.items())] == [True, False, True]


def test_a_staged_write_can_be_read_by_the_queue(sample: Path) -> None:
    from memtui.disk.pending import PendingQueue

    staged = PendingQueue(sample).list()

    assert sorted(write.id for write in staged) == [write[0] for write in demo_texts.STAGED]
    assert [write.problem for write in staged] == [""] * len(staged)


def test_a_folder_that_holds_something_is_left_alone(memtui: Any, tmp_path: Path, tree_of: Any) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    before = tree_of(tmp_path / "mine")

    answer = memtui("demo", "--make", tmp_path / "mine")

    assert answer.code == 2
    assert "not empty" in answer.err
    assert tree_of(tmp_path / "mine") == before


def test_a_made_sample_says_which_folder_to_open(memtui: Any, tmp_path: Path) -> None:
    answer = memtui("demo", "--make", tmp_path / "mine")

    made = answer.out.strip()
    assert Path(made).parent == tmp_path / "mine"
    assert answer.err.endswith(f"Open it: memtui {made}\n")
    assert memtui("check", "--home", made).code == 1


def test_the_visitor_changes_one_note_and_adds_one(memtui: Any, sample: Path) -> None:
    demo.visit(sample)

    states = states_of(memtui, sample)
    assert demo_texts.VPN_AFTER in states
    assert demo_texts.BOX_MOVED in states
    assert demo_texts.VPN_BEFORE not in states


def test_the_visitor_comes_by_itself_and_not_after_the_demo_ended(sample: Path) -> None:
    memory = sample / "memories" / "MEMORY.md"
    before = memory.read_bytes()

    with demo.visitor(sample, after_s=60):
        pass
    assert memory.read_bytes() == before

    with demo.visitor(sample, after_s=0):
        deadline = time.monotonic() + 10
        while memory.read_bytes() == before and time.monotonic() < deadline:
            time.sleep(0.01)
    assert demo_texts.BOX_MOVED in memory.read_text(encoding="utf-8")
    assert threading.active_count() == 1


def test_the_demo_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with demo.temporary_demo() as home:
        assert (home / "memories" / "MEMORY.md").is_file()

    assert list(tmp_path.glob("memtui-demo-*")) == []
