"""The editor in place: a text field, the cost of what is typed, and what is to be said of it.

Only texts that a text field can hold unchanged are opened here.
Imported when an editor is first opened: the text field alone costs 11 ms.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.timer import Timer
from textual.widgets import TextArea

from memtui.core.model import MemoryFile
from memtui.tui.widgets.painted import PaintedLines
from memtui.view.draft import Assessment, Draft, assess, count_line, notice_lines
from memtui.view.keys import Context, commands_in
from memtui.view.outside import Outside
from memtui.view.texts import changed_underneath

if TYPE_CHECKING:
    from memtui.store.guard import Suppressing

JOINERS = ("\u200c", "\u200d")
DEBOUNCE_S = 0.15
"""Typing pauses this long before the text is compared and scanned."""


class DraftField(TextArea):
    """A text field that holds what it shows."""

    BINDINGS = [
        Binding(key, f"screen.command('{entry.id}')", entry.label, show=False)
        for entry in commands_in(Context.EDITOR)
        for key in entry.keys
    ]

    async def _on_key(self, event: Key) -> None:
        # Textual types only what `str.isprintable` calls so; that drops the joiners of Persian and of joined emoji.
        if event.character in JOINERS and not self.read_only:
            event.stop()
            event.prevent_default()
            self.insert(event.character or "")
            return
        await super()._on_key(event)


class EditorPanel(Vertical):
    """A draft being written, from opening to saving or leaving."""

    def __init__(
        self, draft: Draft, file: MemoryFile, suppressions: Suppressing, outside: Outside | None = None
    ) -> None:
        """`outside` knows what other programs made of the entry that is edited."""
        super().__init__(id="editor")
        self._outside = outside or Outside()
        self._opened = draft
        self._file = file
        self._suppressions = suppressions
        self._stands = False
        self._theirs: str | None = None
        """What another program made of the entry; None while it stands, and when it is gone."""
        self._underneath = ""
        self._assessment = Assessment()
        self._timer: Timer | None = None
        what = "New entry" if draft.before is None else "Edit entry"
        self.border_title = Content(f"{what} · {file_name(file)}")

    def compose(self) -> ComposeResult:
        """The field and two strips of lines."""
        field = DraftField(self._opened.text, id="draft", soft_wrap=True, show_line_numbers=False, compact=True)
        field.cursor_blink = False
        yield field
        yield PaintedLines(id="count")
        yield PaintedLines(id="notices")

    def on_mount(self) -> None:
        """Put the cursor at the end of the text; messages so far would lie over what is typed."""
        self.app.clear_notifications()
        self._stands = True
        field = self.field
        field.move_cursor(field.document.end)
        self._show()
        self._assess_soon()

    @property
    def field(self) -> DraftField:
        """The text field."""
        return self.query_one(DraftField)

    @property
    def draft(self) -> Draft:
        """What is written so far, to the last letter."""
        return replace(self._opened, text=self.field.text)

    def show_file(self, file: MemoryFile) -> None:
        """Take over a newer look at the file the draft is for."""
        self._file = file
        before, texts = self._opened.before, file.document.texts
        self._theirs, self._underneath = None, ""
        if before is not None and before not in texts:
            self._theirs = self._outside.became(self._opened.group, before, texts)
            self._underneath = changed_underneath(is_gone=self._theirs is None)
        self._show()

    def take(self, draft: Draft) -> None:
        """Go on with another draft: both texts after a conflict, or another entry underneath."""
        self._opened = draft
        if self.field.text != draft.text:
            self.field.load_text(draft.text)
            self.field.move_cursor(self.field.document.end)
        self.show_file(self._file)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Count at once, compare and scan after a pause."""
        event.stop()
        self._show()
        self._assess_soon()

    def _assess_soon(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(
            DEBOUNCE_S, lambda: self.run_worker(self._assess(), group="assess", exclusive=True, exit_on_error=False)
        )

    async def _assess(self) -> None:
        draft = self.draft
        assessment = await asyncio.to_thread(assess, draft, self._file.document.texts, self._suppressions)
        if self.is_mounted and draft == self.draft:
            self._assessment = assessment
            self._show()

    def _show(self) -> None:
        if not self._stands:
            return
        self.query_one("#count", PaintedLines).set_lines((count_line(self.draft, self._file, self._theirs),))
        lines = notice_lines(self._assessment, underneath=self._underneath)
        notices = self.query_one("#notices", PaintedLines)
        notices.set_lines(lines)
        notices.styles.height = len(lines)


def file_name(file: MemoryFile) -> str:
    """The file's name, from the store itself and therefore safe."""
    return file.path.replace("\\", "/").rsplit("/", 1)[-1]
