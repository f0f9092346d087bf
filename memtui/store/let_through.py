"""What a person lets through although a rule refuses it: known and fine once it stands, and no longer when undone.

A failure to store that is told and undoes no write.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from typing import Final

from memtui.core.change import Change
from memtui.core.errors import MemoryRefused
from memtui.core.visible import clip
from memtui.disk.suppressions import Suppressions
from memtui.store.guard import Suppressing, findings_of

REASON: Final = "written by a person"
"""Kept with what nobody gave a reason of their own for."""
MAX_NAMED: Final = 3


def with_allowed(change: Change, suppressions: Suppressing, allow: Collection[str]) -> Change:
    """The change, each step with those of the allowed rules that find something in its new text where it will stand.

    What found nothing is not let through: marked all the same, it would silence a later catalogue.
    """
    if not allow:
        return change
    found = dict(zip(change.texts, findings_of(change.texts, suppressions), strict=True))

    def refusing(text: str | None) -> tuple[str, ...]:
        rule_ids = (one.id for one in found.get(text or "", ()) if one.id in allow and not one.suppressed)
        return tuple(dict.fromkeys(rule_ids))

    return replace(change, steps=tuple(replace(step, allowed=refusing(step.after)) for step in change.steps))


def settle(suppressions: Suppressions, change: Change) -> Change:
    """Follow a written change with what is known and fine; the change says what came of it."""
    try:
        return replace(change, notices=(*change.notices, *_followed(suppressions, change)))
    except MemoryRefused as refusal:
        return replace(change, notices=(*change.notices, str(refusal)))


def _followed(suppressions: Suppressions, change: Change) -> tuple[str, ...]:
    allowed = {step.after: step.allowed for step in change.steps if step.after is not None and step.allowed}
    for text, rule_ids in allowed.items():
        suppressions.allow(text, rule_ids, reason=REASON)
    if allowed:
        return (f"Known and fine in this text from now on: {_named(chain(*allowed.values()))}.",)
    if change.undoes is None:
        return ()
    gone = {step.before for step in change.steps if step.before is not None} - {*change.texts}
    forgotten = [rule_id for text in sorted(gone) for rule_id in suppressions.forget(text, REASON)]
    return (f"No longer known and fine: {_named(forgotten)}.",) if forgotten else ()


def _named(rule_ids: Iterable[str]) -> str:
    names = sorted(set(rule_ids))
    more = len(names) - MAX_NAMED
    return ", ".join(clip(name, 40) for name in names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
