"""The sentences and questions round a threat: removal, what is known and fine, where a removed text still lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.core.visible import clip, visible_text
from memtui.view.amounts import counted, full_moment_words, moment_words
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, arranged, finding_lines, marked_text
from memtui.view.lines import Line, Span, Tone
from memtui.view.questions import Option, Question
from memtui.view.staged_rows import operation_lines
from memtui.view.staged_texts import KEPT

if TYPE_CHECKING:
    from memtui.actions.purge import Place, PurgeReport
    from memtui.disk.own_rules import RuleFault
    from memtui.disk.pending_records import StagedOperation
    from memtui.disk.suppressions import Suppression
    from memtui.view.audit_finding import AuditRow

NO_FINDING: Final = "Select a finding first."
ONLY_IN_MEMORY: Final = "Only an entry of a memory file can be edited; d rejects a staged write and deletes a backup."
NOT_FOUND_ANY_MORE: Final = "The entry is not in the file any more; r looks again."
AGENTS_OWN: Final = "the agent's own scan, which memtui cannot silence"
FINE_BY_AGENT: Final = f"This is {AGENTS_OWN}. enter goes to the note, "
BACKUP_WHOLE: Final = "A backup is deleted whole; its other entries go to memtui's history."
FINE_ALREADY: Final = "This finding is known and fine already; l lists what is, and takes it back."
NOWHERE_ELSE: Final = "The text lies nowhere else: not in backups, staged writes, history or a session's prompt."
COPIED_REPORT: Final = (
    "The report was sent to the terminal's clipboard (OSC 52). In tmux this needs `set -g set-clipboard on`."
)
NOTHING_TO_COPY: Final = "There is no finding to report."
NO_OTHER_WORDS: Final = "There are no other words to suggest for this entry; e edits it."
AGENT_SEES_IT: Final = "The agent sees this entry; only a harmless note that it hides is reworded."
KNOWN_TITLE: Final = "Known and fine"
KNOWN_EMPTY: Final = ("Nothing is known and fine.", "f on a finding of the audit puts it here. esc goes back.")
KNOWN_UNREADABLE: Final = ("What is known and fine cannot be read.", "The line above says why. esc goes back.")
TEXT_ELSEWHERE: Final = "Only its start is kept; the text stands in none of the files that the audit looked at."
REASON_TITLE: Final = "Why is this known and fine?"
REASON_HINT: Final = "one line, kept with it · enter marks it · esc leaves it as it is"
EDIT_ELSEWHERE: Final = (
    "This entry holds line breaks or control characters that the editor here would change. "
    "enter goes to the entry; E there opens it in $EDITOR, which keeps every byte."
)
REASON_HINT_OF_SEVERAL: Final = "enter marks this one · tab tab enter all · esc leaves it"
REASON_NEEDED: Final = "Say in a few words why; whoever reads the list later needs it."
MAX_PLACES: Final = 30
MAX_SHOWN_CHARS: Final = 2_000


def own_rules_told(faults: Sequence[RuleFault]) -> str:
    """What is wrong with a person's own rules, in one short sentence; "" for nothing."""
    if not faults:
        return ""
    first, rule = clip(faults[0].file, 24), clip(faults[0].rule_id, 30)
    if len(faults) == 1:
        return f"1 fault in your own rules, {first}{f' rule {rule}' if rule else ''}; `memtui check` tells it."
    return f"{len(faults):,} faults in your own rules, first {first}; `memtui check` lists them."


def in_a_backup(row: AuditRow) -> str:
    """What to do with a finding that lies in a backup."""
    return f"This lies in the backup {clip(row.one.file, 200)}; d deletes it, and b in the list takes entries from it."


def finding_body(row: AuditRow, notes: Sequence[Line]) -> tuple[Line, ...]:
    """A finding's text, what was found marked in it, and what is to be said, for a dialog."""
    text = marked_text(row.one.text[:MAX_SHOWN_CHARS], [(start, end, Tone.FLAG) for start, end in row.finding.spans])
    return arranged([text], notes)


def fine_by_agent(row: AuditRow) -> str:
    """Why the agent's own verdict cannot be marked, and which key helps with the note."""
    return FINE_BY_AGENT + ("r there rewords it." if row.advice and row.advice.rewordings else "e there edits it.")


