"""Says in sentences for people what `inspect` found of a file: the worst first.

Entry text is quoted in display-safe form; nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from memtui.core.external import appended_lines
from memtui.core.matching import QUOTED_CELLS
from memtui.core.model import Difference, DifferenceKind, Entry, MemoryFile
from memtui.core.visible import preview

_LISTED = 5


def describe(memory_file: MemoryFile) -> tuple[str, ...]:
    """Sentences about the file, the worst first; empty when there is nothing to say."""
    return tuple(_sentences(memory_file))


def _sentences(file: MemoryFile) -> Iterator[str]:
    if file.problem:
        yield file.problem
    for drift in file.drift:
        yield f"{drift.detail[0].upper()}{drift.detail[1:]}."
    for merged in file.merged:
        entry = file.entries[merged.entry_index]
        yield (
            f"Entry #{entry.name} (line {entry.line}) is one entry of {len(merged.parts)} notes: "
            f"{merged.reason}. A change that names one of them is refused until it is split."
        )
    if file.budget.is_over:
        yield (
            f"Over budget: {file.budget.used_chars:,} of {file.budget.limit_chars:,} characters "
            f"({file.budget.percent} %), {-file.budget.left_chars:,} too many. Shrinking is always allowed."
        )
    yield from _external(file)
    yield from _layout(file.differences)
    yield from (_bare_heading(entry) for entry in file.entries if _is_bare_heading(entry.text))
    if file.agent_refuses:
        yield file.agent_refuses
    if file.read_only:
        yield f"It cannot be written: {file.read_only.rstrip('.')}."


def _external(file: MemoryFile) -> Iterator[str]:
    if not file.external:
        return
    yield f"Changed by another program since it was last seen: {file.external.summary} entries."
    for before, now in file.external.changed[:_LISTED]:
        if lines := appended_lines(before, now):
            added = "one line was" if len(lines) == 1 else f"{len(lines)} lines were"
            yield (
                f"To the entry “{preview(before, QUOTED_CELLS)}” {added} appended: "
                f"“{preview(chr(10).join(lines), QUOTED_CELLS)}”."
            )


def _layout(differences: tuple[Difference, ...]) -> Iterator[str]:
    if not differences:
        return
    told = [f"{one.detail} (line {one.line})" for one in differences[:_LISTED]]
    if len(differences) > _LISTED:
        told.append(f"and {len(differences) - _LISTED:,} more")
    yield f"Layout differences, nothing is lost by them: {', '.join(told)}."
    kinds = {one.kind for one in differences}
    if DifferenceKind.BOM in kinds:
        yield "Hermes takes a byte-order mark for hidden text and hides the entry behind it from its model."
    if kinds & {DifferenceKind.LEADING_SIGN, DifferenceKind.EMPTY_ENTRY}:
        yield "Hermes reads the stray § as text of the entry after it and spends 2 characters on it."


def _is_bare_heading(text: str) -> bool:
    return text.startswith("#") and all(line.startswith("#") or not line.strip() for line in text.split("\n"))


def _bare_heading(entry: Entry) -> str:
    return (
        f"Entry #{entry.name} (line {entry.line}) is only a heading; it counts as an entry and takes "
        f"{len(entry.text):,} characters."
    )
