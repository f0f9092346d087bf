"""From what the store gives to what the panes show: one look at one group, complete.

Pure and linear in the number of entries; run in a worker because aligning and scanning ten thousand takes a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memtui.core.diff import RowKind
from memtui.core.model import Document, MemoryFile
from memtui.core.pairing import paired
from memtui.view.rows import BLOCKED, DANGEROUS, UNSEEN, RowView, SnapshotText, build_rows
from memtui.view.state import GroupLoad, SnapshotView

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice
    from memtui.core.snapshot import AgentEntry
    from memtui.core.threats.finding import Finding

    Judge = Callable[[Sequence[str]], Sequence[tuple[Finding, ...]]]

MAX_ADVISED: Final = 200
"""Hidden entries that get advice; trying other words takes some milliseconds each."""

MAX_JUDGED: Final = 500
"""Texts gone from disk that are scanned: after a restore every entry of a large file may be one."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a session froze of one group."""

    document: Document
    frozen_words: str


@dataclass(frozen=True, slots=True)
class Chat:
    """What a real session's stored prompt holds of one group."""

    name: str
    """The session in display-safe words."""
    frozen_words: str
    shown: tuple[str, ...] | None
    """The entries in the prompt, placeholders included. None when it has no block of this group."""


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
    chat: Chat | None = None
    """The real session that is shown instead of the prediction."""
    pairing: Sequence[AgentEntry] = ()
    """What the agent makes of the live file, to tell what its placeholders stand for; empty before its rules ran."""
    judge: Judge | None = None
    """Scans texts that a session holds and the file no longer; None before the file itself was scanned."""
    no_chat: str = ""
    """Why no real session can be shown although the agent keeps a record of them; empty otherwise."""


def advice_for(file: MemoryFile, live: Sequence[AgentEntry], rules: str) -> dict[str, AgentAdvice]:
    """What to say of each entry that the agent hides, by text. Compiles the agent's rules."""
    from memtui.core.rewording import AgentAdvice, advise

    found = {}
    unseen = _unseen(file.document, live)
    for index in list(unseen)[:MAX_ADVISED]:
        text = file.entries[index].text
        if unseen[index].is_unread:
            found[text] = AgentAdvice(unseen[index].rule_ids)
            continue
        found[text] = advise(text, rules, file.findings[index] if index < len(file.findings) else ())
    return found


def build_load(serial: int, material: Material) -> GroupLoad:
    """The rows of a look, with what they count up to."""
    file, session, sight = material.file, material.session, material.sight
    frozen = _frozen_texts(session.document, sight) if session else None
    if material.chat:
        frozen = _chat_texts(material.chat, file, material.pairing)
    unseen = _unseen(file.document, sight.live) if sight else {}
    held = _held_findings(frozen or (), file, material.judge) if material.judge else {}
    rows = build_rows(file, frozen, unseen=unseen, outside=material.outside, held=held)
    snapshot = _snapshot_view(material, frozen, rows)
    return GroupLoad(
        serial, file, rows, snapshot, material.is_scanned,
        threat_count=_count(rows, (DANGEROUS, BLOCKED)), unseen_count=_count(rows, (UNSEEN,)), advice=material.advice,
        held_findings=held,
    )


def _held_findings(
    frozen: Sequence[SnapshotText], file: MemoryFile, judge: Judge
) -> dict[str, tuple[Finding, ...]]:
    """What is found in texts that a session holds, placeholders of them included, and the file no longer does."""
    live = set(file.document.texts)
    gone = [one.text for one in frozen if not (one.is_hidden and one.text == one.shown) and one.text not in live]
    return {text: judge((text,))[0] for text in gone[:MAX_JUDGED]}


def _snapshot_view(
    material: Material, frozen: tuple[SnapshotText, ...] | None, rows: Sequence[RowView]
) -> SnapshotView | None:
    if frozen is None:
        return None
    if chat := material.chat:
        return SnapshotView(frozen, chat.frozen_words, chat.name, _chat_summary(chat, rows))
    return SnapshotView(frozen, material.session.frozen_words if material.session else "", summary=material.no_chat)


def _chat_summary(chat: Chat, rows: Sequence[RowView]) -> str:
    """How the chat stands to the disk, in counts."""
    if chat.shown is None:
        return "its prompt has no such block"
    return held_words(row.kind for row in rows)


def held_words(row_kinds: Iterable[RowKind]) -> str:
    """How what a chat holds stands to the disk: `7 held · 1 not yet held`."""
    kinds = Counter(row_kinds)
    counts = (
        (kinds[RowKind.SAME] + kinds[RowKind.MOVED], "held"),
        (kinds[RowKind.CHANGED], "older"),
        (kinds[RowKind.NEW], "not yet held"),
        (kinds[RowKind.REMOVED], "gone from disk"),
    )
    return " · ".join(f"{count:,} {words}" for count, words in counts if count) or "it holds nothing"


def _chat_texts(chat: Chat, file: MemoryFile, live: Sequence[AgentEntry]) -> tuple[SnapshotText, ...]:
    """The prompt's entries, with the text that stands behind a placeholder."""
    from memtui.core.held import held_view

    held = held_view(chat.shown or (), file.entries, paired(file.entries, live)).held
    return tuple(SnapshotText(one.text, one.shown, one.is_hidden, one.rule_ids) for one in held)


def _frozen_texts(document: Document, sight: AgentSight | None) -> tuple[SnapshotText, ...]:
    if sight is None:
        return tuple(SnapshotText(text, text) for text in document.texts)
    behind: dict[tuple[int, int], str] = {}
    for entry, twin in zip(document.entries, paired(document.entries, sight.snapshot), strict=True):
        # Where the agent cut the file elsewhere, by a byte-order mark say, its placeholder stands for our entry.
        if twin is not None and (twin.hidden or twin.span == entry.span):
            behind.setdefault(twin.span, entry.text)
    return tuple(_frozen_text(entry, behind.get(entry.span, entry.shown)) for entry in sight.snapshot)


def _frozen_text(entry: AgentEntry, text: str) -> SnapshotText:
    return SnapshotText(text, entry.shown if entry.hidden else text, entry.hidden, entry.rule_ids)


def _unseen(document: Document, live: Sequence[AgentEntry]) -> dict[int, SnapshotText]:
    twins = zip(document.entries, paired(document.entries, live), strict=True)
    return {
        index: SnapshotText(entry.text, twin.shown, True, twin.rule_ids)
        for index, (entry, twin) in enumerate(twins)
        if twin is not None and twin.hidden
    }


def _count(rows: Sequence[RowView], badges: tuple[object, ...]) -> int:
    return sum(row.live is not None and any(badge in badges for badge in row.live.badges) for row in rows)
