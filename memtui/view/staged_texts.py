"""Every sentence about staged writes: titles, empty states, confirmations, what came of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from memtui.core.model import FILE_NAMES
from memtui.core.visible import clip, visible_text
from memtui.view.amounts import counted
from memtui.view.lines import Line, Span, Tone
from memtui.view.questions import Option, Question, quoted
from memtui.view.staged import StagedState
from memtui.view.staged_rows import row_text

if TYPE_CHECKING:
    from memtui.actions.pending import Answered, PendingView

NO_RECORD: Final = "There is no staged write to answer."
NONE_TO_APPROVE: Final = "Each of these would be refused as things stand; the box below says why."
WHICH_OPERATION: Final = "Which text do you want to edit?"
APPROVED: Final = "Approved"
REJECTED: Final = "Rejected"
NOTHING_TO_EDIT: Final = "This staged write brings in no text that could be edited."
UNFIT_TO_TYPE: Final = (
    "The text holds line breaks or control characters that the editor here would change; "
    "approve it as it is, or reject it."
)
ANSWERS_TO_A_THREAT: Final = ("Leave it staged", "Approve it all the same")
ANSWERS_WHILE_EDITING: Final = ("Keep editing", "Approve it all the same")
KEPT: Final = "Its record is deleted; the texts in it go to memtui's history."
ALL_KEPT: Final = "Their records are deleted; the texts in them go to memtui's history."
MAX_LISTED: Final = 12
MAX_QUOTED_CHARS: Final = 2_000


def header_left(state: StagedState) -> Line:
    """The title of the screen."""
    told = "" if state.views is None else f"   {counted(len(state.views), 'waits', 'wait')} for approval"
    return (Span("  Staged writes", Tone.STRONG), Span(told, Tone.DIM))


def empty_words(state: StagedState) -> tuple[str, ...]:
    """What stands in an empty list."""
    if state.views is None:
        return ("Reading …",)
    return ("No write waits for approval.", "What the agent stages is shown here by itself. esc goes back.")


def reject_question(view: PendingView) -> Question:
    """Asks before a record is dropped."""
    return Question(
        "Reject this staged write?",
        (
            (Span(f"{view.staged.action or 'record'} in {FILE_NAMES[view.staged.target]}".strip(), Tone.DIM),)
            if not view.staged.problem
            else (Span("It cannot be read.", Tone.DIM),),
            quoted(row_text(view), MAX_QUOTED_CHARS),
            (),
            (Span(f"{KEPT} No memory file changes. The agent may stage it again.", Tone.DIM),),
        ),
        (Option("keep", "Keep it"), Option("reject", "Reject it", is_dangerous=True, key="r")),
    )


def approve_all_question(views: Sequence[PendingView]) -> Question:
    """Asks before every record is approved; says which cannot be."""
    good = [view for view in views if not view.refusal]
    bad = [view for view in views if view.refusal]
    body = [*_listed(good, "+", Tone.GOOD)]
    if bad:
        stay = counted(len(bad), "is refused as things stand and stays:", "are refused as things stand and stay:")
        body += [(), (Span(stay, Tone.WARN),)]
        body += _listed(bad, "✗", Tone.WARN)
    body += [(), (Span("Each goes through every guard; u takes a change back.", Tone.DIM),)]
    return Question(
        f"Approve {counted(len(good), 'staged write')}?",
        tuple(body),
        (Option("keep", "Keep them"), Option("approve", f"Approve {len(good):,}", is_dangerous=True)),
    )


def reject_all_question(views: Sequence[PendingView]) -> Question:
    """Asks before every record is dropped."""
    return Question(
        f"Reject {counted(len(views), 'staged write')}?",
        (*_listed(views, "−", Tone.WARN), (), (Span(f"{ALL_KEPT} No memory file changes.", Tone.DIM),)),
        (Option("keep", "Keep them"), Option("reject", f"Reject {len(views):,}", is_dangerous=True)),
    )


def conflict_question(details: Mapping[str, Any], message: str) -> Question:
    """Shows both texts when an approval would hit another entry than the one that was meant."""
    body: list[Line] = []
    if "shown" in details or "live" in details:
        meant = _text_or(details.get("shown"), "no entry that stood there")
        now = _text_or(details.get("live"), "it is gone from the file")
        body += [(Span("Meant, when it was listed:", Tone.DIM),), meant, ()]
        body += [(Span("Stands there now:", Tone.DIM),), now, ()]
    body.append((Span(visible_text(message[:MAX_QUOTED_CHARS]), Tone.DIM),))
    return Question(
        "The entry changed: nothing was written.",
        tuple(body),
        (Option("keep", "Leave it staged"), Option("again", "Judge it anew", key="j")),
    )


def results_question(answers: Sequence[Answered], verb: str) -> Question:
    """Lists what was refused, and why, after all were answered."""
    refused = [answer for answer in answers if answer.refusal is not None]
    lines: list[Line] = []
    for answer in refused[:MAX_LISTED]:
        lines.append((Span(f"✗ {clip(answer.id, 40)} ", Tone.BAD), Span(clip(str(answer.refusal), 400))))
    if len(refused) > MAX_LISTED:
        lines.append((Span(f"… and {len(refused) - MAX_LISTED:,} more", Tone.DIM),))
    return Question(
        f"{results_words(answers, verb)} These stay staged:",
        tuple(lines),
        (Option("keep", "Back to the list"),),
    )


def results_words(answers: Sequence[Answered], verb: str) -> str:
    """`Approved 2 of 3.`"""
    done = sum(answer.refusal is None for answer in answers)
    return f"{verb} {done:,} of {len(answers):,}."


def _listed(views: Sequence[PendingView], sign: str, tone: Tone) -> list[Line]:
    lines: list[Line] = [(Span(f"{sign} ", tone), Span(clip(row_text(view), 120))) for view in views[:MAX_LISTED]]
    if len(views) > MAX_LISTED:
        lines.append((Span(f"… and {len(views) - MAX_LISTED:,} more", Tone.DIM),))
    return lines


def _text_or(text: object, otherwise: str) -> Line:
    return quoted(text, MAX_QUOTED_CHARS) if isinstance(text, str) else (Span(otherwise, Tone.DIM),)

