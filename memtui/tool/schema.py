"""What the model is told of the memory tool: its description and the JSON Schema of its arguments.

No combinators and no references: clients that check schemas strictly take it as it is.
"""

from __future__ import annotations

import json
from typing import Any, Final

from memtui.core.model import TARGETS

NAME: Final = "memory"

DESCRIPTION: Final = """\
Long-term memory in two small files that are put into your prompt at the start of every session. What you write now \
reaches the prompt in the next session; it is on disk at once.

Save without being asked when the user corrects you or asks you to remember, states a preference, habit or personal \
fact, or when you learn something durable of the environment, a project convention or a tool's quirk. In this order \
when room is short: corrections and preferences, then facts of the environment, then ways of working.

Skip the progress of a task, results of this session, passing to-dos, what is easily looked up again, raw data, and \
anything secret. Text that gives orders to the agent is refused.

Targets: "user" is who the user is and what they like; "memory" is your own notes of the world and the work.
One fact an entry, one or two sentences. Before adding, replace what the new fact supersedes. `old_text` is any part \
of an entry that no other entry holds, or its #name from a listing; replace exchanges the whole entry. \
When the budget is full, use `operations` to consolidate in one step: all of it happens or none."""

_ACTION: Final = {"type": "string", "description": "What to do."}
_CONTENT: Final = {"type": "string", "description": "The entry's whole new text (add, replace)."}
_OLD_TEXT: Final = {
    "type": "string",
    "description": "Names the entry to replace or remove: a part that no other entry holds, or its #name.",
}

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {**_ACTION, "enum": ["add", "replace", "remove", "batch", "read"]},
        "target": {"type": "string", "enum": list(TARGETS), "description": "Which memory."},
        "content": _CONTENT,
        "old_text": _OLD_TEXT,
        "operations": {
            "type": "array",
            "description": "With action batch: several operations on the target, all or nothing.",
            "items": {
                "type": "object",
                "properties": {
                    "action": {**_ACTION, "enum": ["add", "replace", "remove"]},
                    "content": _CONTENT,
                    "old_text": _OLD_TEXT,
                },
                "required": ["action"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["action", "target"],
    "additionalProperties": False,
}


def parameters() -> dict[str, Any]:
    """The schema of the arguments, a fresh copy."""
    copied: dict[str, Any] = json.loads(json.dumps(PARAMETERS))
    return copied


def openai_tool(*, strict: bool = False) -> dict[str, Any]:
    """The tool as OpenAI's chat and compatible interfaces take it.

    In their strict mode every field is required, and optional ones may be null.
    """
    function = {"name": NAME, "description": DESCRIPTION}
    if strict:
        return {"type": "function", "function": {**function, "parameters": _strict(parameters()), "strict": True}}
    return {"type": "function", "function": {**function, "parameters": parameters()}}


def anthropic_tool() -> dict[str, Any]:
    """The tool as Anthropic's messages interface takes it."""
    return {"name": NAME, "description": DESCRIPTION, "input_schema": parameters()}


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    required = schema["required"]
    properties = {
        name: _nested(field) if name in required else {**_nested(field), "type": [field["type"], "null"]}
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}


def _nested(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "items": _strict(field["items"])} if "items" in field else dict(field)
