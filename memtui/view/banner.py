"""The banner of the review screen: the worst thing that holds for the file on screen, and the key that mends it."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.core.model import DifferenceKind, MemoryFile
from memtui.core.visible import clip
from memtui.view.lines import Tone
from memtui.view.state import ViewState


def banner(state: ViewState) -> tuple[str, Tone]:
    """Sentence and tone; an empty sentence when nothing is the matter."""
    group = state.group
    file = group.load.file if group and group.load else None
    if group is None or file is None:
        return "", Tone.PLAIN
    if file.problem:
        return clip(file.problem, 300), Tone.WARN
    first = next(_sentences(file, group.file_name), ("", Tone.PLAIN))
    if file.agent_refuses:
        # Whatever else is the matter: that the agent will not write here is what its owner came for.
        agent = clip(file.agent_refuses, 300).rstrip(".")
        return f"{first[0]} {agent}: x does it.".lstrip(), Tone.WARN
    return first


def _sentences(file: MemoryFile, file_name: str) -> Iterator[tuple[str, Tone]]:
    """What is the matter, the worst first."""
    if file.drift:
        detail = clip(file.drift[0].detail, 240)
        yield (
            f"▲ Drift: {detail}. Guarded changes to {file_name} are refused until it is resolved: b resolves it.",
            Tone.WARN,
        )
    if file.merged:
        count = len(file.merged)
        hold = "entry holds" if count == 1 else "entries hold"
        yield (
            f"≡ {count:,} {hold} several notes: a sign is missing or misplaced. "
            "S splits the selected entry, b resolves all of them.",
            Tone.WARN,
        )
    if file.budget.is_over:
        yield f"▲ {file_name} is over its budget: only changes that make it smaller are written.", Tone.WARN
    if _is_odd(file) and not file.agent_refuses:
        first, more = file.differences[0], len(file.differences) - 1
        others = f" and {more:,} more" if more else ""
        yield (
            f"· Layout: {first.detail}, line {first.line}{others}. Nothing is lost or refused; x tidies it.",
            Tone.NOTE,
        )


def _is_odd(file: MemoryFile) -> bool:
    """True for a layout worth a word: a final newline alone is what editors leave, and every write keeps it."""
    return any(one.kind is not DifferenceKind.FINAL_NEWLINE for one in file.differences)
