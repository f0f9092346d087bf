"""Finds entries that hold several notes because a sign is missing or misplaced.

Exactly the rule of that table and no guess beyond it: an ordinary entry of several lines is one note.
"""

from __future__ import annotations

from collections.abc import Callable

from memtui.core.codec import SIGN
from memtui.core.model import Document, Merged
from memtui.core.split import SIGN_REASONS, block_count, has_headings, sign_form, split_at_signs, split_blocks


def never(_: str) -> bool:
    """Nothing is known to have been written whole."""
    return False


def find_merged(document: Document, written_whole: Callable[[str], bool] = never) -> tuple[Merged, ...]:
    """Entries that hold several notes.

    `written_whole` tells that history knows a guarded operation to have written exactly this text: then it is
    one note, whatever it looks like.
    """
    has_sign = SIGN.encode() in document.raw_bytes
    merged = []
    for index, entry in enumerate(document.entries):
        if entry.duplicate_of is not None:
            continue
        parts, reason = _notes_of(entry.text, has_sign)
        if len(parts) > 1 and not written_whole(entry.text):
            merged.append(Merged(index, parts, reason))
    return tuple(merged)


def _notes_of(text: str, has_sign: bool) -> tuple[tuple[str, ...], str]:
    if SIGN in text:
        return split_at_signs(text), SIGN_REASONS.get(sign_form(text), "")
    if has_sign or "\n" not in text:
        return (), ""
    if has_headings(text):
        return split_blocks(text), "headings, and no § in the file"
    if block_count(text) > 1:
        return split_blocks(text), "blocks parted by blank lines, and no § in the file"
    return (), ""
