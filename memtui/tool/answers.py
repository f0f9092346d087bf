"""How a refusal reads for a model: what was wrong, and the entries it needs to correct itself.

An entry that carries a `block` finding is named by `#hash8` and its rules, and never repeated, wherever it would stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memtui.core.errors import MemoryRefused
from memtui.core.matching import QUOTED_CELLS
from memtui.core.model import entry_name
from memtui.core.threats.finding import Severity
from memtui.core.visible import clip, preview, visible_text
from memtui.store.guard import Suppressing, blocking_rules, findings_of

MAX_LISTED: Final = 60
"""Entries that a refusal lists: more than a full store of ordinary entries has."""
MAX_SHOWN_CHARS: Final = 2200
"""Of one entry; no entry that the tool wrote is longer than the larger of the two limits."""

_HEADS: Final = {
    "ambiguous": "Refused, old_text is in several entries; nothing was written. Use a part that only one of them "
    "holds, or the #name of the one you mean:",
    "no_match": "Refused, no entry holds old_text; nothing was written.",
    "conflict": "Refused once, the entry changed on disk since you last saw it; nothing was written. Repeat the "
    "call with the #name it has now if it is still meant.",
    "merged": "Refused, old_text names only a part of an entry that holds several notes; nothing was written. Name "
    "the whole entry by its #name to mean all of them, or ask the user to split it:",
    "drift": "Refused, another program changed the file in a way that a write could damage; nothing was written and "
    "every byte is kept. Only the user can resolve it (`memtui resolve`): go on without memory writes and tell them.",
    "locked": "Refused, another program holds the memory's lock; nothing was written. Try once more later.",
}


class Masks:
    """The entries of a file that a model must not be given."""

    def __init__(self, texts: Sequence[str], suppressions: Suppressing) -> None:
        """`texts`: the live entries in order; each is judged as it stands beside its neighbours."""
        self._suppressions = suppressions
        self._rules: dict[str, tuple[str, ...]] = {}
        self._learn(texts)

    def rules_of(self, text: str) -> tuple[str, ...]:
        """The ids of the rules that block a text; () for one that may be shown."""
        if text not in self._rules:
            self._learn([text])
        return self._rules[text]

    def shown(self, text: str) -> str:
        """An entry as a model may read it: safe characters, later lines set in, poisoned text left out."""
        if rules := self.rules_of(text):
            return f"(blocked: {', '.join(rules)})"
        more = f" … ({len(text) - MAX_SHOWN_CHARS:,} more characters)" if len(text) > MAX_SHOWN_CHARS else ""
        return visible_text(text[:MAX_SHOWN_CHARS], keep_newlines=True).replace("\n", "\n  ") + more

    def line(self, text: str, *, with_size: bool = False) -> str:
        """One line of a listing: the `#name` that `old_text` takes, the size when asked for, the entry."""
        size = f" [{len(text)} chars]" if with_size else ""
        return f"#{entry_name(text)}{size} {self.shown(text)}"

    def cleaned(self, sentences: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Sentences that may quote any of these texts, without the quotes of those that must not be shown."""
        return [self._cleaned(sentence, texts) for sentence in sentences]

    def _cleaned(self, sentence: str, texts: Sequence[str]) -> str:
        for text in texts:
            name = f"#{entry_name(text)}"
            if name in sentence and (rules := self.rules_of(text)):
                sentence = sentence.replace(f"“{preview(text, QUOTED_CELLS)}”", f"(blocked: {', '.join(rules)})")
        (found,) = findings_of([sentence], self._suppressions)
        is_poisoned = any(one.severity is Severity.BLOCK for one in found)
        return "A note was left out: it quotes a blocked entry." if is_poisoned else sentence

    def _learn(self, texts: Sequence[str]) -> None:
        for text, found in zip(texts, findings_of(texts, self._suppressions), strict=True):
            self._rules[text] = blocking_rules(found)


