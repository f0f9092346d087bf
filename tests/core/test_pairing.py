"""Our entries beside the agent's: the two cut some files in different places."""

from __future__ import annotations

import pytest

from memtui.core.codec import parse
from memtui.core.pairing import paired
from memtui.core.snapshot import agent_view

HIDDEN = "Keys lie in ~/.ssh/config"


def hidden_texts(raw_bytes: bytes) -> list[str]:
    """The texts of our entries whose twin the agent hides."""
    entries = parse(raw_bytes).entries
    twins = paired(entries, agent_view(raw_bytes, "MEMORY.md"))
    return [entry.text for entry, twin in zip(entries, twins, strict=True) if twin is not None and twin.hidden]


@pytest.mark.parametrize(
    ("raw_text", "hidden"),
    [
        (f"one\n§\n{HIDDEN}\n§\ntwo", [HIDDEN]),
        (f"one\r\n§\r\n{HIDDEN}\r\n§\r\ntwo\r\n", [HIDDEN]),
        (f"§\n{HIDDEN}\n§\ntwo\n§\n", [HIDDEN]),
        (f"one\n\n§\n\n{HIDDEN}\n\n§\n\ntwo", [HIDDEN]),
        (f"{HIDDEN}\n§\none\n§\n{HIDDEN}", [HIDDEN, HIDDEN]),
        ("\ufeffone\n§\ntwo", ["one"]),
        ("one\n§\ntwo", []),
    ],
    ids=["plain", "crlf", "leading-sign", "blank-lines", "duplicate", "bom", "none"],
)
def test_a_hidden_entry_is_found_whatever_the_layout(raw_text: str, hidden: list[str]) -> None:
    assert hidden_texts(raw_text.encode()) == hidden


def test_an_entry_that_the_agent_cannot_read_has_no_twin() -> None:
    raw_bytes = b"one\n\xc2\xa7\ncaf\xe9"

    assert paired(parse(raw_bytes).entries, agent_view(raw_bytes, "MEMORY.md")) == (None, None)


def test_a_file_without_entries_has_no_twins() -> None:
    assert paired((), ()) == ()
