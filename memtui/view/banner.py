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
    first, tone = next(_sentences(file, group.file_name), ("", Tone.PLAIN))
    if file.agent_refuses:
        # Whatever else is the matter: that the agent will not write here is what its owner came for.
        worse = first if tone is Tone.WARN else ""
        return f"{worse} x tidies: {clip(file.agent_refuses, 300)}".lstrip(), Tone.WARN
    return first, tone


def _sentences(file: MemoryFile, file_name: str) -> Iterator[tuple[str, Tone]]:
    """What is the matter, the worst first. The key stands early: a narrow terminal shows three lines."""
    if file.drift:
        detail = clip(file.drift[0].detail, 240)
        yield f"▲ Drift, b resolves it: {detail}. Until then {file_name} takes no guarded change.", Tone.WARN
    if file.merged:
        count = len(file.merged)
        hold = "entry holds" if count == 1 else "entries hold"
        yield f"≡ {count:,} {hold} several notes, S splits the selected one, b resolves all.", Tone.WARN
    if file.budget.is_over:
        yield f"▲ {file_name} is over its budget: only changes that make it smaller are written.", Tone.WARN
    if _is_odd(file):
        first, more = file.differences[0], len(file.differences) - 1
        others = f" and {more:,} more" if more else ""
        yield f"· Layout, x tidies it: {first.detail}, line {first.line}{others}. Nothing is lost.", Tone.NOTE


def _is_odd(file: MemoryFile) -> bool:
    """True for a layout worth a word: a final newline alone is what editors leave, and every write keeps it."""
    return any(one.kind is not DifferenceKind.FINAL_NEWLINE for one in file.differences)
