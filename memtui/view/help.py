"""The help page, made of the table of commands and of what the badges mean."""

from __future__ import annotations

from typing import Final

from memtui.core.visible import cell_width
from memtui.view import rows
from memtui.view.keys import Context, commands_in, keys_shown
from memtui.view.lines import Line, Span, Tone

_HEADINGS: Final = {
    Context.REVIEW: "In the list",
    Context.EDITOR: "While editing",
    Context.FILTER: "While filtering",
    Context.RESOLVER: "While resolving (b)",
    Context.HISTORY: "In the history (H)",
    Context.AUDIT: "Among the threats (t)",
    Context.KNOWN: "In the list of what is known and fine (t, l)",
    Context.STAGED: "Among the staged writes (w)",
    Context.HOMES: "Among the homes (o)",
    Context.COMPARE: "Comparing two homes (o, c)",
    Context.ARCHIVE: "In the archive (A)",
    Context.ANYWHERE: "Anywhere",
}

_BADGES: Final = (
    (rows.NEW, "on disk, not in the session"),
    (rows.CHANGED, "another text in the session"),
    (rows.GONE, "only the session still holds it"),
    (rows.MOVED, "the same text at another place"),
    (rows.DANGEROUS, "dangerous, and the agent sees it: the worst"),
    (rows.BLOCKED, "dangerous; the agent sees a placeholder"),
    (rows.UNSEEN, "harmless, but the agent sees a placeholder"),
    (rows.UNREAD, "the file is not UTF-8; the agent reads nothing of it"),
    (rows.WARNED, "worth a look; the agent sees it"),
    (rows.TOO_LONG, "longer than the whole limit"),
    (rows.DUPLICATE, "the same text stands above"),
    (rows.OUTSIDE, "written by another program since the snapshot was frozen"),
)


KEY_CELLS: Final = 20
HANGING_CELLS: Final = KEY_CELLS + 2
"""Where the words begin, beside the keys."""


def help_page(place: Context = Context.REVIEW) -> tuple[Line, ...]:
    """Every key by place, the place where the keyboard is first, then every badge."""
    lines: list[Line] = []
    for context, heading in sorted(_HEADINGS.items(), key=lambda item: item[0] is not place):
        lines.append((Span(heading, Tone.STRONG),))
        for entry in commands_in(context):
            if entry.keys:
                lines.append((*_column(keys_shown(entry), Tone.KEY), Span(entry.help)))
        lines.append(())
    lines.append((Span("What the marks mean", Tone.STRONG),))
    for badge, meaning in _BADGES:
        lines.append((*_column(f"{badge.mark} {badge.word}", badge.tone), Span(meaning)))
    return tuple(lines)


def _column(text: str, tone: Tone) -> Line:
    return (Span(f"  {text}", tone), Span(" " * max(KEY_CELLS - cell_width(text), 1)))
