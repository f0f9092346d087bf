"""The memory tool: the agent's face of a store, for any Python agent.

It never raises: whatever a model sends, the answer says what happened and what the model can do next. Poisoned
entries are named, never repeated to the model.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memtui.core.budget import used_chars
from memtui.core.change import Change, Operation
from memtui.core.errors import Disabled, MemoryRefused, Unreadable, WriteFailed
from memtui.core.model import FILE_NAMES, TARGETS, entry_name
from memtui.tool import schema
from memtui.tool.answers import Masks, answer_refusal, list_entries, refusal_head
from memtui.tool.arguments import Call, named_anew, read_arguments, read_call, read_target
from memtui.tool.live_settings import LiveSettings
from memtui.tool.policy import Policy, decide
from memtui.tool.schema import DESCRIPTION, NAME

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MAX_FAILED_TRIES = 4
"""The refusal in a row, within one turn, that tells the model to stop."""
STOP = "This was refused {count} times in a row: stop retrying in this turn, go on without it and tell the user."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one call: `content` for success, `error` for a refusal, `data` for programs."""

    ok: bool
    content: str = ""
    error: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """What goes into the conversation."""
        return self.content if self.ok else self.error


class MemoryTool:
    """A tool bound to one store; two tools on two folders never mix. May be called from several threads."""

    name = NAME
    description = DESCRIPTION

    def __init__(self, store: MemoryStore, policy: Policy | None = None) -> None:
        self._store = store
        self._policy = policy
        self._settings = LiveSettings(store.home, store.settings)
        self._failed_in_a_row = 0
        self._counting = threading.Lock()

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, a fresh copy."""
        return schema.parameters()

    def to_openai(self, *, strict: bool = False) -> dict[str, Any]:
        """The tool as OpenAI's chat and compatible interfaces take it; `strict` as their strict mode asks for it."""
        return schema.openai_tool(strict=strict)

    def to_anthropic(self) -> dict[str, Any]:
        """The tool as Anthropic's messages interface takes it."""
        return schema.anthropic_tool()

    def new_turn(self) -> None:
        """The model's turn began anew: failed tries are counted from zero."""
        with self._counting:
            self._failed_in_a_row = 0

    def execute(self, arguments: Mapping[str, Any] | str | None) -> ToolResult:
        """Do what the model asked for. Never raises."""
        try:
            return self._answer(arguments)
        except Exception as error:  # the border to the agent: a fault of ours must not end its run
            answer = (
                f"The memory tool failed ({type(error).__name__}); nothing is known to be written. Go on without it "
                "and tell the user."
            )
            return ToolResult(False, error=answer, data={"code": "internal", "tries": self._count_failure()})

    def _answer(self, arguments: object) -> ToolResult:
        target = TARGETS[0]
        try:
            given = read_arguments(arguments)
            target = read_target(given)
            self._refuse_when_disabled(target)
            call = read_call(given, target)
            if call.action == "read":
                return self._read(target)
            result = self._write(call)
        except MemoryRefused as refusal:
            return self._refused(target, refusal)
        self.new_turn()
        return result

    def _read(self, target: str) -> ToolResult:
        file = self._store.inspect(target, scan=False)
        if file.problem:
            raise Unreadable(f"{file.problem} Go on without it and tell the user.", {"path": file.path})
        texts = file.document.texts
        lines = list_entries(texts, self._masks(texts), most=len(texts)) or ["(no entries yet)"]
        head = f"{FILE_NAMES[target]}, {used_chars(texts)}/{self._store.limits[target]} chars used:"
        return ToolResult(True, "\n".join((head, *lines)), data={"target": target, "count": len(texts)})

    def _write(self, call: Call) -> ToolResult:
        target, store = call.target, self._store
        operations = named_anew(call.operations, self._live(target))
        decision = decide(self._policy, target, operations)
        if decision.verdict == "stage" or self._settings.now().write_approval:
            return self._stage(call, operations, decision.reason)
        if call.action == "batch":
            return self._written(store.batch(target, [_as_mapping(one) for one in operations], source="tool"))
        (one,) = operations
        if call.action == "add":
            return self._written(store.add(target, one.content, source="tool"))
        if call.action == "replace":
            return self._written(store.replace(target, one.old_text, one.content, source="tool"))
        return self._written(store.remove(target, one.old_text, source="tool"))

    def _stage(self, call: Call, operations: Sequence[Operation], reason: str) -> ToolResult:
        """Queue a write for a person, after the checks that it would have to pass now. Raises a MemoryRefused."""
        from memtui.actions.pending import queue_of
        from memtui.store.proposing import meant_entries, proposed

        store, target = self._store, call.target
        if store.read_only:
            raise WriteFailed("The memory was opened read-only; nothing was written and nothing was queued.")
        file = store.inspect(target, scan=False, shows=False)
        change = proposed(file, operations, store.suppressions)
        if not change.wrote:
            return self._written(change)
        meant = meant_entries(file, operations)
        pinned = [_as_mapping(one, entry) for one, entry in zip(operations, meant, strict=True)]
        staged = queue_of(store).stage(target, call.action, pinned, origin="memory_tool")
        why = f" ({reason})" if reason else ""
        return ToolResult(
            True,
            f"Staged for the user's approval as {staged.id}{why}; it is not in memory yet. Do not repeat it.",
            data={"staged": True, "pending_id": staged.id, "target": target, "action": call.action},
        )

    def _written(self, change: Change) -> ToolResult:
        replaced = (step.before for step in change.steps if step.before is not None)
        quotable = tuple(dict.fromkeys((*change.texts, *replaced)))
        notices = self._masks(change.texts).cleaned(change.notices, quotable) if change.notices else []
        data = {
            "target": change.target,
            "action": change.action,
            "wrote": change.wrote,
            "used_chars": change.used_chars,
            "limit_chars": change.limit_chars,
            "entries": [f"#{entry_name(text)}" for text in change.new_texts],
        }
        return ToolResult(True, " ".join((str(change), *notices)), data=data)

    def _refuse_when_disabled(self, target: str) -> None:
        settings = self._settings.now()
        enabled = settings.memory_enabled if target == "memory" else settings.user_profile_enabled
        if not enabled:
            raise Disabled(
                f"The {target} memory is switched off in this home's configuration; nothing was written. "
                "Go on without it."
            )

    def _refused(self, target: str, refusal: MemoryRefused) -> ToolResult:
        tries = self._count_failure()
        if tries >= MAX_FAILED_TRIES:
            # A list of what to try next would say the contrary.
            answer = f"{refusal_head(refusal).rstrip(':')}\n{STOP.format(count=tries)}"
        else:
            live = self._live(target)
            answer = answer_refusal(refusal, self._masks(live), live, self._elsewhere(target, refusal))
        return ToolResult(False, error=answer, data={"code": refusal.code, "tries": tries})

    def _elsewhere(self, target: str, refusal: MemoryRefused) -> str:
        """The other target, when one of its entries holds what was looked for."""
        wanted = refusal.data.get("old_text") if refusal.code == "no_match" else None
        if not isinstance(wanted, str):
            return ""
        others = (other for other in TARGETS if other != target)
        return next((other for other in others if any(wanted in text for text in self._live(other))), "")

    def _count_failure(self) -> int:
        with self._counting:
            self._failed_in_a_row += 1
            return self._failed_in_a_row

    def _live(self, target: str) -> tuple[str, ...]:
        return self._store.inspect(target, scan=False, shows=False).document.texts

    def _masks(self, texts: Sequence[str]) -> Masks:
        return Masks(texts, self._store.suppressions)


def make_memory_tool(store: MemoryStore, policy: Policy | None = None) -> MemoryTool:
    """A memory tool on `store`; `policy` may veto or stage a write before it happens."""
    return MemoryTool(store, policy)


def _as_mapping(operation: Operation, meant: str | None = None) -> dict[str, Any]:
    """The operation for a batch or a record; the record's `old_text` is one that other programs find too."""
    old_text = operation.quoted or None
    if meant is None:
        return {"action": operation.action, "content": operation.content or None, "old_text": old_text}
    named = old_text if old_text and old_text in meant else meant
    content = operation.content or None
    return {"action": operation.action, "content": content, "old_text": named, "matched_entry": meant}
