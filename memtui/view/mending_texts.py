"""Sentences about tidying and splitting: what would change is shown first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.codec import render
from memtui.core.model import Change, MemoryFile
from memtui.core.visible import clip, preview
from memtui.view.amounts import counted
from memtui.view.diffs import diff_paragraphs, diff_summary
from memtui.view.lines import Line, Span, Tone
from memtui.view.texts import Option, Question

if TYPE_CHECKING:
    from memtui.core.diff import DiffLine

NO_DRIFT_HERE: Final = "These entries cannot drift: there is nothing to resolve."
MAX_PARTS: Final = 30


def is_tidiable(file: MemoryFile) -> bool:
    """True when the canonical form has other bytes than the file."""
    return bool(file.differences) and render(file.document.texts) != file.raw


def drifted(file_name: str) -> str:
    """Told when tidying has to wait."""
    return f"{file_name} has drifted; a tidy could lose something. b resolves it first."


def already_tidy(file_name: str) -> str:
    """Told when there is nothing to tidy."""
    return f"{file_name} is in canonical form already: nothing to tidy."


def tidy_question(file_name: str, lines: Sequence[DiffLine]) -> Question:
    """Shows what tidying changes."""
    body: tuple[Line, ...] = (
        (Span(f"{diff_summary(lines)} · no entry's text changes", Tone.STRONG),),
        (),
        *diff_paragraphs(lines, 300),
    )
    return Question(
        f"Tidy the layout of {file_name}?", body, (Option("keep", "Keep the file"), Option("tidy", "Tidy it"))
    )


def split_question(file_name: str, change: Change) -> Question:
    """Shows the parts and the new size."""
    parts = change.new_texts
    body: list[Line] = [(Span(clip(change.notices[0], 200) if change.notices else "", Tone.STRONG),), ()]
    for number, part in enumerate(parts[:MAX_PARTS], start=1):
        body.append(
            (Span(f"{number:>3}  ", Tone.KEY), Span(preview(part, 300)), Span(f"  {len(part):,}", Tone.DIM))
        )
    if len(parts) > MAX_PARTS:
        body.append((Span(f"     … and {len(parts) - MAX_PARTS:,} more", Tone.DIM),))
    is_over = change.used_chars > change.limit_chars
    size = f"{change.used_chars:,} of {change.limit_chars:,} characters afterwards"
    body += [(), (Span(size, Tone.BAD if is_over else Tone.GOOD),)]
    body += [(Span(clip(notice, 300), Tone.WARN),) for notice in change.notices[1:]]
    return Question(
        f"Split this entry of {file_name} into {counted(len(parts), 'entry', 'entries')}?",
        tuple(body),
        (Option("keep", "Keep one entry"), Option("split", "Split it")),
    )
