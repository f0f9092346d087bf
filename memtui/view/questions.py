"""What the app asks before it does something: the question, what it quotes, and the answers.

What is quoted from a file goes through `core.visible` here, so that no dialog has to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memtui.core.visible import clip, visible_text
from memtui.view.lines import Line, Span, Tone

MAX_QUOTED_CHARS: Final = 4_000
UNDO_BRINGS_BACK: Final = "u brings it back; a running session may keep it until the next one starts."
WRITING_ALLOWS: Final = (
    "Every future session reads memory. Once written, all of this counts as known and fine in this text and is not "
    "shown as a danger any more; u takes back both."
)


@dataclass(frozen=True, slots=True)
class Option:
    """One button of a question."""

    value: str
    label: str
    is_dangerous: bool = False
    key: str = ""
    """A letter that gives this answer at once; "" for none."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a dialog asks. The first option is the safe one: it has the focus and is what esc means."""

    title: str
    body: tuple[Line, ...]
    options: tuple[Option, ...]


def remove_question(text: str, file_name: str) -> Question:
    """Asks before an entry is removed."""
    return Question(
        f"Remove this entry from {file_name}?",
        (quoted(text), (), (Span(UNDO_BRINGS_BACK, Tone.DIM),)),
        (Option("keep", "Keep entry"), Option("remove", "Remove entry", is_dangerous=True, key="r")),
    )


def draft_question(text: str) -> Question:
    """Asks before an unsaved text is dropped."""
    return Question(
        "This text is not saved.",
        (quoted(text),),
        (Option("keep", "Keep editing"), Option("drop", "Drop the text", is_dangerous=True)),
    )


def waiting_question(waiting: str, writes: int) -> Question:
    """Asks before the app is left while confirmed changes wait for a lock; `waiting` says for whom."""
    what, it = ("A change is", "it") if writes == 1 else (f"{writes:,} changes are", "them")
    return Question(
        f"{what} not written yet.",
        ((Span(visible_text(waiting)),), (), (Span(f"Who leaves now leaves without {it}.", Tone.WARN),)),
        (Option("keep", "Keep waiting"), Option("leave", f"Leave without {it}", is_dangerous=True)),
    )


def threat_question(
    details: Mapping[str, Any], keep: str = "Keep editing", allow: str = "Save it all the same"
) -> Question:
    """Asks before a person writes a text that the scanner blocks; `keep` and `allow` are the answers of the place."""
    by_matched: dict[str, list[Mapping[str, Any]]] = {}
    for finding in details.get("findings") or []:
        by_matched.setdefault(str(finding.get("matched", "")), []).append(finding)
    lines = [line for matched, found in by_matched.items() for line in _found_lines(matched, found)]
    return Question(
        "The scanner would block this text.",
        ((Span(WRITING_ALLOWS, Tone.WARN),), (), *lines),
        (Option("keep", keep), Option("allow", allow, is_dangerous=True)),
    )


def _found_lines(matched: str, findings: Sequence[Mapping[str, Any]]) -> list[Line]:
    """The findings of one stretch, which is quoted and read out once."""
    lines: list[Line] = []
    for finding in findings:
        lines.append((Span(f"{clip(str(finding.get('id', '')), 60)} · {finding.get('severity', '')}", Tone.BAD),
                      Span(f" · {clip(str(finding.get('why', '')), 300)}")))
    if matched:
        lines.append((Span("  Found: "), Span(f"“{clip(matched, 200)}”", Tone.FLAG)))
    decoded = dict.fromkeys(str(finding.get("decoded", "")) for finding in findings)
    whole = [one for one in decoded if one and not any(one != other and one in other for other in decoded)]
    return [*lines, *((Span("  It says: "), Span(f"“{clip(one, 400)}”", Tone.STRONG)) for one in whole)]


def conflict_question(mine: str, theirs: str | None) -> Question:
    """Asks what to save when the entry changed underneath the editor."""
    if theirs is None:
        return Question(
            "The entry you are editing is gone from disk.",
            ((Span("Yours:", Tone.DIM),), quoted(mine)),
            (Option("keep", "Keep editing"), Option("mine", "Add mine as a new entry"),
             Option("theirs", "Leave it removed", is_dangerous=True)),
        )
    return Question(
        "The entry changed on disk while you edited it.",
        (
            (Span("Theirs, on disk now:", Tone.DIM),),
            quoted(theirs),
            (),
            (Span("Yours:", Tone.DIM),),
            quoted(mine),
        ),
        (Option("keep", "Keep editing"), Option("both", "Both texts in the editor"),
         Option("mine", "Save mine over theirs", is_dangerous=True),
         Option("theirs", "Take theirs, drop mine", is_dangerous=True)),
    )


def quoted(text: str, max_chars: int = MAX_QUOTED_CHARS) -> Line:
    """A text of a file, safe to be drawn, and how much of it is left out."""
    shown = visible_text(text[:max_chars], keep_newlines=True)
    more = len(text) - max_chars
    return (Span(shown), *((Span(f"… {more:,} more characters", Tone.DIM),) if more > 0 else ()))
