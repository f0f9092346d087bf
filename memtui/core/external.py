"""What another writer changed, entry by entry, since a reader last looked.

It compares texts only; whether a change was memtui's own is the store's to know.
"""

from __future__ import annotations

from collections.abc import Sequence

from memtui.core.model import ExternalChange
from memtui.core.similar import similar_pairs


def compare(before_texts: Sequence[str], now_texts: Sequence[str]) -> ExternalChange:
    """What changed from one state to the other, entry by entry; order alone is no change.

    A text that went and one that came are one changed entry when they are alike, or when one only grew.
    """
    before, now = frozenset(before_texts), frozenset(now_texts)
    gone = [text for text in dict.fromkeys(before_texts) if text not in now]
    come = [text for text in dict.fromkeys(now_texts) if text not in before]
    pairs = similar_pairs(gone, come)
    paired_gone, paired_come = {i for i, _ in pairs}, {j for _, j in pairs}
    return ExternalChange(
        added=tuple(text for j, text in enumerate(come) if j not in paired_come),
        removed=tuple(text for i, text in enumerate(gone) if i not in paired_gone),
        changed=tuple((gone[i], come[j]) for i, j in pairs),
    )


def appended_lines(before: str, now: str) -> tuple[str, ...]:
    """The lines added at the end of an entry otherwise unchanged (by `>>`); () for any other change."""
    if not now.startswith(before + "\n"):
        return ()
    return tuple(line for line in now[len(before) + 1 :].split("\n") if line.strip())
