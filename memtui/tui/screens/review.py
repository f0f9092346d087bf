"""The review screen: what is on disk beside what the session holds, and everything around it.

It draws the state and turns keys and clicks into commands; what commands do stands in `tui/actions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantFocus, Resize

from memtui.tui.messages import FilterChanged, RowPicked
from memtui.tui.screens.commanding import CommandScreen, bindings_of
from memtui.tui.widgets.chrome import FooterBar, GaugeBar, HeaderBar
from memtui.tui.widgets.painted import TONE_CLASSES, PaintedLines
from memtui.tui.widgets.panes import WIDE_CELLS, Panes
from memtui.tui.widgets.text_box import TextBox
from memtui.view import texts
from memtui.view.banner import banner
from memtui.view.detail import detail_of
from memtui.view.events import EntryPicked, FilterTyped
from memtui.view.keys import Context
from memtui.view.lines import Span, Tone, at_most, one_paragraph, wrap
from memtui.view.state import ViewState

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtui.tui.widgets.filter_bar import FilterBar
    from memtui.view.audit import AuditState


MAX_SENTENCE_LINES: Final = 4
"""What a refusal needs on 80 columns: what happened, where the bytes are, what to do."""


class ReviewScreen(CommandScreen, inherit_bindings=False):
    """The one screen that everything else is opened from."""

    PLACE = Context.REVIEW
    # With priority a key is dealt with before the next one is looked at: "a" and a text typed at once after it
    # would otherwise still go to the list. `check_action` keeps them off while a text is typed.
    BINDINGS = bindings_of(Context.REVIEW, priority=True)
    COMPONENT_CLASSES = {*TONE_CLASSES}
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (30, "-narrow"), (WIDE_CELLS, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-short"), (20, "-tall")]
    AUTO_FOCUS = "#live"

    def __init__(self) -> None:
        super().__init__()
        self._stands = False
        """True once the widgets are there. Textual's own `is_mounted` comes a moment later, and what is shown in
        between would never be drawn."""
        self.filter_bar: FilterBar | None = None
        """Mounted when the first filter is typed."""
        self.left_audit: AuditState | None = None
        """The audit as it was left for an entry; the next one goes on there."""
        self.after_editing: Callable[[], object] | None = None
        """What the end of editing goes back to; None for the list here."""

    @property
    def context(self) -> Context:
        """Where the keyboard is."""
        if self.editor is not None:
            return Context.EDITOR
        is_filtering = self.filter_bar is not None and self.filter_bar.has_focus
        return Context.FILTER if is_filtering else Context.REVIEW

    def compose(self) -> ComposeResult:
        """Everything from the header to the footer."""
        yield PaintedLines(id="too-small")
        yield HeaderBar(id="header")
        yield GaugeBar(id="gauges")
        yield PaintedLines(id="banner")
        yield Panes(self.state)
        with Vertical(id="lower"):
            yield TextBox(id="detail")
        yield PaintedLines(id="status")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        """Draw the first state."""
        self.query_one("#too-small", PaintedLines).set_lines((Span(line, Tone.WARN),) for line in texts.TOO_SMALL)
        self._stands = True
        _draw(self, self.state)

    def show(self, state: ViewState) -> None:
        """Draw a state; widgets find out themselves what changed."""
        if self._stands:
            _draw(self, state)

    def focus_list(self) -> None:
        """Put the keyboard into the pane that was called."""
        self.set_focus(self.query_one(Panes).pane(self.state.side), scroll_visible=False)

    def focus_place(self) -> None:
        """Put the keyboard where it belongs: into the editor, else into the pane that was called."""
        if self.context is Context.REVIEW:
            self.focus_list()
        elif self.editor is not None and self.editor.is_mounted:
            self.set_focus(self.editor.field)

    async def on_row_picked(self, message: RowPicked) -> None:
        """Select the clicked row; a double click edits it."""
        self.memtui.apply(EntryPicked(message.position))
        if message.is_double and self.context is Context.REVIEW:
            await self.action_command("entry.edit")

    def on_filter_changed(self, message: FilterChanged) -> None:
        """Filter by the words."""
        self.memtui.apply(FilterTyped(message.query))
        self.memtui.lookout.match_filter()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Another place has other keys."""
        self.show_footer()

    def on_resize(self, event: Resize) -> None:
        """Another width has another layout; what was hidden for a moment lost the keyboard."""
        self.show(self.state)
        self.call_after_refresh(self.focus_place)


def _draw(screen: ReviewScreen, state: ViewState) -> None:
    screen.query_one(HeaderBar).show(state)
    screen.query_one(GaugeBar).show(state)
    _show_line(screen.query_one("#banner", PaintedLines), *banner(state))
    status = texts.status(state)
    _show_line(screen.query_one("#status", PaintedLines), status, Tone.WARN if state.waiting else Tone.BAD)
    screen.query_one(Panes).show(state)
    _draw_lower(screen, state)
    screen.focus_place()
    screen.show_footer()


def _draw_lower(screen: ReviewScreen, state: ViewState) -> None:
    detail = detail_of(state)
    box = screen.query_one("#detail", TextBox)
    box.border_title = Content(detail.title)
    box.show(detail.paragraphs)
    if editor := screen.editor:
        loads = [group.load for group in state.groups if group.key == editor.draft.group and group.load]
        for load in loads:
            editor.show_file(load.file)


def _show_line(line: PaintedLines, text: str, tone: Tone) -> None:
    """Show a sentence in as many lines as it needs, up to a number; none when there is none."""
    width = max(line.screen.size.width - 2, 1)
    lines = at_most(wrap((Span(one_paragraph(text), tone),), width), MAX_SENTENCE_LINES, width) if text else []
    line.set_lines((Span(" "), *wrapped) for wrapped in lines)
    line.styles.height = len(lines)
    line.display = bool(text)
