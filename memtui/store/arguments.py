"""What a caller asked for, as operations: the first check of a guarded operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.core.change import Exactly, Meant, Operation
from memtui.core.edit import clean_old_text, clean_text
from memtui.core.errors import InvalidArgument
from memtui.core.given import told

ACTIONS = ("add", "replace", "remove")


def read_operations(given: object) -> list[Operation]:
    """The operations of a batch, each a mapping with `action` and, as it needs them, `content` (or `new_content`)
    and `old_text`. Raises InvalidArgument, naming the operation by its number.
    """
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or not given:
        raise InvalidArgument(
            "operations must be a list with at least one object such as "
            '{"action": "add", "content": "…"}; nothing was written.'
        )
    operations = []
    for number, item in enumerate(given, start=1):
        if not isinstance(item, Mapping):
            raise InvalidArgument(
                f"Operation {number} is not an object; write it as "
                '{"action": "add", "content": "…"}. Nothing was written.'
            )
        content = item.get("content")
        operations.append(
            clean_operation(
                item.get("action"),
                item.get("new_content") if content is None else content,
                item.get("old_text"),
                where=f"operation {number}: ",
            )
        )
    return operations


def clean_operation(action: object, content: object, old_text: object, *, where: str = "") -> Operation:
    """One operation with checked texts. Raises InvalidArgument."""
    if action not in ACTIONS:
        raise InvalidArgument(
            f"{where}unknown action {told(action, 40)}; known are {', '.join(ACTIONS)}. Nothing was written."
        )
    return Operation(
        action=str(action),
        content=clean_text(content, f"{where}content") if action != "remove" else "",
        old_text=_clean_meant(old_text, f"{where}old_text") if action != "add" else "",
    )


def _clean_meant(old_text: object, what: str) -> Meant:
    if isinstance(old_text, Exactly) and isinstance(old_text.text, str):
        return old_text  # as it stands: what is on the disk may be longer than what is taken from a caller
    return clean_old_text(old_text.text if isinstance(old_text, Exactly) else old_text, what)
