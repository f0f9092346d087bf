"""Rows of the two panes: live and snapshot side by side, each half with its badge.

Rows are built in a worker from values alone; previews are cut when a row is drawn, so that ten thousand entries cost
no more than the ones on screen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memtui.core.diff import Row, RowKind, align
from memtui.core.judgement import State, state_of
from memtui.core.model import MemoryFile
from memtui.core.pairing import NOT_UTF8
from memtui.core.threats.finding import Finding
from memtui.view.lines import Tone


class Side(StrEnum):
    """One of the two panes."""

    LIVE = "live"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True)
class EntryKey:
    """What an entry is known by across looks: where it is shown, its text, and which of equal texts it is."""

    side: Side
    text: str
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotText:
    """One entry as a session's prompt holds it."""

    text: str
    """What stood on disk when the session froze it."""
    shown: str
    """What the agent reads: the text, or a placeholder."""
    is_hidden: bool = False
    """True when the agent reads a placeholder."""
    rule_ids: tuple[str, ...] = ()
    """The agent's rules that hid it."""

    @property
    def is_unread(self) -> bool:
        """True in a file of which the agent reads nothing; then no placeholder is shown either."""
        return self.rule_ids == (NOT_UTF8,)


@dataclass(frozen=True, slots=True)
class Badge:
    """A sign for one state: a mark, a word, and a tone that says no more than they do."""

    mark: str
    word: str
    tone: Tone


NEW: Final = Badge("+", "new", Tone.GOOD)
CHANGED: Final = Badge("~", "changed", Tone.NOTE)
GONE: Final = Badge("−", "gone from disk", Tone.WARN)
MOVED: Final = Badge("↕", "moved", Tone.NOTE)
DANGEROUS: Final = Badge("!", "agent reads it", Tone.BAD)
WARNED: Final = Badge("?", "warning", Tone.WARN)
BLOCKED: Final = Badge("⊘", "blocked", Tone.BAD)
UNREAD: Final = Badge("⊘", "not read", Tone.BAD)
UNSEEN: Final = Badge("◌", "agent can't see", Tone.WARN)
DUPLICATE: Final = Badge("=", "dup", Tone.DIM)
TOO_LONG: Final = Badge("▲", "too long", Tone.BAD)
OUTSIDE: Final = Badge("*", "outside", Tone.NOTE)

STATE_BADGES: Final = {
    State.DANGEROUS: DANGEROUS, State.BLOCKED: BLOCKED, State.HIDDEN: UNSEEN, State.WARNING: WARNED,
}  # fmt: skip
"""A clean entry has none."""
_KIND_BADGES: Final = {RowKind.NEW: NEW, RowKind.CHANGED: CHANGED, RowKind.MOVED: MOVED}


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a row."""

    text: str
    """Raw text of others, to be shown through `core.visible`."""
    badges: tuple[Badge, ...]
    """The most important first."""
    size_chars: int

    @property
    def badge(self) -> Badge | None:
        """The badge that gives the mark."""
        return self.badges[0] if self.badges else None


@dataclass(frozen=True, slots=True)
class RowView:
    """One row of both panes."""

    key: EntryKey
    kind: RowKind
    live: Half | None
    snapshot: Half | None
    live_index: int | None = None
    """Index of the file's entry; None when it stands in the snapshot alone."""
    snapshot_index: int | None = None

    def half(self, side: Side) -> Half | None:
        """The row's half in one pane."""
        return self.live if side is Side.LIVE else self.snapshot


def build_rows(
    file: MemoryFile,
    snapshot: Sequence[SnapshotText] | None,
    *,
    unseen: Mapping[int, SnapshotText] | None = None,
    outside: Collection[str] = (),
    held: Mapping[str, tuple[Finding, ...]] | None = None,
) -> tuple[RowView, ...]:
    """Every row of a group.

    `snapshot` is None where the group has none; `unseen` says, per entry of the file, what a session that starts now
    would show instead of it; `outside` are the texts that other programs wrote; `held` is
    what was found in texts of the snapshot that the file no longer holds.
    """
    texts = [entry.text for entry in file.entries]
    frozen = list(snapshot or ())
    if snapshot is None:
        aligned: Sequence[Row] = [Row(index, None, RowKind.SAME) for index in range(len(texts))]
    else:
        aligned = align(texts, [entry.text for entry in frozen])
    build = _Building(file, frozen, unseen or {}, frozenset(outside), held or {})
    return tuple(build.row(row) for row in aligned)


