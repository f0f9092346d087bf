"""What a caller asks for and what comes of it: operations, their steps, and the change that they make of one file.

All are frozen; nothing here looks at a file.
"""

from __future__ import annotations

from dataclasses import dataclass

from memtui.core.threats.finding import Finding


@dataclass(frozen=True, slots=True)
class Exactly:
    """Names the entry with exactly this text, for a program that holds the entry itself.

    A part of a text or a `#name` is looked up among texts that others write: another entry can be made to match.
    """

    text: str


Meant = str | Exactly
"""What names an entry: a text that is looked up as a person's is, or the entry itself."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a caller asks for: `add` (content), `replace` (old_text, content), `remove` (old_text)."""

    action: str
    content: str = ""
    old_text: Meant = ""

    @property
    def quoted(self) -> str:
        """What names the entry, as text."""
        return self.old_text.text if isinstance(self.old_text, Exactly) else self.old_text


@dataclass(frozen=True, slots=True)
class Step:
    """What a change did to one entry: `before` is None for an added one, `after` for a removed one."""

    before: str | None
    after: str | None
    index: int = -1
    """Where the entry stood (removed, replaced) or stands (added), counted from 0; -1 when not known."""
    allowed: tuple[str, ...] = ()
    """Ids of the rules that refuse `after` and that a person let through."""


@dataclass(frozen=True, slots=True)
class Change:
    """A proposed or finished change of one target: built from the file as it is, handed to the store to write."""

    target: str
    action: str
    steps: tuple[Step, ...]
    texts: tuple[str, ...]
    """All entries of the result, in order."""
    used_chars: int
    limit_chars: int
    notices: tuple[str, ...] = ()
    """What a person should know: near duplicates, warnings, tidied layout."""
    raw_bytes: bytes | None = None
    """The exact bytes to write (restore, undo, redo, tidy, resolve); None for the canonical form of `texts`."""
    findings: tuple[Finding, ...] = ()
    """What the scan found in the new text, below `block` or allowed."""
    wrote: bool = True
    """False when the file already was as asked."""
    undoes: int | None = None
    """Id of the logged change that this one takes back."""
    redoes: int | None = None
    """Id of the logged change that this one makes again."""
    found_done: bool = False
    """True for an undo or redo of which the file showed a part done already: others did it, and it stays theirs."""

    @property
    def before(self) -> str | None:
        """The changed entry's text before (of the first step)."""
        return self.steps[0].before if self.steps else None

    @property
    def after(self) -> str | None:
        """The changed entry's text after (of the first step)."""
        return self.steps[0].after if self.steps else None

    @property
    def new_texts(self) -> tuple[str, ...]:
        """The texts that this change brings in."""
        return tuple(step.after for step in self.steps if step.after is not None)

    def __str__(self) -> str:
        verbs = {
            "add": "Added to", "replace": "Replaced in", "remove": "Removed from", "batch": "Changed",
            "undo": "Undid a change in", "redo": "Redid a change in", "restore": "Restored", "split": "Split in",
            "tidy": "Tidied", "resolve": "Resolved",
        }
        used = f"({self.used_chars}/{self.limit_chars} chars used)."
        if not self.wrote:
            return f"Nothing to write: {self.target} already stands so {used}"
        return f"{verbs.get(self.action, 'Changed')} {self.target} {used}"
