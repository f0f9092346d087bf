"""What other programs wrote while a session was shown: which texts are theirs, and what became of a text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memtui.core.model import ExternalChange


class Outside:
    """Follows outside changes, group by group."""

    def __init__(self) -> None:
        self._written: dict[str, set[str]] = {}
        self._moved: dict[str, dict[str, str]] = {}

    def note(
        self, group: str, external: ExternalChange, before: Sequence[str] = (), now: Sequence[str] = ()
    ) -> None:
        """Follow one more change; `before` and `now` are the texts of the file, as far as they are known."""
        self._written.setdefault(group, set()).update(external.added, (after for _, after in external.changed))
        self._moved.setdefault(group, {}).update(external.changed)
        if len(before) == len(now):
            # A text in the very place of one that went is what became of it, however little the two are alike.
            pairs = zip(before, now, strict=True)
            rewritten = ((gone, come) for gone, come in pairs if gone in external.removed and come in external.added)
            self._moved[group].update(rewritten)

    def written(self, group: str) -> frozenset[str]:
        """The texts that others wrote since the session began."""
        return frozenset(self._written.get(group, ()))

    def begin_session(self) -> None:
        """Nothing is theirs any more; what became of a text is known on, for an editor that is open on it."""
        self._written.clear()

    def became(self, group: str, text: str, live: Collection[str]) -> str | None:
        """What stands in the file now instead of a text; None when that cannot be told."""
        moved, seen = self._moved.get(group, {}), {text}
        while (after := moved.get(text)) is not None and after not in seen:
            if after in live:
                return after
            seen.add(after)
            text = after
        return None
