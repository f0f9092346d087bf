"""The question whether to leave while a confirmed change waits for a lock; it goes when the wait is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memtui.tui.screens.choice import ChoiceScreen

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


class WaitingScreen(ChoiceScreen):
    """Dismissed with the safe answer once nothing waits: what became of the change is told below."""

    def state_changed(self) -> None:
        """Follow the wait."""
        if not cast("MemtuiApp", self.app).state.waiting:
            # Not at once: this is called from whatever took the event over, on no screen's behalf.
            self.call_later(self.action_back)
