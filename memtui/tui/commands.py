"""The palette: every command that works here, from the one table of commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from memtui.view.chrome import missing_need
from memtui.view.keys import Context, commands_in, keys_shown

if TYPE_CHECKING:
    from memtui.tui.screens.review import ReviewScreen

SENTENCE_SCORE: Final = 0.1
"""Below every title that matches."""


class MemtuiCommands(Provider):
    """Lists and runs commands on the review screen."""

    async def discover(self) -> Hits:
        """Everything, before a letter is typed."""
        for title, about, run in self._entries():
            yield DiscoveryHit(Content(title), run, text=title, help=about)

    async def search(self, query: str) -> Hits:
        """Titles that the letters match, and sentences that hold the words: strewn letters stand in any sentence."""
        matcher, words = self.matcher(query), query.casefold().split()
        for title, about, run in self._entries():
            score = matcher.match(title) or SENTENCE_SCORE * all(word in about.casefold() for word in words)
            if score > 0:
                yield Hit(score, matcher.highlight(title), run, text=title, help=about)

    def _entries(self) -> Iterator[tuple[str, str, Callable[[], Awaitable[None]]]]:
        screen = cast("ReviewScreen", self.screen)
        for entry in (*commands_in(screen.context), *commands_in(Context.ANYWHERE)):
            if not entry.in_palette or missing_need(entry, screen.state):
                continue
            if entry.takes_group:
                for number, group in enumerate(screen.state.groups, start=1):
                    title = f"{entry.label} {group.label}  {number}"
                    yield title, entry.help, partial(screen.action_command, entry.id, str(number))
            else:
                title = f"{entry.label}  {keys_shown(entry)}".rstrip()
                yield title, entry.help, partial(screen.action_command, entry.id)
