"""Opens another home in the running app: everything of the old one ends first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.tui.jobs import StoreJobs
from memtui.tui.lookout import Lookout
from memtui.view.state import ViewState

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.store import MemoryStore
    from memtui.tui.app import MemtuiApp


def open_store_on(app: MemtuiApp, home: Home) -> MemoryStore:
    """The loaded store on a home, opened as the app was asked to open homes."""
    if app.open_home is not None:
        return app.open_home(home)
    from memtui.opening import open_home

    return open_home(home)


def reopen(app: MemtuiApp, home: Home, then: Callable[[], object] = lambda: None) -> None:
    """Show another home, and run `then` once its entries stand there.

    What still ran for the old one is cancelled: its answers would be taken for the new one's.
    """
    app.workers.cancel_all()
    app.jobs.close()
    app.jobs = StoreJobs(lambda: open_store_on(app, home), app.post_event)
    app.lookout = Lookout(app)
    app.chooses = False
    app.state = ViewState()
    app.review.show(app.state)
    app.start(app.lookout.open(then))
