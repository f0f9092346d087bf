"""The audit screen's list, line by line, its lower box, its headings and the report that is copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memtui.core.visible import cell_width, clip, preview, visible_text
from memtui.view.agent_notes import agent_lines, hidden_line
from memtui.view.amounts import counted
from memtui.view.audit import AuditState
from memtui.view.audit_finding import HIDDEN_RULE, MEMORY, TONES, AuditRow, badge_of
from memtui.view.cursor import cursor_sign
from memtui.view.detail import Detail, arranged, finding_lines, marked_text
from memtui.view.finding_words import class_words
from memtui.view.lines import Line, Span, Tone, fit, line_width
from memtui.view.threat_texts import known_lines

WIDE_CELLS: Final = 90
"""From this width on a row has room for the state's word."""
SLIM_CELLS: Final = 70
"""Below this width a row has no room for the severity."""
PLACE_CELLS: Final = 22
RULE_CELLS: Final = 26
MAX_REPORTED: Final = 500
"""Findings in one copied report; terminals cut a longer clipboard sequence."""

_WORD_CELLS: Final = 15
TO_REWORD: Final = "enter, then r"
"""r itself looks anew here."""


def row_line(state: AuditState, position: int, is_cursor: bool, width_cells: int) -> Line:
    """One finding: its state, severity, rule, where it stands, what was found."""
    row = state.rows[state.shown[position]]
    badge, finding = badge_of(row), row.finding
    head: Line = (cursor_sign(is_cursor), Span(f"{badge.mark} ", badge.tone))
    if width_cells >= WIDE_CELLS:
        head = (*head, _cell(badge.word, _WORD_CELLS, badge.tone))
    if width_cells >= SLIM_CELLS:
        head = (*head, _cell(finding.severity.value, 5, badge.tone))
    rule_cells = RULE_CELLS if width_cells >= WIDE_CELLS else min(RULE_CELLS, max(width_cells // 3, 8))
    is_roomy = width_cells >= WIDE_CELLS or (state.is_every_home and width_cells >= 60)
    place_cells = PLACE_CELLS if is_roomy else 15 if width_cells >= 60 else 14
    tone = Tone.DIM if finding.suppressed else Tone.PLAIN
    place = f"{row.home_label}: {row.place}" if row.home_label else row.place
    left = (*head, _cell(finding.id, rule_cells, tone), _cell(place, place_cells, Tone.DIM))
    quoted = preview(finding.decoded or finding.matched or row.one.text, max(width_cells - line_width(left) - 1, 0))
    return fit((*left, Span(quoted, tone)), width_cells)


def _cell(text: str, width_cells: int, tone: Tone) -> Span:
    shown = clip(text, width_cells)
    return Span(f"{shown}{' ' * (width_cells - cell_width(shown))} ", tone)


def header_left(state: AuditState, rules: str) -> Line:
    """What the screen is, how far it is, and by which of the agent's rules this home is judged."""
    looked = state.looked
    where = f"all homes · {counted(looked.homes, 'home')}, " if state.is_every_home else "this home · "
    counts = [counted(looked.entries, "entry", "entries")]
    counts += [f"{looked.staged:,} staged"] if looked.staged else []
    counts += [counted(looked.backups, "backup")] if looked.backups else []
    more = " …" if state.is_running else ""
    judged = "" if state.is_every_home or not rules else f" · {rules}"
    return (Span("Threats", Tone.STRONG), Span(f"  {where}{', '.join(counts)}{more}{judged}", Tone.DIM))


def counts_line(state: AuditState) -> Line:
    """How many of each severity there are, and which filters are on."""
    spans: list[Span] = []
    tones = {**{severity.value: tone for severity, tone in TONES.items()}, "known and fine": Tone.DIM}
    for word, count in state.counted().items():
        spans.append(Span(f"{count:,} {word}   ", tones[word] if count else Tone.DIM))
    filters = [
        class_words(state.family) if state.family else "",
        state.entry_state,
        f"“{clip(state.query.strip(), 30)}”" if state.query.strip() else "",
    ]
    if chosen := " · ".join(filter(None, filters)):
        spans.append(Span(f"only {chosen}: {len(state.shown):,}  esc shows all", Tone.NOTE))
    return tuple(spans)


def problem_lines(state: AuditState) -> tuple[Line, ...]:
    """What could not be read or is wrong with a person's own rules."""
    shown = [(Span(f"▲ {clip(problem, 600)}", Tone.WARN),) for problem in state.problems[:3]]
    more = len(state.problems) - len(shown)
    return (*shown, *(((Span(f"▲ and {more:,} more", Tone.WARN),),) if more > 0 else ()))


def empty_words(state: AuditState) -> tuple[str, ...]:
    """Why the list is empty."""
    if state.is_running:
        return ("Looking …",)
    if state.rows:
        return ("No finding is like that.", "esc shows all findings again.")
    where = "any home" if state.is_every_home else "this home, its staged writes or its backups"
    more = "" if state.is_every_home else "o looks through all homes. "
    return (f"Nothing was found in {where}.", f"{more}esc goes back.")


def detail_of(state: AuditState) -> Detail:
    """The finding with its whole text, what was found marked in it."""
    row = state.picked
    if row is None:
        return Detail("Finding")
    finding, badge = row.finding, badge_of(row)
    title = f"{badge.word} · {class_words(finding.family)} · {clip(row.place, 40)} · {row.one.name}"
    notes: list[Line] = [*known_lines(row.known)] if row.known is not None else []
    found = state.found_in(row)
    if row.advice is not None:
        notes += agent_lines(row.advice, found, to_reword=TO_REWORD)
    elif row.one.agent_rules:
        notes.append(hidden_line(row.one.agent_rules, found, is_read=row.one.kind == MEMORY))
    if finding.id != HIDDEN_RULE:
        notes += finding_lines(finding)
    place = f":{row.one.region.line}" if row.one.region else ""
    notes.append((Span(f"  {clip(row.file_label, 300)}{place}", Tone.DIM),))
    text = marked_text(row.one.text, [(start, end, Tone.FLAG) for start, end in finding.spans])
    return Detail(title, arranged([text], notes))


def report(rows: Iterable[AuditRow]) -> str:
    """The findings as plain text to hand on; quotes only what matched, secrets cut short."""
    listed = list(rows)
    lines = [f"memtui audit: {counted(len(listed), 'finding')}"]
    for row in listed[:MAX_REPORTED]:
        finding, one = row.finding, row.one
        place = f":{one.region.line}:{one.region.column}" if one.region else ""
        agent = f" [agent: {', '.join(one.agent_rules)}]" if one.agent_rules else ""
        lines += [
            "",
            f"{finding.severity.value} {finding.id} ({class_words(finding.family)}) · {badge_of(row).word}{agent}",
            f"  {visible_text(one.file)}{place}  {one.name}",
            f"  found: {clip(finding.matched, 200)}",
            *((f"  it says: {clip(finding.decoded, 400)}",) if finding.decoded else ()),
            f"  {finding.why} {finding.advice}",
        ]
    if len(listed) > MAX_REPORTED:
        lines += ["", f"… and {len(listed) - MAX_REPORTED:,} more; `memtui audit` lists them all."]
    return "\n".join(lines)
