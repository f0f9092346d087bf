"""What a person lets through although a rule refuses it: known and fine once it stands, and no longer when undone.

A failure to store that is told and undoes no write.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from memtui.core.change import Change
from memtui.core.errors import MemoryRefused
from memtui.core.visible import clip
from memtui.disk.suppressions import Suppressions

REASON: Final = "written by a person"
"""Kept with what nobody gave a reason of their own for."""
MAX_NAMED: Final = 3


def settle(suppressions: Suppressions, change: Change, allow: Collection[str]) -> Change:
    """Follow a written change with what is known and fine; the change says what came of it."""
    try:
        return replace(change, notices=(*change.notices, *_followed(suppressions, change, allow)))
    except MemoryRefused as refusal:
        return replace(change, notices=(*change.notices, str(refusal)))


def _followed(suppressions: Suppressions, change: Change, allow: Collection[str]) -> tuple[str, ...]:
    if allow and change.new_texts:
        for text in change.new_texts:
            suppressions.allow(text, allow, reason=REASON)
        return (f"Known and fine in this text from now on: {_named(allow)}.",)
    if change.undoes is None:
        return ()
    gone = {step.before for step in change.steps if step.before is not None} - {*change.texts}
    rule_ids = [rule_id for text in sorted(gone) for rule_id in suppressions.forget(text, REASON)]
    return (f"No longer known and fine: {_named(rule_ids)}.",) if rule_ids else ()


def _named(rule_ids: Collection[str]) -> str:
    names = sorted(set(rule_ids))
    more = len(names) - MAX_NAMED
    return ", ".join(clip(name, 40) for name in names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
