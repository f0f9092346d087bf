"""The real Hermes Agent for the tests of this folder, or a skip that says how to get it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hermes_peer import HermesMissing, HermesPeer, hermes_folder


@pytest.fixture(scope="session")
def hermes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HermesPeer]:
    try:
        folder = hermes_folder()
    except HermesMissing as missing:
        pytest.skip(str(missing))
    peer = HermesPeer(folder, tmp_path_factory.mktemp("hermes-home"))
    yield peer
    peer.close()
