"""MemoryStore: the one writer of an agent's memory files, with every check of a guarded operation in order.

It writes only what it re-read under the agent's own lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memtui.core.change import Change, Meant, Operation
from memtui.core.edit import check_budget, clean_target, layout_notices, propose
from memtui.core.errors import MemoryRefused, Unreadable
from memtui.core.model import MemoryFile
from memtui.core.threats.finding import Severity
from memtui.disk.creation import make_folder
from memtui.disk.files import is_missing
from memtui.store.arguments import clean_operation, read_operations
from memtui.store.guard import Checks, check_joints, check_new_texts, check_shown
from memtui.store.let_through import settle, with_allowed
from memtui.store.memory_view import MemoryView
from memtui.store.obstacles import refuse_drift, refuse_read_only
from memtui.store.writing import write_change

Build = Callable[[MemoryFile], Change]
"""Builds a change from the file as it stands under the lock."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A change that passed every check, beside the file that it was built from."""

    file: MemoryFile
    mode: int
    change: Change


class MemoryStore(MemoryView):
    """The memory of one home: two files, read and written safely while other programs write them too."""

    def add(self, target: str, content: str, *, allow: Collection[str] = (), source: str = "memtui") -> Change:
        """Append an entry. Raises a MemoryRefused.

        Checked are, in this order: the argument, threats, the lock, drift, what the caller was shown, the budget.
        """
        return self._operate(target, "add", [clean_operation("add", content, None)], allow, source)

    def replace(
        self, target: str, old_text: Meant, new_content: str, *, allow: Collection[str] = (), source: str = "memtui"
    ) -> Change:
        """Replace the whole entry that equals, or alone contains, `old_text`, or is `Exactly` it.

        Raises a MemoryRefused.
        """
        operation = clean_operation("replace", new_content, old_text)
        return self._operate(target, "replace", [operation], allow, source)

    def remove(self, target: str, old_text: Meant, *, source: str = "memtui") -> Change:
        """Remove the entry that equals, or alone contains, `old_text`, or is `Exactly` it. Raises a MemoryRefused."""
        return self._operate(target, "remove", [clean_operation("remove", None, old_text)], (), source)

    def batch(
        self,
        target: str,
        operations: Sequence[Mapping[str, Any]],
        *,
        allow: Collection[str] = (),
        source: str = "memtui",
    ) -> Change:
        """Several operations, all or nothing, in one write. Raises a MemoryRefused.

        Each is a mapping with `action` and, as the action needs them, `content` (or `new_content`) and `old_text`.
        """
        return self._operate(target, "batch", read_operations(operations), allow, source)

    def undo(self, target: str) -> Change:
        """Take back the last change made through memtui, entry by entry. Raises a MemoryRefused."""
        from memtui.actions.undo import undo

        return undo(self, target)

    def redo(self, target: str) -> Change:
        """Do again what was last taken back. Raises a MemoryRefused."""
        from memtui.actions.undo import redo

        return redo(self, target)

    def apply(
        self,
        target: str,
        build: Build,
        checks: Checks = Checks(),  # noqa: B008 - frozen
        *,
        source: str = "memtui",
        cancelled: threading.Event | None = None,
        waiting: Callable[[str], None] | None = None,
    ) -> Change:
        """Write what `build` makes of the file as it stands under the lock.

        Everything that memtui writes goes through here: lock, re-read, build, checks, history, write. `cancelled`
        ends the wait for a held lock, `waiting` is told who holds it. Raises a MemoryRefused.
        """
        from memtui.disk.lock import hold_locks

        target = clean_target(target)
        path = self.path_of(target)
        refuse_read_only(path, self.read_only)
        if is_missing(self.memories):
            with self._guard:
                proposal = self._proposed(target, build, checks)
                if not proposal.change.wrote:  # as a refusal, it makes no folder
                    return self._written(proposal, source)
        make_folder(self.memories)
        # The wait for the agent's lock keeps no thread from reading.
        with hold_locks(path, self.wait_s, cancelled or self.cancelled, waiting or self.waiting), self._guard:
            change = self._written(self._proposed(target, build, checks), source)
        return settle(self.suppressions, change)

    # ----------------------------------------------------------------------------------------------- inside

    def _operate(
        self, target: str, action: str, operations: Sequence[Operation], allow: Collection[str], source: str
    ) -> Change:
        target = clean_target(target)
        new_texts = [o.content for o in operations if o.action != "remove"]
        findings = check_new_texts(new_texts, self.suppressions, allow)

        def build(file: MemoryFile) -> Change:
            refuse_drift(file, self._reader.refresh(target).state.mode, operations)
            check_shown(file.document.texts, self._seen.shown(target), operations)
            change = propose(file.document, target, operations, file.budget.limit_chars, merged=file.merged)
            return replace(change, action=action, findings=findings)

        try:
            return self.apply(target, build, Checks(drift=False, allow=frozenset(allow)), source=source)
        except MemoryRefused as refusal:
            self._seen.list_refused(target, refusal)
            raise

    def _proposed(self, target: str, build: Build, checks: Checks) -> _Proposal:
        """What `build` makes of the file as it stands now, through every check. Raises a MemoryRefused."""
        loaded = self._reader.refresh(target, always=True)
        file = self._reader.examine(target, loaded, self._seen.known(target))
        if file.problem:
            raise Unreadable(f"{file.problem} Nothing was written.", {"path": file.path})
        return _Proposal(file, loaded.state.mode, self._check(file, build(file), checks))

    def _written(self, proposal: _Proposal, source: str) -> Change:
        """Write what was proposed, and log it. Raises WriteFailed."""
        file, change = proposal.file, proposal.change
        if change.wrote or change.undoes or change.redoes:
            change = write_change(file, proposal.mode, change, self.recorder, source)
        self._seen.follow(file.target, change)
        return change

    def _check(self, file: MemoryFile, change: Change, checks: Checks) -> Change:
        before, notices = file.document.texts, list(change.notices)
        # Rendered anew, bytes that are no text would stand there as U+FFFD, whatever the checks let pass.
        is_lossy = change.wrote and change.raw_bytes is None and file.document.bad_byte is not None
        if checks.drift or is_lossy:
            refuse_drift(file, self._reader.refresh(file.target).state.mode)
        if checks.scan:
            check_joints(before, change.texts, self.suppressions, checks.allow)
            warned = (f for f in change.findings if f.severity is Severity.WARN and not f.suppressed)
            notices += [f"Warning, rule {f.id}: {f.why}" for f in warned]
        if checks.budget:
            check_budget(change, before)
        if change.wrote and change.raw_bytes is None:
            notices += layout_notices(file.document)
        change = replace(change, notices=tuple(dict.fromkeys(notices)))
        return with_allowed(change, self.suppressions, checks.allow)
