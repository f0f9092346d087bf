"""One thread that alone uses a store, and the way to end its wait for a lock.

The event loop awaits what runs there and never waits for disk, lock or scan.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from memtui.tui.pauses import without_pauses

Result = TypeVar("Result")


class StoreThread:
    """Runs jobs one after the other until it is closed."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memtui-store")
        self._is_closed = False
        self.given_up = threading.Event()
        """Set while nobody wants to wait for a held lock any more."""

    async def run(self, job: Callable[[], Result]) -> Result:
        """The result of a job, from the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, without_pauses, job)

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Queue a job; its result may be there before anybody awaits it."""
        return self._thread.submit(job)

    def give_up_waiting(self) -> None:
        """End the wait for a held lock: the waiting job is refused and nothing is written."""
        self.given_up.set()

    def wait_again(self) -> None:
        """Let the next job wait for a lock; once closed, none does."""
        if not self._is_closed:
            self.given_up.clear()

    def close(self) -> None:
        """Start nothing more; a wait for a lock ends."""
        self._is_closed = True
        self.give_up_waiting()
        self._thread.shutdown(wait=False, cancel_futures=True)