def answer_refusal(refusal: MemoryRefused, masks: Masks, live: Sequence[str], elsewhere: str = "") -> str:
    """The refusal's sentence, then the entries that let the model go on.

    `live`: the target's entries; `elsewhere`: the other target when it holds what no entry here does.
    """
    operation = refusal.data.get("operation")
    which = f"Operation {operation} of the batch: " if operation else ""
    lines = [which + refusal_head(refusal)]
    if refusal.code == "no_match" and elsewhere:
        lines.append(f"An entry of {elsewhere} holds it: call again with that target.")
    lines += _LISTINGS.get(refusal.code, _nothing)(refusal.data, masks, live)
    return "\n".join(lines)


def refusal_head(refusal: MemoryRefused) -> str:
    """What was wrong, in one sentence that repeats no entry."""
    if refusal.code == "over_budget":
        return _over_budget(refusal.data)
    if refusal.code == "threat":
        return _threat(refusal.data)
    return _HEADS.get(refusal.code) or visible_text(str(refusal), keep_newlines=True)


def list_entries(texts: Sequence[str], masks: Masks, *, with_sizes: bool = False, most: int = MAX_LISTED) -> list[str]:
    """A line an entry, and how many there are beyond `most`."""
    lines = [masks.line(text, with_size=with_sizes) for text in texts[:most]]
    return [*lines, f"… and {len(texts) - most:,} more"] if len(texts) > most else lines


def _over_budget(data: Mapping[str, Any]) -> str:
    would, limit = data["would_use_chars"], data["limit_chars"]
    return (
        f"Refused, {would} of {limit} characters would be used, {would - limit} too many (now {data['used_chars']}); "
        "nothing was written. Shorten or remove entries and make this change in one call with `operations`. "
        "The entries and their sizes:"
    )


def _threat(data: Mapping[str, Any]) -> str:
    findings = data.get("findings") or [{}]
    return (
        f"Refused, the text carries a threat (rules: {', '.join(data.get('rules', ()))}); nothing was written. "
        f"{findings[0].get('why', '')} Save the plain fact without orders to the agent, secrets or hidden characters, "
        "or leave it."
    )


def _nothing(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    return []


def _sized(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    return list_entries([entry["text"] for entry in data["entries"]], masks, with_sizes=True)


def _candidates(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    lines = []
    for candidate in data["candidates"]:
        text, excerpt = candidate["text"], candidate["differs"]
        is_told = bool(masks.rules_of(text)) or excerpt == preview(text, QUOTED_CELLS)
        lines.append(masks.line(text) + ("" if is_told else f"\n  differs at: {excerpt}"))
    return lines


def _nearest(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    near = [entry["text"] for entry in data["nearest"]]
    if near:
        return ["The nearest entries:", *list_entries(near, masks)]
    return (
        ["The entries:", *list_entries(live, masks)] if live else ["There are no entries; add is the way to write one."]
    )


def _conflict(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    shown, now = data.get("shown"), data.get("live")
    lines = [f"You saw: {masks.line(shown)}"] if isinstance(shown, str) else []
    return [*lines, f"It reads now: {masks.line(now)}"] if isinstance(now, str) else lines


def _merged(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    whole = data["text"]
    if masks.rules_of(whole):
        return [masks.line(whole)]
    parts = (f"  {number}. {clip(masks.shown(part), 200)}" for number, part in enumerate(data["parts"][:20], 1))
    return [f"#{entry_name(whole)}", *parts]


def _invalid(data: Mapping[str, Any], masks: Masks, live: Sequence[str]) -> list[str]:
    if not data.get("lists_entries"):
        return []
    return ["The entries:", *list_entries(live, masks)] if live else ["There are no entries yet."]


_LISTINGS: Final = {
    "over_budget": _sized, "ambiguous": _candidates, "no_match": _nearest, "conflict": _conflict,
    "merged": _merged, "invalid": _invalid,
}  # fmt: skip
