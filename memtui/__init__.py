"""memtui: review, repair and audit the long-term memory of AI agents.

The public names are resolved on first use (PEP 562), so that `import memtui` costs nothing and loads nothing
of the package: an agent that never opens its memory pays for none of it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtui.core.change import Change, Exactly, Operation
    from memtui.core.errors import (
        Ambiguous,
        Conflict,
        Disabled,
        DriftFound,
        InvalidArgument,
        Locked,
        MemoryRefused,
        MergedEntry,
        NoMatch,
        NotFound,
        OverBudget,
        ThreatFound,
        Unreadable,
        WriteFailed,
    )
    from memtui.core.model import ENTRY_DELIMITER, Budget, Entry, MemoryFile, Verdict
    from memtui.core.snapshot import AgentEntry
    from memtui.core.threats.finding import Finding, Severity
    from memtui.disk.pending import PendingQueue
    from memtui.opening import open_store, resolve_memory_dir
    from memtui.scanning import scan
    from memtui.store import MemoryStore
    from memtui.tool import Decision, MemoryTool, ToolResult, WriteRequest, make_memory_tool

__version__ = "0.1.0"

__all__ = [
    "ENTRY_DELIMITER",
    "AgentEntry",
    "Ambiguous",
    "Budget",
    "Change",
    "Conflict",
    "Decision",
    "Disabled",
    "DriftFound",
    "Entry",
    "Exactly",
    "Finding",
    "InvalidArgument",
    "Locked",
    "MemoryFile",
    "MemoryRefused",
    "MemoryStore",
    "MemoryTool",
    "MergedEntry",
    "NoMatch",
    "NotFound",
    "Operation",
    "OverBudget",
    "PendingQueue",
    "Severity",
    "ThreatFound",
    "ToolResult",
    "Unreadable",
    "Verdict",
    "WriteFailed",
    "WriteRequest",
    "__version__",
    "make_memory_tool",
    "open_store",
    "resolve_memory_dir",
    "scan",
]

_ELSEWHERE = {
    "AgentEntry": "core.snapshot",
    "Change": "core.change",
    "Decision": "tool",
    "Exactly": "core.change",
    "Finding": "core.threats.finding",
    "MemoryStore": "store",
    "MemoryTool": "tool",
    "Operation": "core.change",
    "PendingQueue": "disk.pending",
    "Severity": "core.threats.finding",
    "ToolResult": "tool",
    "WriteRequest": "tool",
    "make_memory_tool": "tool",
    "open_store": "opening",
    "resolve_memory_dir": "opening",
    "scan": "scanning",
}
_OF_MODEL = frozenset({"ENTRY_DELIMITER", "Budget", "Entry", "MemoryFile", "Verdict"})


def __getattr__(name: str) -> object:
    """Load a public name's module when the name is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'memtui' has no attribute {name!r}")
    from importlib import import_module

    home = _ELSEWHERE.get(name) or ("core.model" if name in _OF_MODEL else "core.errors")
    found = getattr(import_module(f"memtui.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
