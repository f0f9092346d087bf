"""The memory tool: the agent's face of a store, for any Python agent.

It never raises: whatever a model sends, the answer says what happened and what the model can do next. Poisoned
entries are named, never repeated to the model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from memtui.arguments import ACTIONS, read_operations
from memtui.core.budget import used_chars
from memtui.core.errors import Disabled, InvalidArgument, MemoryRefused
from memtui.core.model import FILE_NAMES, TARGETS, Change, entry_name
from memtui.guard import check_new_texts
from memtui.tool_answers import answer_refusal, list_entries
from memtui.tool_schema import DESCRIPTION, PARAMETERS

if TYPE_CHECKING:
    from memtui.store import MemoryStore

MAX_FAILED_TRIES = 4
"""The refusal in a row, within one turn, that tells the model to stop (DESIGN §4.7)."""
STOP = "This was refused {count} times in a row: stop retrying in this turn, go on without it and tell the user."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one call: `content` for success, `error` for a refusal, `data` for programs."""

    ok: bool
    content: str = ""
    error: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One write that the model asked for, as a policy sees it."""

    target: str
    action: str
    text: str
    """The new text; for a removal the text that names the entry."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy makes of a write: let it through, refuse it, or leave it for a person to approve."""

    verdict: Literal["allow", "veto", "stage"] = "allow"
    reason: str = ""


Policy = Callable[[WriteRequest], Decision | None]
"""Asked once for every entry a call would change, before anything is written; None means allow."""


class MemoryTool:
    """A tool bound to one store; two tools on two folders never mix."""

    name = "memory"
    description = DESCRIPTION

    def __init__(self, store: MemoryStore, policy: Policy | None = None) -> None:
        self._store = store
        self._policy = policy
        self._failed_in_a_row = 0

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, a fresh copy."""
        schema: dict[str, Any] = json.loads(json.dumps(PARAMETERS))
        return schema

    def to_openai(self) -> dict[str, Any]:
        """The tool as OpenAI's chat and compatible interfaces take it."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }

    def to_anthropic(self) -> dict[str, Any]:
        """The tool as Anthropic's messages interface takes it."""
        return {"name": self.name, "description": self.description, "input_schema": self.parameters}

    def new_turn(self) -> None:
        """The model's turn began anew: failed tries are counted from zero."""
        self._failed_in_a_row = 0

    def execute(self, arguments: Mapping[str, Any] | str | None) -> ToolResult:
        """Do what the model asked for. Never raises."""
        try:
            return self._answer(arguments)
        except Exception as error:  # the border to the agent: a fault of ours must not end its run
            return ToolResult(
                False,
                error=f"The memory tool failed ({type(error).__name__}); nothing is known to be written. "
                "Go on without it and tell the user.",
                data={"code": "internal"},
            )

    def _answer(self, arguments: object) -> ToolResult:
        target = "memory"
        try:
            call = _read_call(arguments)
            target = _target(call)
            result = self._dispatch(target, call)
        except MemoryRefused as refusal:
            return self._refused(target, refusal)
        self._failed_in_a_row = 0
        return result

    def _dispatch(self, target: str, call: Mapping[str, Any]) -> ToolResult:
        self._refuse_when_disabled(target)
        action = call.get("action")
        if action == "read":
            return self._read(target)
        if call.get("operations") is not None or action == "batch":
            return self._write(target, "batch", _operations(call), call)
        if action not in ACTIONS:
            known = ", ".join((*ACTIONS, "batch", "read"))
            raise InvalidArgument(f"Unknown action {str(action)[:40]!r}; known actions are {known}. Nothing was written.")
        if action != "add" and call.get("old_text") in (None, ""):
            raise InvalidArgument(
                f"{action} needs old_text: a part of the entry that no other entry holds, or its #name. "
                "Nothing was written.",
                {"entries": self._store.entries(target)},
            )
        return self._write(target, str(action), [_operation(call)], call)

    def _read(self, target: str) -> ToolResult:
        texts = self._store.entries(target)
        listing = list_entries(texts, self._store.suppressions) or "(no entries yet)"
        head = f"{FILE_NAMES[target]}, {used_chars(texts)}/{self._store.limits[target]} chars used:"
        return ToolResult(True, f"{head}\n{listing}", data={"target": target, "count": len(texts)})

    def _write(
        self, target: str, action: str, operations: Sequence[Mapping[str, Any]], call: Mapping[str, Any]
    ) -> ToolResult:
        checked = read_operations(operations)
        decision = self._decide(target, operations)
        if decision.verdict == "veto":
            raise Disabled(f"The write was not allowed: {decision.reason or 'the host’s policy forbids it'}")
        if decision.verdict == "stage" or self._store.settings.write_approval:
            check_new_texts([o.content for o in checked if o.action != "remove"], self._store.suppressions)
            return self._stage(target, action, operations, decision.reason)
        if action == "batch":
            return _written(self._store.batch(target, operations, source="tool"))
        (one,) = checked
        if action == "add":
            return _written(self._store.add(target, one.content, source="tool"))
        if action == "replace":
            return _written(self._store.replace(target, one.old_text, one.content, source="tool"))
        return _written(self._store.remove(target, one.old_text, source="tool"))

    def _stage(self, target: str, action: str, operations: Sequence[Mapping[str, Any]], reason: str) -> ToolResult:
        from memtui.disk.pending import PendingQueue

        home = self._store.home.root if self._store.home else self._store.memories.parent
        staged = PendingQueue(home).stage(target, action, operations, origin="memory_tool")
        why = f" ({reason})" if reason else ""
        return ToolResult(
            True,
            f"Staged for the user's approval as {staged.id}{why}; it is not in memory yet. Do not repeat it.",
            data={"staged": True, "pending_id": staged.id, "target": target, "action": action},
        )

    def _decide(self, target: str, operations: Sequence[Mapping[str, Any]]) -> Decision:
        decision = Decision()
        for operation in operations if self._policy else ():
            assert self._policy is not None
            text = _new_text(operation) or operation.get("old_text") or ""
            made = self._policy(WriteRequest(target, str(operation.get("action")), str(text))) or Decision()
            if made.verdict == "veto":
                return made
            decision = made if made.verdict == "stage" else decision
        return decision

    def _refuse_when_disabled(self, target: str) -> None:
        settings = self._store.settings
        enabled = settings.memory_enabled if target == "memory" else settings.user_profile_enabled
        if not enabled:
            raise Disabled(
                f"The {target} memory is switched off in this home's configuration; nothing was written. "
                "Go on without it."
            )

    def _refused(self, target: str, refusal: MemoryRefused) -> ToolResult:
        self._failed_in_a_row += 1
        answer = answer_refusal(refusal, self._store, target)
        if self._failed_in_a_row >= MAX_FAILED_TRIES:
            answer = f"{answer}\n{STOP.format(count=self._failed_in_a_row)}"
        return ToolResult(False, error=answer, data={"code": refusal.code, "tries": self._failed_in_a_row})


