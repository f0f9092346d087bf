"""A home's configuration as it stands now: an agent that runs for days must hear of a switch that a person turned."""

from __future__ import annotations

import time

from memtui.disk.files import identity_of, is_stale
from memtui.disk.homes import Home
from memtui.disk.settings import CONFIG_FILE, Settings, read_settings


class LiveSettings:
    """Reads the configuration again when its file changed. Limits are not its business: a store keeps its own."""

    def __init__(self, home: Home | None, settings: Settings) -> None:
        """`settings` holds for good where there is no `home` to read them from."""
        self._home = home
        self._settings = settings
        self._identity = identity_of(home.root / CONFIG_FILE) if home else None

    def now(self) -> Settings:
        """The settings. Never raises; a useless file means the defaults, as it does for the agent."""
        if self._home is not None:
            path = self._home.root / CONFIG_FILE
            identity = identity_of(path)
            if identity != self._identity or (identity is not None and is_stale(identity, path, time.time_ns())):
                self._settings, self._identity = read_settings(self._home), identity
        return self._settings
