"""Every sentence of the resolver. What is quoted from a file goes through `core.visible` here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.model import Budget
from memtui.core.resolve import Draft
from memtui.core.visible import clip, preview, visible_text
from memtui.view.amounts import counted, full_moment_words
from memtui.view.diffs import diff_paragraphs, diff_summary
from memtui.view.lines import Line, Span, Tone
from memtui.view.questions import Option, Question
from memtui.view.resolver import Column, Encodings, ResolverState, SourceRow

if TYPE_CHECKING:
    from memtui.actions.backups import Deleted
    from memtui.core.diff import DiffLine

MAX_LISTED: Final = 40
"""Names or texts that a question lists; the rest is counted."""

BACK: Final = (Option("keep", "Back to the draft"),)
TITLE: Final = "Resolve"
PREVIEW_TITLE: Final = "What changes on disk"
ANSWERS_TO_A_THREAT: Final = ("Go on deciding", "Write it all the same")
NO_TEXT: Final = "Go to a candidate or an entry first: tab calls the lists."
NOTHING_AFTER: Final = "There is no entry after this one to merge it with."
NO_SOURCE: Final = "Choose a backup in the list of sources first: tab calls it."
NO_ENCODING: Final = "These bytes are UTF-8: there is no encoding to choose."
NOTHING_TO_CLEAN: Final = "There is no backup that could go: each holds something the file does not."
NO_BACKUPS: Final = "There is no backup beside the file."
STILL_READING: Final = "The file is still being read."
STANDS_SO: Final = "The file already stands like this; nothing was written."
UNFIT_TO_TYPE: Final = (
    "This text holds line breaks or control characters that the editor here would change. "
    "E opens it in $EDITOR."
)


def banner(state: ResolverState, others: Sequence[str] = ()) -> tuple[Line, ...]:
    """Why the resolver is needed, exactly and with the place; then what is told of the chosen source.

    `others` are the names of other files that have drifted.
    """
    lines: list[Line] = []
    if state.draft is None and not state.reasons:
        return ((Span("Reading, cutting and scanning …", Tone.DIM),),)
    if state.reasons:
        more = f" {len(state.reasons) - 1} more: see Sources." if len(state.reasons) > 1 else ""
        lines.append((Span(f"▲ {clip(state.reasons[0], 400)}{more}", Tone.WARN),))
    else:
        lines.append((Span(f"✓ {state.file_name} is clean. {_clean_hint(state)}", Tone.GOOD),))
        lines += [(Span(f"▲ {name} has drifted: esc, then call it and press b.", Tone.WARN),) for name in others]
    if encodings := state.cut.encodings if state.cut else None:
        lines.append(encoding_line(encodings))
    return tuple(lines)


def _clean_hint(state: ResolverState) -> str:
    loose = sum(row.is_backup and not row.why_kept for row in state.sources)
    if loose:
        return f"{counted(loose, 'backup')} could go: D deletes what says nothing more."
    return "Pick from a backup what is missing, or esc leaves." if len(state.sources) > 1 else "esc leaves."


def encoding_line(encodings: Encodings) -> Line:
    """The bytes round the bad place, and as what they are read."""
    return (
        Span("Bytes: ", Tone.DIM),
        Span(encodings.broken.hex_words, Tone.FLAG),
        Span(f" · read as {encodings.label} · ", Tone.DIM),
        Span("c", Tone.KEY),
        Span(" chooses another encoding", Tone.DIM),
    )


def column_title(state: ResolverState, column: Column, is_alone: bool) -> str:
    """What stands in a list's upper border."""
    hint = " · tab: next list" if is_alone else ""
    count = len(state.rows(column))
    if column is Column.SOURCES:
        return f"Sources · {count:,}{hint}"
    if column is Column.CANDIDATES:
        row = state.picked_source
        source = "file now" if row is None or not row.is_backup else "backup"
        return f"Candidates · {count:,} from {source}{hint}"
    return f"{state.file_name} as it will be{hint}"


def empty_column(state: ResolverState, column: Column) -> tuple[str, ...]:
    """Why a list is empty and what to do; () when it is not."""
    if state.rows(column):
        return ()
    if state.draft is None or (column is Column.CANDIDATES and state.cut is None):
        return ("Reading …",)
    if column is Column.CANDIDATES:
        problem = state.cut.problem if state.cut else ""
        return (
            (clip(problem, 400),)
            if problem
            else ("This source holds no entry.", "tab, then j or k: another one.")
        )
    return ("Nothing is picked: the file would be empty.", "space picks a candidate.")


def header_left(state: ResolverState) -> Line:
    """The title of the screen."""
    return (Span(f"  {TITLE}  ", Tone.STRONG), Span(state.file_name))


def write_question(draft: Draft, lost: Sequence[str], lines: Sequence[DiffLine]) -> Question:
    """Asks before a file is written without a text that it holds now."""
    body: list[Line] = [
        (
            Span(
                f"{counted(len(draft.picked), 'entry', 'entries')}, {_budget_words(draft.budget)} · "
                f"{diff_summary(lines)}"
            ),
        ),
        (),
        (Span(f"Left out, {counted(len(lost), 'text')} of the file now:", Tone.WARN),),
        *((Span("− ", Tone.WARN), Span(preview(text, 200))) for text in lost[:MAX_LISTED]),
    ]
    if len(lost) > MAX_LISTED:
        body.append((Span(f"… and {len(lost) - MAX_LISTED:,} more", Tone.DIM),))
    body += [
        (),
        (
            Span(
                "The bytes as they are now stay in the history, and drifted ones in a backup; "
                "u in the review screen takes the write back.",
                Tone.DIM,
            ),
        ),
    ]
    return Question(
        "Write the file without these?",
        tuple(body),
        (Option("keep", "Go on deciding"), Option("write", "Write it", is_dangerous=True)),
    )


