"""memtui's own places follow the environment and are not made by naming them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memtui.disk.folders import config_folder, history_path, state_folder, suppressions_path


@pytest.mark.skipif(sys.platform != "linux", reason="these variables are for Linux")
def test_state_and_configuration_follow_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    assert history_path().parent == state_folder() == tmp_path / "state" / "memtui"
    assert suppressions_path().parent == config_folder() == tmp_path / "config" / "memtui"
    assert list(tmp_path.iterdir()) == []
