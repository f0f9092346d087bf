"""How a command line names an entry that is to be changed. It never takes a number for a place in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.core.errors import Ambiguous
from memtui.core.matching import QUOTED_CELLS, listed_data
from memtui.core.threats.masking import masked_preview

if TYPE_CHECKING:
    from memtui.store import MemoryStore


def entry_meant(store: MemoryStore, target: str, old: str) -> str:
    """What a person gave to name an entry that is to be changed, unchanged.

    Raises Ambiguous for a bare number that `memtui list` gives to one entry and that, as text, would name another
    one or none: entries move, so a number from a list of a minute ago must not choose what is removed.
    """
    wanted, entries = old.strip(), store.inspect(target, scan=False, shows=False).entries
    numbered = {str(number): entry for number, entry in enumerate(entries, 1)}.get(wanted)
    holding = {entry.text for entry in entries if wanted in entry.text}
    if numbered is None or wanted in holding or holding == {numbered.text}:
        return old
    named = f"#{numbered.name} “{masked_preview(numbered.text, QUOTED_CELLS)}”"
    also = ", and a part of another entry" if holding - {numbered.text} else ""
    raise Ambiguous(
        f"Nothing was written: {wanted} is the number of {named} in `memtui list`{also}. A number may have moved on: "
        f"give #{numbered.name} to mean that entry, or quote more of the one meant.",
        {"old_text": wanted, "candidates": listed_data(tuple(dict.fromkeys([numbered.text, *holding])))},
    )