def known_body(row: AuditRow, of_entry: Sequence[AuditRow]) -> tuple[Line, ...]:
    """What is marked as known and fine: the finding, and what is when all of its entry are, the worst first."""
    others = [finding_lines(other.finding)[0] for other in of_entry if other is not row]
    also: tuple[Line, ...] = ((), (Span("Mark all marks these as well:", Tone.STRONG),), *others) if others else ()
    return finding_body(row, (*finding_lines(row.finding), *also))


def removal_question(row: AuditRow) -> Question:
    """Asks before what holds the finding is removed."""
    title, label, note = {
        "staged": (f"Reject this staged write?{_beside_words(row)}", "Reject it", KEPT),
        "backup": ("Delete this backup?", "Delete backup", "What else it holds goes to memtui's history."),
    }.get(row.one.kind, ("Remove this entry?", "Remove entry", "u in the list brings it back, until it is purged."))
    place: Line = (Span(f"  {clip(row.one.file, 300)}", Tone.DIM),)
    body = (*finding_body(row, (*finding_lines(row.finding), place)), *_staged_beside(row), (), (Span(note, Tone.DIM),))
    return Question(title, body, (Option("keep", "Keep it"), Option("remove", label, is_dangerous=True, key="r")))


def _staged_beside(row: AuditRow) -> tuple[Line, ...]:
    """What else the staged write would do, which goes with it."""
    others = _others(row)
    return ((), (Span("What goes with it:", Tone.WARN),), *operation_lines(others)) if others else ()


def _beside_words(row: AuditRow) -> str:
    """For the title, which no small terminal scrolls away."""
    others = len(_others(row))
    return f" {counted(others, 'other operation goes', 'other operations go')} with it." if others else ""


def _others(row: AuditRow) -> list[StagedOperation]:
    operations = row.one.staged.operations if row.one.staged else ()
    return [operation for number, operation in enumerate(operations, 1) if number != row.one.number]


def removed(row: AuditRow) -> str:
    """Told after what held a finding was removed somewhere else than in the open files."""
    what = {"staged": "The staged write was rejected", "backup": "The backup was deleted"}
    return f"{what.get(row.one.kind, 'The entry was removed')}: {clip(row.place, 60)}."


def place_lines(places: Sequence[Place]) -> tuple[Line, ...]:
    """Where a text lies, a line a place."""
    lines: list[Line] = [(_place_sign(place), Span(clip(place.words, 300))) for place in places[:MAX_PLACES]]
    if (more := len(places) - MAX_PLACES) > 0:
        lines.append((Span(f"  and {counted(more, 'more place', 'more places')}", Tone.DIM),))
    return tuple(lines)


def _place_sign(place: Place) -> Span:
    if place.is_purgeable:
        return Span("  − ", Tone.BAD)
    if place.is_cuttable:
        return Span("  ~ ", Tone.WARN)
    return Span("  · " if place.is_found else "  ? ", Tone.WARN)


def purge_question(places: Sequence[Place], *, was_removed: bool) -> Question:
    """Asks whether a text is to be deleted for good where it still lies."""
    can_go = [place for place in places if place.is_purgeable]
    body: list[Line] = list(place_lines(places))
    body += [(), (Span("− is purged: deleted for good, undo cannot bring it back.", Tone.DIM),)]
    if any(place.where == "backup" for place in can_go):
        body.append((Span(BACKUP_WHOLE, Tone.DIM),))
    if any(place.is_cuttable for place in places):
        body.append((Span("~ holds it inside of other entries, which stay; you are asked about them next.", Tone.DIM),))
    if any(place.is_found and not (place.is_purgeable or place.is_cuttable) for place in places):
        body.append((Span("· stays: memtui does not change it.", Tone.DIM),))
    if not all(place.is_found for place in places):
        body.append((Span("? could not be searched: nobody can tell.", Tone.DIM),))
    title = "Removed. Its text still lies in:" if was_removed else "The text also lies in:"
    return Question(title, tuple(body), (
        Option("leave", "Leave it there"), Option("purge", "Purge it", is_dangerous=True, key="p"),
    ))  # fmt: skip


