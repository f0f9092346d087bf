"""Makes the steps of a change on a file as it is now; an entry that is not as it was left makes a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memtui.core.budget import used_chars
from memtui.core.change import Change, Step
from memtui.core.errors import Conflict
from memtui.core.model import MemoryFile
from memtui.core.threats.masking import masked_preview

QUOTED_CELLS = 120


def step_change(file: MemoryFile, action: str, steps: Sequence[Step]) -> Change:
    """The change that makes these steps on the file as it is.

    Raises Conflict when an entry is not as it was left.
    """
    texts = list(file.document.texts)
    done: list[Step] = []
    for step in steps:
        done += _take(texts, step)
    found_done = [(step.before, step.after) for step in done] != [(step.before, step.after) for step in steps]
    used, limit = used_chars(texts), file.budget.limit_chars
    notices = (f"{file.target} now stands at {used} of {limit} characters.",) if used > limit else ()
    change = Change(file.target, action, tuple(done), tuple(texts), used, limit, notices)
    return replace(change, wrote=bool(done), found_done=found_done)


def _take(texts: list[str], step: Step) -> list[Step]:
    """Make one step in `texts`; what was really done (nothing when the entry already is as it should be)."""
    if step.before is not None and step.before not in texts:
        if step.after is None or step.after in texts:
            return []
        raise _touched(step.before)
    if step.before is None:
        if step.after is None or step.after in texts:
            return []
        texts.insert(_place(step.index, len(texts)), step.after)
        return [step]
    index = texts.index(step.before)
    if step.after is None or step.after in texts:
        del texts[index]
        return [replace(step, after=None, index=index)]
    texts[index] = step.after
    return [replace(step, index=index)]


def _place(index: int, count: int) -> int:
    return index if 0 <= index <= count else count


def _touched(text: str) -> Conflict:
    return Conflict(
        f"The entry “{masked_preview(text, QUOTED_CELLS)}” was changed by somebody else since; nothing "
        "was written. Look at the file and change it by hand, or bring a version back from its history.",
        {"shown": text, "live": None},
    )