def make_memory_tool(store: MemoryStore, policy: Policy | None = None) -> MemoryTool:
    """A memory tool on `store`; `policy` may veto or stage a write before it happens."""
    return MemoryTool(store, policy)


def _read_call(arguments: object) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise InvalidArgument(f"The arguments are not valid JSON ({error}); nothing was written.") from None
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(
            'The arguments must be an object such as {"action": "add", "target": "memory", "content": "…"}; '
            "nothing was written."
        )
    return arguments


def _target(call: Mapping[str, Any]) -> str:
    target = call.get("target")
    if target is None:
        return "memory"
    if not isinstance(target, str) or target not in TARGETS:
        raise InvalidArgument(f"Unknown target {str(target)[:40]!r}; known are {', '.join(TARGETS)}. Nothing was written.")
    return target


def _operations(call: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    operations = call.get("operations")
    if isinstance(operations, str):
        try:
            operations = json.loads(operations)
        except ValueError:
            raise InvalidArgument("operations must be a list of objects; nothing was written.") from None
    read_operations(operations)
    assert isinstance(operations, Sequence)
    return operations


def _operation(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": call.get("action"), "content": _new_text(call), "old_text": call.get("old_text")}


def _new_text(call: Mapping[str, Any]) -> Any:
    for key in ("content", "new_content", "new_text"):
        if call.get(key) is not None:
            return call[key]
    return None


def _written(change: Change) -> ToolResult:
    content = " ".join((str(change), *change.notices))
    data = {
        "target": change.target,
        "action": change.action,
        "wrote": change.wrote,
        "used_chars": change.used_chars,
        "limit_chars": change.limit_chars,
        "entries": [f"#{entry_name(text)}" for text in change.new_texts],
    }
    return ToolResult(True, content, data=data)
