"""Sentences about tidying and splitting: what would change is shown first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.change import Change
from memtui.core.codec import render
from memtui.core.model import Difference, MemoryFile
from memtui.core.visible import preview
from memtui.view.amounts import counted
from memtui.view.diffs import diff_paragraphs, diff_summary
from memtui.view.lines import Line, Span, Tone
from memtui.view.questions import Option, Question

if TYPE_CHECKING:
    from memtui.core.diff import DiffLine

NO_DRIFT_HERE: Final = "These entries cannot drift: there is nothing to resolve."
MAX_PARTS: Final = 30
MAX_DIFFERENCES: Final = 6


def is_tidiable(file: MemoryFile) -> bool:
    """True when the canonical form has other bytes than the file."""
    return bool(file.differences) and render(file.document.texts) != file.raw


def drifted(file_name: str) -> str:
    """Told when tidying has to wait."""
    return f"{file_name} has drifted; a tidy could lose something. b resolves it first."


def already_tidy(file_name: str) -> str:
    """Told when there is nothing to tidy."""
    return f"{file_name} is in canonical form already: nothing to tidy."


def tidy_question(file_name: str, lines: Sequence[DiffLine], differences: Sequence[Difference]) -> Question:
    """Shows what tidying changes, in words and line by line."""
    body: list[Line] = [(Span(f"{diff_summary(lines)} · no entry's text changes", Tone.STRONG),)]
    body += [
        (Span(f"· {one.detail}, line {one.line:,}", Tone.NOTE),) for one in differences[:MAX_DIFFERENCES]
    ]
    if len(differences) > MAX_DIFFERENCES:
        body.append((Span(f"· and {len(differences) - MAX_DIFFERENCES:,} more", Tone.NOTE),))
    return Question(
        f"Tidy the layout of {file_name}?",
        (*body, (), *diff_paragraphs(lines, 300)),
        (Option("keep", "Keep the file"), Option("tidy", "Tidy it")),
    )


def split_question(file_name: str, change: Change, used_chars: int) -> Question:
    """Shows the parts and the new size; `used_chars` is the size now."""
    parts = change.new_texts
    body: list[Line] = []
    for number, part in enumerate(parts[:MAX_PARTS], start=1):
        body.append(
            (Span(f"{number:>3}  ", Tone.KEY), Span(preview(part, 300)), Span(f"  {len(part):,}", Tone.DIM))
        )
    if len(parts) > MAX_PARTS:
        body.append((Span(f"     … and {len(parts) - MAX_PARTS:,} more", Tone.DIM),))
    is_over = change.used_chars > change.limit_chars
    body += [
        (),
        (
            Span(f"Afterwards {change.used_chars:,} of {change.limit_chars:,} characters", Tone.STRONG),
            Span(f" ({change.used_chars - used_chars:+,})", Tone.DIM),
            Span("  ▲ over the limit: entries can be shortened one by one" if is_over else "", Tone.WARN),
        ),
    ]
    return Question(
        f"Split this entry of {file_name} into {counted(len(parts), 'entry', 'entries')}?",
        tuple(body),
        (Option("keep", "Keep one entry"), Option("split", "Split it")),
    )
