"""How a command line names an entry that is to be changed. It never takes a number for a place in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.core.errors import Ambiguous
from memtui.core.matching import QUOTED_CELLS, listed_data
from memtui.core.threats.masking import masked_preview

GONE_ENTRIES: Final = 20
"""That a list may have had beyond those of now; a port or a year is no row of it."""

if TYPE_CHECKING:
    from memtui.store import MemoryStore


def entry_meant(store: MemoryStore, target: str, old: str) -> str:
    """What a person gave to name an entry that is to be changed, unchanged.

    Raises Ambiguous for a bare number that `memtui list` gives to one entry, or may have given a minute ago, and that,
    as text, would name another one or none: entries move, so an old number must not choose what is removed.
    """
    wanted, entries = old.strip(), store.inspect(target, scan=False, shows=False).entries
    holding = {entry.text for entry in entries if wanted in entry.text}
    if not _may_be_a_row(wanted, len(entries)) or wanted in holding:
        return old
    numbered = entries[int(wanted) - 1] if int(wanted) <= len(entries) else None
    if holding == ({numbered.text} if numbered else set()):
        return old
    candidates = tuple(dict.fromkeys([*([numbered.text] if numbered else ()), *holding]))
    data = {"old_text": wanted, "candidates": listed_data(candidates)}
    if numbered is None:
        raise Ambiguous(
            f"Nothing was written: {wanted} may be the number of an entry that is gone, and is a part of another one's "
            "text. Give the #name of the entry meant, or quote more of it.",
            data,
        )
    named = f"#{numbered.name} “{masked_preview(numbered.text, QUOTED_CELLS)}”"
    also = ", and a part of another entry" if holding - {numbered.text} else ""
    raise Ambiguous(
        f"Nothing was written: {wanted} is the number of {named} in `memtui list`{also}. A number may have moved on: "
        f"give #{numbered.name} to mean that entry, or quote more of the one meant.",
        data,
    )


def _may_be_a_row(wanted: str, entry_count: int) -> bool:
    """True for a number that a list of these entries has, or had before some went."""
    is_number = wanted.isascii() and wanted.isdigit() and len(wanted) < 6
    return is_number and 0 < int(wanted) <= entry_count + GONE_ENTRIES
