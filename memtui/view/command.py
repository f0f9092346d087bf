"""What a command is: what it is called, which keys it has, where it works, what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Context(StrEnum):
    """Where the keyboard is."""

    ANYWHERE = "anywhere"
    REVIEW = "review"
    EDITOR = "editor"
    FILTER = "filter"
    RESOLVER = "resolver"
    HISTORY = "history"
    AUDIT = "audit"
    KNOWN = "known"
    STAGED = "staged"
    HOMES = "homes"
    COMPARE = "compare"
    ARCHIVE = "archive"


class Danger(StrEnum):
    """What a command can do to a file."""

    LOOKS = "looks"
    WRITES = "writes"
    REMOVES = "removes"


class Need(StrEnum):
    """What must be there before a command can run."""

    HOME = "home"
    ENTRY = "entry"
    WRITABLE = "writable"
    """The file on screen can be written."""
    CHANGES = "changes"
    """Something may be written at all, whichever file or home it stands in."""
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can ask for."""

    id: str
    """Stable, dotted: what it acts on, then what it does."""
    keys: tuple[str, ...]
    """Textual's names of the keys, the one to show first."""
    label: str
    """One or two words for footer and palette."""
    help: str
    """One sentence for help, palette and README."""
    contexts: frozenset[Context] = frozenset({Context.REVIEW})
    danger: Danger = Danger.LOOKS
    footer: int = 0
    """Place in the footer, 1 first; 0 keeps it out."""
    needs: frozenset[Need] = frozenset()
    in_palette: bool = True
    takes_group: bool = False
    """The key (a digit) names a group, counted from 1; the palette lists one line for each."""
