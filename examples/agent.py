"""A complete little agent with long-term memory: a loop, a memory tool, a prompt that stays the same for a session.

The model is scripted, so that it runs without network; put your own in its place. Run it twice and look at
`.my_agent_core/memory/MEMORY.md`, or open the folder with `memtui` while it runs.

    python examples/agent.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import memtui

Message = dict[str, Any]
Model = Callable[[Sequence[Message], Sequence[dict[str, Any]]], Message]
"""Takes the conversation and the tools, gives the next message; with `tool_calls` when it wants to call one."""


@dataclass
class Agent:
    """Runs a model in a loop with the memory tool. `memory_dir` as in `memtui.resolve_memory_dir`."""

    model: Model
    memory_dir: Path | str | bool | None = None
    cwd: Path = field(default_factory=Path.cwd)
    system: str = "You are a helpful agent."

    def __post_init__(self) -> None:
        folder = memtui.resolve_memory_dir(self.memory_dir, self.cwd)
        self.store = memtui.MemoryStore(folder) if folder else None
        self.tool = memtui.make_memory_tool(self.store) if self.store else None
        self.reset()

    def reset(self) -> None:
        """Begin a new session: the memory is frozen into the prompt anew, the conversation is empty."""
        block = ""
        if self.store:
            self.store.load_from_disk()
            block = self.store.format_all_for_system_prompt()
        self.messages: list[Message] = [{"role": "system", "content": "\n\n".join(filter(None, (self.system, block)))}]

    def sub_agent(self, model: Model) -> Agent:
        """A helper for one task. It has no memory: what it hears must not become the user's."""
        return Agent(model, memory_dir=False, cwd=self.cwd, system=self.system)

    def run(self, text: str) -> str:
        """Answer one message of the user, calling the tool as often as the model asks for it."""
        if self.tool:
            self.tool.new_turn()
        self.messages.append({"role": "user", "content": text})
        while True:
            answer = self.model(self.messages, [self.tool.to_openai()] if self.tool else [])
            self.messages.append(answer)
            calls = answer.get("tool_calls", [])
            if not calls:
                return str(answer["content"])
            self.messages += [self._called(call) for call in calls]

    def _called(self, call: dict[str, Any]) -> Message:
        result = str(self.tool.execute(call["function"]["arguments"])) if self.tool else "There is no such tool."
        return {"role": "tool", "tool_call_id": call["id"], "content": result}


def scripted(*steps: str | dict[str, Any]) -> Model:
    """A model that says the next of these at each turn: text is an answer, an object calls the memory tool."""
    script: Iterator[str | dict[str, Any]] = iter(steps)

    def model(messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> Message:
        step = next(script)
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        function = {"name": "memory", "arguments": json.dumps(step)}
        call = {"id": f"call_{len(messages)}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    return model


def main() -> None:
    """Two sessions: what the first learns stands in the prompt of the second."""
    tabs = {"action": "add", "target": "user", "content": "Prefers tabs over spaces"}
    uv = {"action": "add", "target": "memory", "content": "The project uses uv; tests run with `uv run pytest`"}
    agent = Agent(scripted(tabs, uv, "Noted.", "With tabs, and uv."), memory_dir=True)

    print("Session 1, prompt:", agent.messages[0]["content"], sep="\n")
    before = agent.messages[0]["content"]
    print("\nAgent:", agent.run("I like tabs, and this project uses uv."))
    assert agent.messages[0]["content"] == before, "the prompt of a session never changes"

    agent.reset()
    print("\nSession 2, prompt:", agent.messages[0]["content"], sep="\n")
    print("\nAgent:", agent.run("How do I format and test?"))


if __name__ == "__main__":
    main()
