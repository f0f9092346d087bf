"""The face for agents: the memory tool on a store, its schema, its answers, and the policy of a host.

It holds no rules of its own: what may be written is the store's to say.
"""

from memtui.tool.memory_tool import MemoryTool, ToolResult, make_memory_tool
from memtui.tool.policy import Decision, Policy, WriteRequest

__all__ = ["Decision", "MemoryTool", "Policy", "ToolResult", "WriteRequest", "make_memory_tool"]
