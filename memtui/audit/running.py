"""Runs an audit over many places: in this process, or over several, in the order of the paths either way.

Holds only the places under way, never all results, so that a fleet costs no more memory than a home.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.audit.judging import audit_place
from memtui.audit.places import Place, find_places
from memtui.audit.values import AuditOptions, AuditProblem, HomeAudit
from memtui.core.errors import Unreadable
from memtui.core.visible import visible_text
from memtui.disk.faults import shown
from memtui.disk.folders import suppressions_path
from memtui.disk.homes import Home
from memtui.disk.own_rules import use_own_rules
from memtui.disk.suppressions import Suppressions

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

FEW_PLACES: Final = 100
"""So many are done before more processes would have started (0.4 s each)."""
BATCH_PLACES: Final = 16
BATCHES_AHEAD: Final = 4
"""Batches under way per process: enough that none waits, few enough that results do not pile up."""

Item = Place | AuditProblem


def audit(
    paths: Sequence[str | Path | Home],
    options: AuditOptions = AuditOptions(),  # noqa: B008 - frozen
    *,
    jobs: int | None = None,
) -> Iterator[HomeAudit]:
    """What each home, folder or file came to, one by one in stable order; without paths, the known homes.

    `jobs`: processes; None takes one per core when there are many homes. A script that asks for more than one
    needs the guard `if __name__ == "__main__"`, since the processes import it. Raises Unreadable when such a
    process dies; nothing else.
    """
    named = [path if isinstance(path, Home) else os.fspath(path) for path in paths]
    items = iter(find_places(named, options))
    first = list(islice(items, FEW_PLACES)) if jobs is None else []
    is_few = jobs is None and len(first) < FEW_PLACES
    wanted = 1 if is_few else jobs or os.cpu_count() or 1
    everything = chain(first, items)
    if wanted == 1:
        return (_audit_item(item, options, suppressions_path()) for item in everything)
    return _in_processes(everything, options, wanted)


def _in_processes(items: Iterator[Item], options: AuditOptions, jobs: int) -> Iterator[HomeAudit]:
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A fork would copy whatever locks the threads of this process hold.
    context = multiprocessing.get_context("spawn")
    under_way: deque[Future[list[HomeAudit]]] = deque()
    leaving = context.Event()
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(leaving,))
    try:
        for batch in _batches(items):
            with _interrupts_held_back():
                under_way.append(pool.submit(_audit_batch, batch, options, suppressions_path()))
            if len(under_way) >= jobs * BATCHES_AHEAD:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    except BrokenProcessPool as error:
        raise Unreadable(
            "A process of the audit was ended from outside, so the audit is not complete; nothing was "
            "changed. Run it again with one job to see which home it is."
        ) from error
    finally:
        # A second Ctrl+C in here would leave processes behind that nobody ends.
        with _interrupts_held_back():
            leaving.set()
            pool.shutdown(cancel_futures=True)


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH_PLACES)):
        yield batch


def _audit_batch(batch: Sequence[Item], options: AuditOptions, suppressions: Path) -> list[HomeAudit]:
    return [_audit_item(item, options, suppressions) for item in batch if not _is_left()]


def _audit_item(item: Item, options: AuditOptions, suppressions: Path) -> HomeAudit:
    if isinstance(item, AuditProblem):
        return HomeAudit(item.path, problems=(item,), is_home=False)
    try:
        use_own_rules()
        return audit_place(item, options, _suppressions(suppressions))
    except Exception as error:  # one home that nobody foresaw must not stop a fleet; it is told
        root, what = str(item.home.root), f"{type(error).__name__}: {error}"
        message = f"{shown(root)} could not be audited: {visible_text(what)}"
        return HomeAudit(root, problems=(AuditProblem(root, message),))


@cache
def _suppressions(path: Path) -> Suppressions:
    return Suppressions.load(path)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl+C waits until the end of this, and for ever in the processes that start in it.

    It reaches the whole group, and a process that is still importing would print where it was.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _never() -> bool:
    return False


_is_left: Callable[[], bool] = _never
"""In a process of an audit: whether nobody waits for its answers any more."""


def _begin(leaving: Event) -> None:
    """Make this process one of an audit; interrupts are the parent's, also where none is held back at the start."""
    global _is_left
    _is_left = leaving.is_set
    signal.signal(signal.SIGINT, signal.SIG_IGN)
