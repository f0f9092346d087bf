"""Both judgements of an entry in one word: whether it is dangerous, and whether its agent sees it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from memtui.core.threats.finding import Finding, Severity


class State(StrEnum):
    """What an entry is, both judgements together."""

    DANGEROUS = "dangerous"
    """Dangerous, and the agent reads it."""
    BLOCKED = "blocked"
    """Dangerous, and the agent does not see it."""
    HIDDEN = "hidden"
    """Nothing refuses it, and yet the agent cannot see it."""
    WARNING = "warning"
    """Doubtful, and the agent reads it."""
    CLEAN = "clean"
    """Nothing that counts: what was found is known and fine, or only told."""


def state_of(found: Iterable[Finding], is_hidden: bool) -> State:
    """The state of an entry with these findings that the agent reads, or hides from itself."""
    counted = {finding.severity for finding in found if not finding.suppressed}
    if Severity.BLOCK in counted:
        return State.BLOCKED if is_hidden else State.DANGEROUS
    if is_hidden:
        return State.HIDDEN
    return State.WARNING if Severity.WARN in counted else State.CLEAN
