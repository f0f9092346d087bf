"""What is asked of the store beside its files: the agent's block, and what is wrong with a person's own records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.core.model import FILE_NAMES
from memtui.core.visible import visible_text
from memtui.disk.own_rules import own_rule_faults
from memtui.store.prompting import agent_prompt, unread_targets
from memtui.view.threat_texts import own_rules_told

if TYPE_CHECKING:
    from memtui.store import MemoryStore


def prompt_block(store: MemoryStore) -> tuple[tuple[str, ...], str]:
    """The files that the agent of this home cannot read, and the block that it gets."""
    unread = tuple(FILE_NAMES[key] for key in unread_targets(store.snapshot, store.flavour))
    return unread, agent_prompt(store.snapshot, store.flavour, store.settings.hermes_rules)


def own_faults(store: MemoryStore) -> tuple[str, ...]:
    """What is wrong with a person's own records: what is known and fine, and their own rules; a sentence each."""
    return tuple(filter(None, (visible_text(store.suppressions.problem), own_rules_told(own_rule_faults()))))
