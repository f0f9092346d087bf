"""How a refusal reads for a model: what was wrong, and the entries it needs to correct itself.

An entry that carries a `block` finding is named by `#hash8` and its rules, never repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memtui.core.errors import MemoryRefused
from memtui.core.model import entry_name
from memtui.core.threats.finding import Severity
from memtui.core.visible import visible_text
from memtui.guard import Suppressing, findings_of

if TYPE_CHECKING:
    from memtui.store import MemoryStore

_LISTS = {
    "over_budget": ("entries", "Entries and their sizes; replace or remove some, best in one batch:"),
    "ambiguous": ("candidates", "Several entries hold that text; use a part that only one holds, or its #name:"),
    "no_match": ("nearest", "The nearest entries:"),
    "invalid": ("entries", "The entries:"),
    "conflict": ("live", "It reads now:"),
    "merged": ("parts", "The entry holds these notes; name the whole entry by its #name, or ask the user to split it:"),
}
_HEADS = {
    "over_budget": "Refused, the result would exceed the limit of {limit} characters; nothing was written.",
    "ambiguous": "Refused, old_text is ambiguous; nothing was written.",
    "no_match": "Refused, no entry holds old_text; nothing was written.",
    "conflict": "Refused once, the entry changed on disk since you last saw it; nothing was written. "
    "Repeat the call if it is still meant.",
    "merged": "Refused, old_text names only a part of an entry that holds several notes; nothing was written.",
}
"""Own sentences where the refusal's message repeats entries."""


def answer_refusal(refusal: MemoryRefused, store: MemoryStore, target: str) -> str:
    """The refusal's sentence, then the entries that let the model go on."""
    head = _HEADS.get(refusal.code, "").format(limit=store.limits.get(target, 0)) or str(refusal)
    if refusal.code == "threat":
        head = (
            f"Refused, the text carries a threat (rules: {', '.join(refusal.data.get('rules', ()))}); nothing was "
            "written. Save the plain fact without orders to the agent, secrets or hidden characters, or leave it."
        )
    key, caption = _LISTS.get(refusal.code, ("", ""))
    texts = _texts(refusal.data.get(key))
    if not texts:
        return head
    listing = list_entries(texts, store.suppressions, sizes=refusal.code == "over_budget")
    return f"{head}\n{caption}\n{listing}"


def list_entries(texts: Sequence[str], suppressions: Suppressing, *, sizes: bool = False) -> str:
    """One line an entry: its #name, its size when asked for, its text; poisoned ones masked."""
    lines = []
    for text, findings in zip(texts, findings_of(texts, suppressions), strict=True):
        blocking = dict.fromkeys(f.id for f in findings if f.severity is Severity.BLOCK and not f.suppressed)
        size = f" [{len(text)} chars]" if sizes else ""
        shown = f"(blocked: {', '.join(blocking)})" if blocking else visible_text(text, keep_newlines=True)
        lines.append(f"#{entry_name(text)}{size} {shown}")
    return "\n".join(lines)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items: Iterable[Any] = value if isinstance(value, (list, tuple)) else ()
    return [item if isinstance(item, str) else str(item["text"]) for item in items if isinstance(item, str) or "text" in item]