def _budget_words(budget: Budget) -> str:
    return f"{budget.used_chars:,} of {budget.limit_chars:,} characters ({budget.percent} %)"


def refusal_question(message: str, file_name: str) -> Question:
    """Shows in full why nothing was written."""
    lines = tuple((Span(visible_text(line)),) for line in message.splitlines())
    return Question(f"{file_name} is as it was.", lines, BACK)


def over_budget_question(draft: Draft, file_name: str) -> Question:
    """Shows how much too much is picked, and each picked text with its size: among these a person chooses."""
    budget = draft.budget
    over = counted(budget.used_chars - budget.limit_chars, "character")
    sized = sorted(draft.picked, key=len, reverse=True)
    lines: list[Line] = [
        (Span(f"Nothing was written: what is picked is {_budget_words(budget)}, {over} too many.", Tone.WARN),),
        (Span("Leave out or shorten some of it. What is picked, the longest first:"),),
        (),
        *((Span(f"{len(text):>6,}  ", Tone.DIM), Span(preview(text, 200))) for text in sized[:MAX_LISTED]),
    ]
    if len(sized) > MAX_LISTED:
        lines.append((Span(f"… and {len(sized) - MAX_LISTED:,} more", Tone.DIM),))
    return Question(f"This is more than {file_name} may hold.", tuple(lines), BACK)


def draft_question(state: ResolverState) -> Question:
    """Asks before a draft is dropped."""
    count = len(state.draft.picked) if state.draft else 0
    return Question(
        "What you picked is not written.",
        (
            (
                Span(
                    f"{counted(count, 'entry', 'entries')} stand in the draft. {state.file_name} is as it was."
                ),
            ),
        ),
        (Option("keep", "Go on deciding"), Option("drop", "Leave the file as it is", is_dangerous=True)),
    )


def clean_up_question(rows: Sequence[SourceRow], file_name: str, said: Sequence[str] = ()) -> Question | None:
    """Offers to delete the backups that hold nothing more, and lists what it keeps; None when none can go."""
    backups = [row for row in rows if row.is_backup]
    loose = [row for row in backups if not row.why_kept]
    same = [row for row in backups if row.is_identical]
    if not loose and not same:
        return None
    kept = [row for row in backups if row.why_kept]
    body: list[Line] = [(Span(visible_text(sentence), Tone.GOOD),) for sentence in said]
    body += [()] if said else []
    if loose:
        body.append((Span("Every entry of these is live:", Tone.STRONG),))
        body += _source_lines(loose, "−", Tone.WARN)
    if kept:
        body += [*((),) * bool(loose), (Span("These are kept:", Tone.STRONG),)]
        body += _source_lines(kept, "✓", Tone.GOOD)
    body += [(), (Span("History keeps the bytes of what is deleted.", Tone.DIM),)]
    options = [Option("keep", "Keep all")]
    if same and {row.name for row in same} != {row.name for row in loose}:
        options.append(Option("identical", f"Delete {len(same):,} identical", is_dangerous=True))
    if loose:
        options.append(Option("loose", f"Delete {counted(len(loose), 'backup')}", is_dangerous=True))
    return Question(f"Backups of {file_name}", tuple(body), tuple(options))


def _source_lines(rows: Sequence[SourceRow], sign: str, tone: Tone) -> list[Line]:
    lines: list[Line] = [
        (
            Span(f"{sign} ", tone),
            Span(visible_text(row.name)),
            Span(f" · {full_moment_words(row.source.when)} · {clip(row.source.words, 200)}", Tone.DIM),
        )
        for row in rows[:MAX_LISTED]
    ]
    if len(rows) > MAX_LISTED:
        lines.append((Span(f"… and {len(rows) - MAX_LISTED:,} more", Tone.DIM),))
    return lines


def backed_up(name: str) -> str:
    """What a backup on request came to."""
    return f"The bytes as they are now lie in {visible_text(name)}."


def deleted_words(deleted: Deleted) -> str:
    """What a deletion came to."""
    kept = "".join(f" Kept {visible_text(one.name)}: {visible_text(one.why)}." for one in deleted.kept[:3])
    return f"{deleted}{kept}"


def restore_question(
    name: str, file_name: str, lines: Sequence[DiffLine], warnings: Sequence[str], what: str = "byte for byte"
) -> Question:
    """Asks before bytes that once stood are put back; shows what changes, and what the checks would say."""
    body: list[Line] = [(Span(f"{diff_summary(lines)} · {what}", Tone.STRONG),)]
    body += [(Span(f"▲ {clip(warning, 400)}", Tone.WARN),) for warning in warnings]
    body += [(), *diff_paragraphs(lines, 300), ()]
    body.append((Span(f"What {file_name} holds now stays in the history; u takes this back.", Tone.DIM),))
    return Question(
        f"Bring {visible_text(name)} back?",
        tuple(body),
        (Option("keep", "Keep the file"), Option("restore", "Bring it back", is_dangerous=True)),
    )


def changed_underneath(file_name: str) -> str:
    """Told when another program wrote the file while a draft stands."""
    return f"{file_name} was changed by another program: what you picked is kept, what came is picked too."


def preview_page(draft_lines: Sequence[DiffLine], budget: Budget, count: int) -> tuple[Line, ...]:
    """What writing the draft would change."""
    head = f"{counted(count, 'entry', 'entries')} · {_budget_words(budget)} · {diff_summary(draft_lines)}"
    return ((Span(head, Tone.STRONG),), (), *diff_paragraphs(draft_lines))


def encoding_title(name: str) -> str:
    """The title of the choice of an encoding."""
    return f"As what were these bytes written? · {visible_text(name)}"
