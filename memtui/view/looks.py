"""From what the store gives to what the panes show: one look at one group, complete.

Pure and linear in the number of entries; run in a worker because aligning and scanning ten thousand takes a while.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memtui.core.model import Document, MemoryFile
from memtui.core.snapshot import AgentEntry
from memtui.view.rows import BLOCKED, DANGEROUS, UNSEEN, RowView, SnapshotText, build_rows
from memtui.view.state import GroupLoad, SnapshotView

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice

MAX_ADVISED: Final = 200
"""Hidden entries that get advice; trying other words takes some milliseconds each."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a session froze of one group."""

    document: Document
    frozen_words: str


@dataclass(frozen=True, slots=True)
class AgentSight:
    """What the agent sees of the snapshot, and of the live file in a session that starts now."""

    snapshot: Sequence[AgentEntry] = ()
    live: Sequence[AgentEntry] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """All that one look is made of."""

    file: MemoryFile
    session: Session | None
    sight: AgentSight | None = None
    """None before the agent's rules ran, and for an agent that hides nothing."""
    outside: Collection[str] = field(default_factory=frozenset)
    is_scanned: bool = False
    advice: Mapping[str, AgentAdvice] = field(default_factory=dict)


def advice_for(file: MemoryFile, live: Sequence[AgentEntry], rules: str) -> dict[str, AgentAdvice]:
    """What to say of each entry that the agent hides, by text. Compiles the agent's rules."""
    from memtui.core.rewording import advise

    found = {}
    for index in list(_unseen(file.document, live))[:MAX_ADVISED]:
        text = file.entries[index].text
        found[text] = advise(text, rules, file.findings[index] if index < len(file.findings) else ())
    return found


def build_load(serial: int, material: Material) -> GroupLoad:
    """The rows of a look, with what they count up to."""
    file, session, sight = material.file, material.session, material.sight
    frozen = _frozen_texts(session.document, sight) if session else None
    unseen = _unseen(file.document, sight.live) if sight else {}
    rows = build_rows(file, frozen, unseen=unseen, outside=material.outside)
    snapshot = SnapshotView(frozen or (), session.frozen_words) if session else None
    return GroupLoad(
        serial, file, rows, snapshot, material.is_scanned,
        threat_count=_count(rows, (DANGEROUS, BLOCKED)), unseen_count=_count(rows, (UNSEEN,)), advice=material.advice,
    )


def _frozen_texts(document: Document, sight: AgentSight | None) -> tuple[SnapshotText, ...]:
    if sight is None:
        return tuple(SnapshotText(text, text) for text in document.texts)
    known = {entry.span: entry.text for entry in document.entries}
    return tuple(_frozen_text(entry, known) for entry in sight.snapshot)


def _frozen_text(entry: AgentEntry, known: Mapping[tuple[int, int], str]) -> SnapshotText:
    text = known.get(entry.span, entry.shown)
    return SnapshotText(text, entry.shown if entry.hidden else text, entry.hidden, entry.rule_ids)


def _unseen(document: Document, live: Sequence[AgentEntry]) -> dict[int, SnapshotText]:
    by_span = {entry.span: entry for entry in live if entry.hidden}
    found = {}
    for index, entry in enumerate(document.entries):
        if hidden := by_span.get(entry.span):
            found[index] = SnapshotText(entry.text, hidden.shown, True, hidden.rule_ids)
    return found


def _count(rows: Sequence[RowView], badges: tuple[object, ...]) -> int:
    return sum(row.live is not None and any(badge in badges for badge in row.live.badges) for row in rows)
