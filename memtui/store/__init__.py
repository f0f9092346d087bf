"""The store, the only writer, and the parts that it is made of: one module for each step of a guarded operation.

It knows no screen, no command line and no agent.
"""

from memtui.store.memory_store import Build, MemoryStore
from memtui.store.memory_view import LOCK_WAIT_S

__all__ = ["LOCK_WAIT_S", "Build", "MemoryStore"]
