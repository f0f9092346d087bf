"""One thread that alone uses a store, and the way to end its wait for a lock.

The event loop awaits what runs there and never waits for disk, lock or scan.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from memtui.tui.pauses import without_pauses

Result = TypeVar("Result")


class StoreThread:
    """Runs jobs one after the other until it is closed; what is to be written is written even then."""

    def __init__(self, ended: Callable[[], None]) -> None:
        """`ended` is told, from the thread and before the next one begins, that a write waits for nothing more."""
        self._ended = ended
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memtui-store")
        self._is_closed = False
        self.given_up = threading.Event()
        """Set while nobody wants to wait for a held lock any more."""
        self.writes_left = 0
        """Writes whose end nobody was told yet, the one under way among them."""

    async def run(self, job: Callable[[], Result]) -> Result:
        """The result of a job that only looks, from the thread."""
        return await asyncio.wrap_future(self.submit(partial(without_pauses, job)))

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Queue a job that only looks; its result may be there before anybody awaits it."""
        return self._thread.submit(self._looked, job)

    async def write(self, job: Callable[[], Result]) -> Result:
        """The result of a job that changes files. It is done even when nobody awaits it any more."""
        done: Future[Result] = Future()
        # What runs cannot be cancelled: the end of a screen or of the app must not take a confirmed change back.
        done.set_running_or_notify_cancel()
        self.writes_left += 1
        try:
            self._thread.submit(self._write, job, done)
            return await asyncio.wrap_future(done)
        finally:
            self.writes_left -= 1

    def give_up_waiting(self) -> None:
        """End the wait for a held lock: the waiting job is refused and nothing is written."""
        self.given_up.set()

    def close(self) -> None:
        """Look no more; a wait for a lock ends."""
        self._is_closed = True
        self.give_up_waiting()
        self._thread.shutdown(wait=False)

    # ------------------------------------------------------------------------------------------ on the thread

    def _looked(self, job: Callable[[], Result]) -> Result:
        if self._is_closed:
            raise CancelledError
        return job()

    def _write(self, job: Callable[[], Result], done: Future[Result]) -> None:
        # Each write has a wait of its own to be given up; once closed, none waits.
        self.given_up.clear()
        if self._is_closed:
            self.given_up.set()
        try:
            result = without_pauses(job)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            self._ended()
            done.set_exception(error)
        else:
            self._ended()
            done.set_result(result)
