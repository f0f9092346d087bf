"""One finding as the audit screen knows it: where it stands, its sign, and its place among all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memtui.core.threats.finding import Finding, Severity
from memtui.view.finding_words import class_words
from memtui.view.lines import Tone
from memtui.view.rows import BLOCKED, DANGEROUS, UNSEEN, WARNED, Badge

if TYPE_CHECKING:
    from memtui.audit import AuditFinding
    from memtui.core.rewording import AgentAdvice
    from memtui.disk.suppressions import Suppression

MEMORY: Final = "memory"
STAGED: Final = "staged"
BACKUP: Final = "backup"

_ORDER: Final = {
    ("dangerous", MEMORY): 0, ("dangerous", STAGED): 1, ("blocked", MEMORY): 2, ("blocked", STAGED): 3,
    ("warning", MEMORY): 4, ("warning", STAGED): 5, ("hidden", MEMORY): 6, ("hidden", STAGED): 7,
}  # fmt: skip
"""What the agent reads comes first; a backup is read by nobody."""
_LAST: Final = 8
HIDDEN_RULE: Final = "hidden_from_agent"
"""The audit's id for a harmless note that the agent hides from itself."""

_STATES: Final[Mapping[str, Badge]] = {
    "dangerous": DANGEROUS,
    "blocked": BLOCKED,
    "hidden": UNSEEN,
    "warning": Badge(WARNED.mark, "warning, read", WARNED.tone),
    "clean": Badge("·", "told", Tone.DIM),
}
_KNOWN: Final = Badge("✓", "known and fine", Tone.DIM)
TONES: Final = {Severity.BLOCK: Tone.BAD, Severity.WARN: Tone.WARN, Severity.INFO: Tone.DIM}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One finding, ready to be shown."""

    one: AuditFinding
    """With its text: raw, to be shown through `core.visible`."""
    home_label: str
    """Which home it stands in; "" for the one that is open."""
    place: str
    """Where in the home, in a few words."""
    file_label: str
    """The file as people write it."""
    advice: AgentAdvice | None = None
    """For a note that the agent hides."""
    known: Suppression | None = None
    """Who marked it as known and fine, when and why."""

    @property
    def finding(self) -> Finding:
        """What was found."""
        return self.one.finding

    @property
    def is_own(self) -> bool:
        """True when it stands in the home that is open."""
        return not self.home_label

    @property
    def can_be_known(self) -> bool:
        """True when it can be marked as known and fine: it is not yet, and it is not the agent's own verdict."""
        return not self.finding.suppressed and self.finding.id != HIDDEN_RULE

    @property
    def identity(self) -> tuple[object, ...]:
        """By what the row is known again after another audit."""
        return (self.one.file, self.one.text, self.one.finding.id, self.one.number)

    @property
    def entry(self) -> tuple[object, ...]:
        """The entry that the finding stands in."""
        return (self.one.file, self.one.number, self.one.text)

    @property
    def mark(self) -> tuple[str, str]:
        """What is marked as known and fine: the rule in this very text, wherever it stands."""
        return (self.one.text, self.finding.id)

    @property
    def words(self) -> str:
        """Everything that the filter looks at."""
        finding, one = self.finding, self.one
        sign = badge_of(self).word
        kinds = (finding.id, class_words(finding.family), finding.family)
        return " ".join((*kinds, one.state, sign, self.place, self.home_label, one.text))


def sort_key(row: AuditRow) -> tuple[object, ...]:
    """Known and fine last; else the most severe first, and of these what the agent reads."""
    finding = row.finding
    return (finding.suppressed, -finding.severity.rank, rank_of(row), row.home_label, row.one.file, row.one.number)


def rank_of(row: AuditRow) -> int:
    """How near to the agent what holds the finding is, 0 for what it reads."""
    return _ORDER.get((str(row.one.state), str(row.one.kind)), _LAST)


def badge_of(row: AuditRow) -> Badge:
    """The sign of a finding: the state of its entry, or where it lies when no agent reads it there."""
    if row.finding.suppressed:
        return _KNOWN
    tone = TONES[row.finding.severity]
    if row.one.kind == BACKUP:
        return Badge("≡", "in a backup", tone)
    if row.one.kind == STAGED:
        return Badge("+", "staged", tone)
    return _STATES.get(row.one.state, _STATES["clean"])