def find_row(rows: Sequence[RowView], shown: Sequence[int], wanted: EntryKey) -> int | None:
    """Where among the shown rows the wanted entry stands; the same text elsewhere will do when it is gone."""
    second: int | None = None
    for position, index in enumerate(shown):
        key = rows[index].key
        if key == wanted:
            return position
        if second is None and key.text == wanted.text:
            second = position
    return second


class _Building:
    """Builds the rows of one file; counts equal texts on the way."""

    def __init__(
        self,
        file: MemoryFile,
        frozen: Sequence[SnapshotText],
        unseen: Mapping[int, SnapshotText],
        outside: frozenset[str],
        held: Mapping[str, tuple[Finding, ...]],
    ) -> None:
        self.file, self.frozen, self.unseen, self.outside, self.held = file, frozen, unseen, outside, held
        self.merged = {merged.entry_index: merged for merged in file.merged}
        self.too_long = {drift.entry_index for drift in file.drift if drift.entry_index is not None}
        self.counts: dict[tuple[Side, str], int] = {}

    def row(self, row: Row) -> RowView:
        held = None if row.snapshot_index is None else self.frozen[row.snapshot_index]
        live = None if row.live_index is None else self._live(row, held)
        if row.live_index is not None:
            key = self._key(Side.LIVE, self.file.entries[row.live_index].text)
        else:
            key = self._key(Side.SNAPSHOT, held.text if held else "")
        snapshot = None if held is None else self._snapshot(row, held)
        return RowView(key, row.kind, live, snapshot, row.live_index, row.snapshot_index)

    def _key(self, side: Side, text: str) -> EntryKey:
        occurrence = self.counts.get((side, text), 0)
        self.counts[side, text] = occurrence + 1
        return EntryKey(side, text, occurrence)

    def _live(self, row: Row, held: SnapshotText | None) -> Half:
        assert row.live_index is not None
        entry = self.file.entries[row.live_index]
        same = held is not None and held.text == entry.text
        # A session that could not read its file says nothing of the entry: the file may be readable by now.
        tells = held is not None and same and not held.is_unread
        hidden = held.is_hidden if held is not None and tells else row.live_index in self.unseen
        badges = [threat_badge(self._findings(row.live_index), hidden)]
        if row.live_index in self.too_long:
            badges.append(TOO_LONG)
        if merged := self.merged.get(row.live_index):
            badges.append(Badge("≡", f"{len(merged.parts)} notes", Tone.WARN))
        badges.append(DUPLICATE if entry.duplicate_of is not None else _KIND_BADGES.get(row.kind))
        if entry.text in self.outside:
            badges.append(OUTSIDE)
        return Half(entry.text, tuple(badge for badge in badges if badge), len(entry.text))

    def _snapshot(self, row: Row, held: SnapshotText) -> Half:
        badges: list[Badge | None] = []
        if held.is_hidden:
            badges.append(UNREAD if held.is_unread else BLOCKED)
        elif row.live_index is not None and row.kind is not RowKind.CHANGED:
            badges.append(threat_badge(self._findings(row.live_index), False))
        else:
            badges.append(threat_badge(self.held.get(held.text, ()), False))
        badges.append(GONE if row.kind is RowKind.REMOVED else _KIND_BADGES.get(row.kind))
        return Half(held.shown, tuple(badge for badge in badges if badge), len(held.shown))

    def _findings(self, index: int) -> tuple[Finding, ...]:
        return self.file.findings[index] if index < len(self.file.findings) else ()


def threat_badge(findings: Sequence[Finding], is_hidden: bool) -> Badge | None:
    """The badge of an entry's state; None for a clean one."""
    return STATE_BADGES.get(state_of(findings, is_hidden))
