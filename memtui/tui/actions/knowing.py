"""Commands round what is known and fine: mark a finding or all of an entry, list what is marked, take it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memtui.core.errors import MemoryRefused
from memtui.core.threats.finding import suppression_key
from memtui.view import texts
from memtui.view import threat_texts as words

if TYPE_CHECKING:
    from memtui.tui.actions import Handler
    from memtui.tui.screens.audit import AuditScreen
    from memtui.tui.screens.known import KnownScreen
    from memtui.tui.screens.reason import Reason
    from memtui.view.audit_finding import AuditRow


async def know(screen: AuditScreen, key: str) -> None:
    """Ask why, then mark the finding, or all of its entry, as known and fine."""
    from memtui.tui.screens.reason import ReasonScreen

    row = screen.audit.picked
    if row is None or not row.can_be_known:
        screen.memtui.tell(_refusal(row))
        return
    of_entry = screen.audit.markable

    def answered(reason: Reason | None) -> None:
        if reason is not None:
            rows = of_entry if reason.marks_all else (row,)
            screen.memtui.start(_marked(screen, rows, reason.words))

    await screen.app.push_screen(ReasonScreen(words.known_body(row, of_entry), len(of_entry)), answered)


def _refusal(row: AuditRow | None) -> texts.Notice:
    if row is None:
        return texts.Notice(words.NO_FINDING)
    why = words.FINE_ALREADY if row.finding.suppressed else words.fine_by_agent(row)
    return texts.Notice(why, texts.Level.WARNING)


async def _marked(screen: AuditScreen, rows: Sequence[AuditRow], reason: str) -> None:
    app = screen.memtui
    try:
        await app.jobs.write(partial(screen.jobs.know, rows, reason))
    except MemoryRefused as refusal:
        app.tell(texts.Notice(str(refusal), texts.Level.ERROR))
        return
    app.tell(texts.Notice(words.marked_fine([row.finding.id for row in rows])))
    # What was marked sinks to the end of the list; the cursor stays and comes to stand on the next.
    kept = screen.audit.kept_by({row.mark for row in rows})
    screen.begin(is_every_home=screen.audit.is_every_home, wanted=kept.identity if kept else None)
    await app.lookout.scan_all()


async def open_known(screen: AuditScreen, key: str) -> None:
    """List what is known and fine; look again once it was left."""
    from memtui.tui.screens.known import KnownScreen

    rows = [row for row in screen.audit.rows if row.finding.suppressed]
    by_key = {suppression_key(row.one.text, row.finding.id): row.one.text for row in rows}
    await screen.app.push_screen(
        KnownScreen(by_key), lambda _: screen.begin(is_every_home=screen.audit.is_every_home)
    )


def revoke(screen: KnownScreen, key: str) -> None:
    """Take the selected one back."""
    screen.revoke()


HANDLERS: Mapping[str, Handler] = {"finding.know": know, "known.open": open_known, "known.revoke": revoke}
