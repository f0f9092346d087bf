"""What is said of an entry that the agent hides from itself: by which rules, what memtui makes of it, what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.pairing import NOT_UTF8
from memtui.core.threats.finding import Finding, Severity
from memtui.core.visible import clip, preview
from memtui.view.lines import Line, Span, Tone
from memtui.view.rows import UNSEEN, threat_badge

if TYPE_CHECKING:
    from memtui.core.rewording import AgentAdvice

SWAP_CELLS: Final = 60
NO_WORDS: Final = "  No other words were found that it would see; e edits the note."
NO_WORDS_SOUGHT: Final = "  Other words are suggested only where memtui itself finds nothing; e edits the note."


def agent_lines(advice: AgentAdvice, findings: Sequence[Finding], *, to_reword: str = "r") -> tuple[Line, ...]:
    """Why the agent does not see an entry, and which other words it would see.

    `findings` are memtui's own in the entry; `to_reword` are the keys that reword it.
    """
    lines = [hidden_line(advice.rule_ids, findings)]
    if not _is_false_alarm(findings) or advice.rule_ids == (NOT_UTF8,):
        return tuple(lines)
    for number, other in enumerate(advice.rewordings):
        before, after = preview(other.before, SWAP_CELLS), preview(other.after, SWAP_CELLS)
        start = "  It sees the note with " if number == 0 else "  or with "
        swap = (Span(f"“{after}”", Tone.GOOD), Span(" instead of ", Tone.DIM), Span(f"“{before}”", Tone.FLAG))
        if not after.strip():
            swap = (Span("a blank" if other.after else "nothing", Tone.GOOD), *swap[1:])
        key = f" · {to_reword} puts it into the editor" if number == 0 else ""
        lines.append((Span(start, Tone.DIM), *swap, Span(key, Tone.DIM)))
    if not advice.rewordings:
        lines.append((Span(NO_WORDS_SOUGHT if _is_warned(findings) else NO_WORDS, Tone.DIM),))
    return tuple(lines)


def hidden_line(
    rule_ids: Sequence[str], findings: Sequence[Finding] | None, *, is_read: bool = True, is_mended: bool = False
) -> Line:
    """That the agent sees a placeholder, by which of its rules, and what memtui makes of the text.

    `findings` is None where the text is not known; `is_read`: the text stands where the agent reads; `is_mended`:
    the file could not be read when the session was frozen, and can be by now.
    """
    if tuple(rule_ids) == (NOT_UTF8,):
        return _note(f"⊘ {unread_words(is_mended=is_mended)}")
    rules = f"its rule{'' if len(rule_ids) == 1 else 's'} {', '.join(clip(rule, 60) for rule in rule_ids)}"
    if not is_read:
        return _note(f"⊘ The agent would read a placeholder instead ({rules}).")
    if findings is not None and _is_false_alarm(findings):
        return _note(f"◌ The agent can't see this entry ({rules}){_though(findings)}.")
    return _note(f"⊘ The agent reads a placeholder instead ({rules}).")


def unread_words(file_name: str = "this file", *, is_mended: bool = False) -> str:
    """That the agent gets nothing of a file; or, of one that is `is_mended` since, that the frozen session did not."""
    if is_mended:
        return (
            f"The session could not read {file_name} when it was frozen: its bytes were not UTF-8. "
            "One that starts now reads it."
        )
    return f"The agent reads nothing of {file_name}: its bytes are not UTF-8."


def _is_false_alarm(findings: Sequence[Finding]) -> bool:
    return threat_badge(findings, True) is UNSEEN


def _is_warned(findings: Sequence[Finding]) -> bool:
    return any(one.severity is Severity.WARN and not one.suppressed for one in findings)


def _though(findings: Sequence[Finding]) -> str:
    if _is_warned(findings):
        return ", and memtui warns of it, too"
    if any(one.suppressed and one.severity is not Severity.INFO for one in findings):
        return "; what was found in it is known and fine"
    return ", though nothing here looks dangerous"


def _note(text: str) -> Line:
    return (Span(clip(text, 2_000), Tone.WARN),)
