"""What a store's caller has seen: the texts last shown, and the texts last taken as known.

The first makes a `conflict` when an operation would hit a text nobody was shown; the second tells an outside change
from memtui's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.core.change import Change
from memtui.core.errors import MemoryRefused

LISTING_KEYS = ("entries", "candidates", "nearest", "live")
"""Where a refusal's data holds entries that its message showed."""


class Seen:
    """Per target: `shown` and `known` texts."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, tuple[str, ...]] = {}

    def shown(self, target: str) -> tuple[str, ...] | None:
        """The texts last returned to the caller; None before any were."""
        return self._shown.get(target)

    def known(self, target: str) -> tuple[str, ...] | None:
        """The texts against which an outside change is told; None before any were noted."""
        return self._known.get(target)

    def show(self, target: str, texts: Iterable[str]) -> None:
        """Note that the caller was given exactly these texts."""
        self._shown[target] = tuple(texts)

    def know(self, target: str, texts: Iterable[str]) -> None:
        """Take these texts as known: a later difference is an outside change."""
        self._known[target] = tuple(texts)

    def list_refused(self, target: str, refusal: MemoryRefused) -> None:
        """A refusal that lists entries has shown them."""
        listed = [text for key in LISTING_KEYS for text in _texts(refusal.data.get(key))]
        self._shown[target] = tuple(dict.fromkeys([*self._shown.get(target, ()), *listed]))

    def follow(self, target: str, change: Change) -> None:
        """Fold memtui's own change into both: what others changed meanwhile stays unseen."""
        for texts in (self._shown, self._known):
            if target in texts:
                texts[target] = _applied(texts[target], change)


def _applied(texts: Sequence[str], change: Change) -> tuple[str, ...]:
    result = list(texts)
    for step in change.steps:
        if step.before in result:
            result.remove(step.before)
        if step.after is not None and step.after not in result:
            result.append(step.after)
    return tuple(result)


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        return ()
    items = (item for item in value if isinstance(item, (str, dict)))
    return (item if isinstance(item, str) else str(item.get("text", "")) for item in items)
