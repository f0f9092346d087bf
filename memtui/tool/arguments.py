"""From what a model sends to checked operations: takes the slips that models make, answers every other.

It reads no memory; `InvalidArgument.data["lists_entries"]` asks for a list of the entries in the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memtui.core.change import Operation
from memtui.core.errors import InvalidArgument
from memtui.core.model import TARGETS, entry_name
from memtui.store.arguments import ACTIONS, read_operations

KNOWN_ACTIONS: Final = (*ACTIONS, "batch", "read")
LISTS_ENTRIES: Final = {"lists_entries": True}
"""Data of a refusal whose answer has to show what entries there are."""

_EXAMPLE = '{"action": "add", "target": "memory", "content": "…"}'
_SHOWN_CHARS = 40
_LISTED_NAME = re.compile(r"(#[0-9a-fA-F]{8})(?=\s).*", re.DOTALL)
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})
"""What strict clients put into a field that is not meant."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the tool, checked."""

    target: str
    action: str
    """One of `KNOWN_ACTIONS`."""
    operations: tuple[Operation, ...] = ()


def read_arguments(arguments: object) -> Mapping[str, Any]:
    """The arguments as an object; text is taken as JSON. Raises InvalidArgument."""
    for _ in range(2):  # some clients encode twice
        if isinstance(arguments, (str, bytes)):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError) as error:
                said = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
                raise InvalidArgument(
                    f"The arguments are not valid JSON ({said}); nothing was written. "
                    f"Send an object such as {_EXAMPLE}."
                ) from None
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(f"The arguments must be an object such as {_EXAMPLE}; nothing was written.")
    return arguments


def read_target(given: Mapping[str, Any]) -> str:
    """The target, `memory` when there is none. Raises InvalidArgument."""
    target = given.get("target")
    if target in (None, ""):
        return "memory"
    if not isinstance(target, str) or target not in TARGETS:
        raise InvalidArgument(f"Unknown target {_quoted(target)}; known are {', '.join(TARGETS)}. Nothing was written.")
    return target


def read_call(given: Mapping[str, Any], target: str) -> Call:
    """Action and operations of a call. Raises InvalidArgument."""
    action, batch = given.get("action"), given.get("operations")
    if action == "read":
        return Call(target, "read")
    if action == "batch" or batch not in _EMPTY or (batch is not None and action in _EMPTY):
        return Call(target, "batch", _batched(given, batch))
    if action in _EMPTY:
        raise InvalidArgument(f"action is missing; known actions are {', '.join(KNOWN_ACTIONS)}. Nothing was written.")
    if action not in ACTIONS:
        raise InvalidArgument(
            f"Unknown action {_quoted(action)}; known actions are {', '.join(KNOWN_ACTIONS)}. Nothing was written."
        )
    return Call(target, str(action), _operations([given], is_batch=False))


def named_anew(operations: Sequence[Operation], texts: Sequence[str]) -> tuple[Operation, ...]:
    """The operations, an `old_text` that repeats a whole line of a listing cut to the `#name` it begins with."""
    names = {f"#{entry_name(text)}" for text in texts}

    def named(operation: Operation) -> Operation:
        listed = _LISTED_NAME.fullmatch(operation.quoted)
        if listed is None or listed[1].lower() not in names or any(operation.quoted in text for text in texts):
            return operation
        return replace(operation, old_text=listed[1].lower())

    return tuple(map(named, operations))


def _batched(given: Mapping[str, Any], batch: Any) -> tuple[Operation, ...]:
    if isinstance(batch, str):
        try:
            batch = json.loads(batch)
        except (ValueError, RecursionError):
            raise InvalidArgument("operations must be a list of objects; nothing was written.") from None
    lone = [key for key in ("content", "new_content", "old_text") if given.get(key) not in _EMPTY]
    if lone:
        raise InvalidArgument(
            f"{lone[0]} stands beside operations, and it is not clear what is meant; nothing was written. Put every "
            "change into operations, or send one action without them."
        )
    if isinstance(batch, Mapping):
        batch = [batch]
    return _operations(batch, is_batch=True)


def _operations(items: Any, *, is_batch: bool) -> tuple[Operation, ...]:
    is_list = isinstance(items, Sequence) and not isinstance(items, (str, bytes))
    mapped = [_mapping(item) for item in items] if is_list else items
    for number, item in enumerate(mapped if is_list else (), start=1):
        if isinstance(item, Mapping) and item["action"] in ("replace", "remove") and item["old_text"] in _EMPTY:
            where = f"Operation {number}: " if is_batch else ""
            raise InvalidArgument(
                f"{where}{item['action']} needs old_text: a part of the entry that no other entry holds, or its #name. "
                "Nothing was written.",
                LISTS_ENTRIES,
            )
    if is_batch or not is_list:
        return tuple(read_operations(mapped))
    try:
        return tuple(read_operations(mapped))
    except InvalidArgument as refusal:
        raise InvalidArgument(str(refusal).removeprefix("operation 1: "), refusal.data) from None


def _mapping(item: Any) -> Any:
    """The operation with its new text under `content`, whichever of the names models use; other things as given."""
    if not isinstance(item, Mapping):
        return item
    texts = [item.get(key) for key in ("content", "new_content", "new_text")]
    content = next((text for text in texts if text not in _EMPTY), texts[0])
    return {"action": item.get("action"), "content": content, "old_text": item.get("old_text")}


def _quoted(value: object) -> str:
    return repr(str(value)[:_SHOWN_CHARS])