def inside_question(places: Sequence[Place]) -> Question:
    """Asks by itself whether a text is to be cut out of entries that hold more."""
    body = (
        *place_lines(places),
        (),
        (Span("It is cut out of them, undo cannot bring it back; the rest of these entries stays.", Tone.DIM),),
    )
    return Question("Other entries hold the text and more:", body, (
        Option("leave", "Leave them whole"), Option("cut", "Cut it out", is_dangerous=True, key="c"),
    ))  # fmt: skip


def unread_question(places: Sequence[Place]) -> Question:
    """Asks by itself whether what nobody can read is to be deleted, too."""
    body = (
        *place_lines(places),
        (),
        (Span("It may hold the text, or anything else that memtui kept, also of other homes.", Tone.DIM),),
    )
    return Question("Nobody can tell whether the text lies in:", body, (
        Option("leave", "Leave it there"), Option("delete", "Delete it unread", is_dangerous=True, key="x"),
    ))  # fmt: skip


def only_stays(places: Sequence[Place]) -> str:
    """Told when the text lies on only where nobody can purge it, or perhaps where nobody can look."""
    found = [clip(place.words, 200) for place in places if place.is_found]
    unsearched = [clip(place.words, 200) for place in places if not place.is_found]
    stays = f"Its text stays for now: {'; '.join(found[:4])}." if found else ""
    return " ".join(filter(None, (stays, f"Not searched: {'; '.join(unsearched[:4])}." if unsearched else "")))


def purged(report: PurgeReport) -> tuple[str, tuple[str, ...]]:
    """How a purge ended, and what still holds the text."""
    return visible_text(str(report)), tuple(clip(f"Still in {one.place.words}: {one.why}", 400) for one in report.left)


def reason_title(findings: int) -> str:
    """Asks why a finding, or all of its entry, are known and fine."""
    return f"{REASON_TITLE} The entry has {findings:,} findings." if findings > 1 else REASON_TITLE


def marked_fine(rule_ids: Sequence[str]) -> str:
    """Told after findings of one text were marked as known and fine."""
    is_one = len(rule_ids) == 1
    what = f"{clip(rule_ids[0], 60)} is" if is_one else f"{len(rule_ids):,} findings are"
    back = "it is back" if is_one else "they are back"
    return f"{what} known and fine in this text; one changed byte, and {back}. l lists what is."


def taken_back(known: Suppression) -> str:
    """Told after something is no longer known and fine."""
    return f"{clip(known.rule_id, 60)} is shown again."


def known_line(known: Suppression, now_s: float, is_cursor: bool) -> Line:
    """One line of the list of what is known and fine."""
    return (
        cursor_sign(is_cursor),
        Span(f"{moment_words(known.when, now_s):>12}  ", Tone.DIM),
        Span(f"{clip(known.rule_id, 28):<28} ", Tone.NOTE),
        Span(f"{clip(known.reason, 60)}  ", Tone.PLAIN),
        Span(clip(known.preview, 60), Tone.DIM),
    )


def known_lines(known: Suppression) -> tuple[Line, ...]:
    """Why, since when and by whom a finding is known and fine."""
    since = f"since {full_moment_words(known.when)}, marked by {clip(known.who, 80)}"
    return (
        (Span("✓ known and fine: ", Tone.DIM), Span(clip(known.reason, 2_000), Tone.STRONG)),
        (Span(f"  {since}", Tone.DIM),),
    )


def known_detail(known: Suppression | None, text: str | None) -> Detail:
    """The whole of what is known of one of them; `text` is None where it stands in no file that was looked at."""
    if known is None:
        return Detail("")
    about: list[Line] = [
        (Span("why   ", Tone.DIM), Span(clip(known.reason, 2_000), Tone.STRONG)),
        (Span("when  ", Tone.DIM), Span(full_moment_words(known.when)), Span(f"  by {clip(known.who, 80)}", Tone.DIM)),
        (Span("rule  ", Tone.DIM), Span(clip(known.rule_id, 80), Tone.NOTE)),
    ]
    about += [(Span(TEXT_ELSEWHERE, Tone.DIM),)] if text is None else []
    shown = marked_text(known.preview if text is None else text)
    return Detail(f"{KNOWN_TITLE} · sha256 {clip(known.sha256, 12)}", (*about, (), shown))
