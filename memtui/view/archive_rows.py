"""The archive line by line: the entries that newer agents evicted, and the question before one comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memtui.core.budget import project
from memtui.core.model import FILE_NAMES, MemoryFile
from memtui.core.visible import clip, preview, visible_text
from memtui.view.amounts import counted, full_moment_words, moment_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, marked_text
from memtui.view.gauges import used_words
from memtui.view.lines import Line, Span, Tone, line_width, spread
from memtui.view.questions import Option, Question

if TYPE_CHECKING:
    from memtui.disk.archive import Archive, ArchivedEntry

NO_ENTRY: Final = "The archive holds no entry to bring back."
NO_TEXT: Final = "This line of the archive holds no text that could be brought back."
ANSWERS_TO_A_THREAT: Final = ("Leave it archived", "Bring it back all the same")
WORD_CELLS: Final = 60


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """All that the archive's screen shows."""

    archive: Archive | None = None
    """None before it was read."""
    live: Mapping[str, tuple[str, ...]] | None = None
    """The texts on disk, by group."""
    position: int = 0
    now_s: float = 0.0

    @property
    def entries(self) -> tuple[ArchivedEntry, ...]:
        """What the archive holds, newest first."""
        return self.archive.entries if self.archive else ()

    @property
    def entry(self) -> ArchivedEntry | None:
        """The line under the cursor."""
        return self.entries[self.position] if self.entries else None

    def is_live(self, entry: ArchivedEntry) -> bool:
        """True when its text stands in a file now."""
        return any(entry.text in texts for texts in (self.live or {}).values())


def row_line(state: ArchiveState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """When, from which file, the text, and why it went."""
    entry = state.entries[position]
    when = "no time" if entry.when is None else moment_words(entry.when, state.now_s)
    file = FILE_NAMES.get(entry.target, "?").removesuffix(".md")
    left: Line = (
        cursor_sign(is_cursor),
        Span("? " if entry.problem else "  ", Tone.WARN),
        Span(f"{when:>12}  ", Tone.DIM),
        Span(f"{file:<6}  "),
    )
    right: Line = (Span("  ✓ live " if state.is_live(entry) else " ", Tone.DIM),)
    if width_cells >= WORD_CELLS and entry.action:
        right = (Span(f"  {clip(entry.action, 14)}", Tone.DIM), *right)
    room = max(width_cells - line_width(left) - line_width(right) - 1, 0)
    return spread((*left, Span(preview(entry.text or entry.problem, room))), right, width_cells)


def header_left(state: ArchiveState) -> Line:
    """The title of the screen."""
    told = f"   {counted(len(state.entries), 'entry', 'entries')}" if state.archive else ""
    return (Span("  Archive", Tone.STRONG), Span(told, Tone.DIM))


def banner(state: ArchiveState) -> tuple[Line, ...]:
    """What could not be read."""
    archive = state.archive
    lines: list[Line] = []
    if archive and archive.problem:
        lines.append((Span(f"▲ {clip(archive.problem, 300)}", Tone.WARN),))
    if archive and archive.left_out:
        lines.append((Span(f"{counted(archive.left_out, 'older line')} not read.", Tone.DIM),))
    return tuple(lines)


def empty_words(state: ArchiveState) -> tuple[str, ...]:
    """What stands in an empty list."""
    if state.archive is None:
        return ("Reading …",)
    if state.archive.problem:
        return ("The archive cannot be read.", clip(state.archive.problem, 300))
    return ("The archive holds nothing.", "Newer agents keep there what they evict from a full memory. esc goes back.")


def detail_of(state: ArchiveState) -> Detail:
    """The archived entry in full."""
    entry = state.entry
    if entry is None:
        return Detail("Archived entry")
    when = "no time" if entry.when is None else full_moment_words(entry.when)
    about = " · ".join(filter(None, (clip(entry.action, 40), clip(entry.reason, 200))))
    lines: list[Line] = [(Span(about, Tone.DIM),)] if about else []
    if entry.problem:
        lines.append((Span(f"? {clip(entry.problem, 300)}", Tone.WARN),))
    if state.is_live(entry):
        lines.append((Span("✓ It stands in the file now.", Tone.DIM),))
    if entry.text:
        lines.append(marked_text(entry.text))
    file = FILE_NAMES.get(entry.target, "unknown file")
    return Detail(f"Line {entry.line:,} · {file} · {when} · {len(entry.text):,} characters", tuple(lines))


def restore_question(entry: ArchivedEntry, files: Mapping[str, MemoryFile]) -> Question:
    """Asks before an archived entry is added again, and where it is to go when the archive does not say it."""
    targets = [entry.target] if entry.target in files else list(files)
    body: list[Line] = [(Span(visible_text(entry.text[:2_000], keep_newlines=True)),), ()]
    for target in targets:
        file = files[target]
        after = project(file.document.texts, None, entry.text, file.budget.limit_chars)
        told = f"{file.budget.used_chars:,} → {used_words(after)}"
        body.append((Span(f"{FILE_NAMES[target]}  {told}", Tone.BAD if after.is_over else Tone.PLAIN),))
    body.append((Span("The archive keeps its line; u takes the entry back out.", Tone.DIM),))
    options = [Option(target, f"Add it to {FILE_NAMES[target]}") for target in targets]
    return Question("Bring this entry back?", tuple(body), (Option("keep", "Leave it archived"), *options))
