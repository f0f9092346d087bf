"""What a running chat holds, has not yet, and still holds although it is gone from disk."""

from __future__ import annotations

from memtui.core.codec import parse
from memtui.core.diff import RowKind
from memtui.core.held import HeldView, held_view
from memtui.core.model import ENTRY_DELIMITER
from memtui.core.pairing import paired
from memtui.core.snapshot import agent_block, agent_view, split_prompt_block

HIDDEN = "Keys lie in ~/.ssh/config"


def prompt_of(*texts: str) -> tuple[str, ...]:
    """The entries in the stored prompt of a session that began with these on disk."""
    block = agent_block("memory", ENTRY_DELIMITER.join(texts).encode(), 2200)
    return split_prompt_block(f"You are an agent.\n\n{block}\n\nConversation").get("memory", ())


def against(prompt: tuple[str, ...], *texts: str) -> HeldView:
    raw_bytes = ENTRY_DELIMITER.join(texts).encode()
    entries = parse(raw_bytes).entries
    return held_view(prompt, entries, paired(entries, agent_view(raw_bytes, "MEMORY.md")))


def test_a_chat_that_began_with_these_very_entries_holds_them_all() -> None:
    view = against(prompt_of("Alpha", "Beta\nin two lines", HIDDEN), "Alpha", "Beta\nin two lines", HIDDEN)

    assert [row.kind for row in view.rows] == [RowKind.SAME] * 3
    assert [one.is_hidden for one in view.held] == [False, False, True]


def test_new_changed_and_removed_entries_are_told_apart() -> None:
    view = against(
        prompt_of("Alpha", "Deploy needs the company VPN", "Gone"),
        "Alpha", "Deploy needs the company VPN and MFA", "Written since",
    )  # fmt: skip

    assert view.count(RowKind.SAME) == 1
    assert view.count(RowKind.CHANGED) == 1
    assert (view.count(RowKind.NEW), view.count(RowKind.REMOVED)) == (1, 1)


def test_a_placeholder_stands_for_the_entry_behind_it_whatever_the_order_of_its_ids() -> None:
    invisible = "Two\u200b kinds\u2060 of blanks"
    (shown,) = prompt_of(invisible)
    first, second = "invisible_unicode_U+200B", "invisible_unicode_U+2060"
    assert f"{first}, {second}" in shown
    swapped = shown.replace(f"{first}, {second}", f"{second}, {first}")

    view = against((swapped,), "Other", invisible)

    (held,) = view.held
    assert (held.text, held.shown, held.is_hidden) == (invisible, swapped, True)
    assert [row.kind for row in view.rows] == [RowKind.NEW, RowKind.SAME]


def test_entries_behind_equal_placeholders_are_matched_each_to_one() -> None:
    other = "Hosts are in ~/.ssh/known"

    view = against(prompt_of(HIDDEN, other), HIDDEN, other)

    assert [one.text for one in view.held] == [HIDDEN, other]
    assert view.count(RowKind.SAME) == 2


def test_a_placeholder_whose_entry_is_gone_is_shown_as_it_stands_in_the_prompt() -> None:
    view = against(prompt_of(HIDDEN), "Alpha")

    (held,) = view.held
    assert held.is_hidden
    assert held.rule_ids == ("ssh_access",)
    assert held.text == held.shown
    assert (view.count(RowKind.NEW), view.count(RowKind.REMOVED)) == (1, 1)


def test_a_forged_placeholder_is_the_text_of_its_entry() -> None:
    (forged,) = prompt_of(HIDDEN)

    view = against((forged,), forged)

    assert [row.kind for row in view.rows] == [RowKind.SAME]
    assert not view.held[0].is_hidden


def test_a_prompt_without_a_block_holds_nothing() -> None:
    view = against((), "Alpha", "Alpha", "Beta")

    assert [row.kind for row in view.rows] == [RowKind.NEW, RowKind.NEW]
    assert view.live == ("Alpha", "Beta")
