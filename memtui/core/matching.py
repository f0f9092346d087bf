"""Finds the one entry that a caller means, or says why there is none or which there are.

It never picks among different entries, and it quotes entries in display-safe form only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from memtui.core.change import Exactly, Meant
from memtui.core.errors import Ambiguous, InvalidArgument, NoMatch
from memtui.core.model import entry_name
from memtui.core.similar import nearest
from memtui.core.threats.masking import MAX_SECRET_CHARS, masked, masked_preview
from memtui.core.visible import preview

QUOTED_CELLS: Final = 70
LISTED: Final = 10
"""Entries that a message lists, unless it says otherwise."""
MAX_DATA_TEXTS: Final = 50
"""Entries that a refusal's data holds."""

_CONTEXT_CHARS = 24
_NAME = re.compile(r"#([0-9a-fA-F]{8})")


def locate(texts: Sequence[str], old_text: Meant) -> int:
    """Index of the entry that `old_text` names.

    An equal entry wins, or the entry named `#` and eight hex digits, else the only one that contains it. Identical
    duplicates count as one, the first. Raises InvalidArgument for an empty `old_text`, NoMatch or Ambiguous, the
    last also for the name of one entry that is the whole text of another.
    """
    if isinstance(old_text, Exactly):
        return _exactly(texts, old_text.text)
    wanted = normal_text(old_text)
    if not wanted:
        raise InvalidArgument("old_text is empty; quote a part of the entry meant. Nothing was written.")
    if (whole := whole_named(texts, wanted)) is not None:
        return texts.index(whole)
    different = list(dict.fromkeys(text for text in texts if wanted in text))
    if not different:
        raise _no_match(texts, wanted)
    if len(different) > 1:
        raise _ambiguous(different, wanted)
    return texts.index(different[0])


def whole_named(texts: Sequence[str], wanted: str) -> str | None:
    """The text that equals `wanted`, or whose `#name` it is; None when there is none.

    Raises Ambiguous for several: whoever writes entries can make one that reads like the name of another.
    """
    match = _NAME.fullmatch(wanted)
    named = (text for text in texts if match and entry_name(text) == match[1].lower())
    found = list(dict.fromkeys([*([wanted] if wanted in texts else []), *named]))
    if len(found) > 1:
        raise _ambiguous_name(found, wanted)
    return found[0] if found else None


def normal_text(text: str) -> str:
    """The text in the form in which entries are kept: newlines as LF, stripped."""
    return text.replace("\r\n", "\n").strip()


def differing_part(texts: Sequence[str]) -> tuple[str, ...]:
    """For each text a short display-safe excerpt round the place where it parts from the one most like it."""
    ordered = sorted(set(texts))
    shared = [_shared_chars(a, b) for a, b in zip(ordered, ordered[1:], strict=False)]
    parts_at = dict(zip(ordered, map(max, [0, *shared], [*shared, 0]), strict=True))
    return tuple(_excerpt(text, parts_at[text]) for text in texts)


def listing(texts: Sequence[str], quotes: Iterable[str] | None = None, most: int = LISTED) -> str:
    """Entries as lines of a message, `#name  quote` (by default a preview), and how many more there are."""
    if quotes is None:
        quotes = (masked_preview(text, QUOTED_CELLS) for text in texts)
    lines = [f"\n  #{entry_name(text)}  {quote}" for text, quote in zip(texts[:most], quotes, strict=False)]
    more = f"\n  … and {len(texts) - most:,} more" if len(texts) > most else ""
    return "".join(lines) + more


def listed_data(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The same entries for programs."""
    return [{"name": entry_name(text), "text": text} for text in texts[:MAX_DATA_TEXTS]]


def _exactly(texts: Sequence[str], text: str) -> int:
    if text not in texts:
        raise _no_match(texts, text)
    return texts.index(text)


def _no_match(texts: Sequence[str], wanted: str) -> NoMatch:
    near = [texts[index] for index in nearest(wanted, texts)]
    held = {0: "in no entry: there are none", 1: "not in the only entry"}.get(
        len(texts), f"in none of the {len(texts):,} entries"
    )
    message = f"Nothing was written: “{masked_preview(wanted, QUOTED_CELLS)}” is {held}."
    if near:
        message += f" The nearest:{listing(near)}"
    return NoMatch(message, {"old_text": wanted, "nearest": listed_data(near)})


def _ambiguous_name(texts: Sequence[str], wanted: str) -> Ambiguous:
    return Ambiguous(
        f"Nothing was written: {wanted} is the name of one entry and the name or whole text of another one. Quote a "
        f"part of the one meant, or give the #name that only it has:{listing(texts)}",
        {"old_text": wanted, "candidates": listed_data(texts)},
    )


def _ambiguous(texts: Sequence[str], wanted: str) -> Ambiguous:
    excerpts = differing_part(texts[:MAX_DATA_TEXTS])
    candidates = [
        {**listed, "differs": excerpt} for listed, excerpt in zip(listed_data(texts), excerpts, strict=True)
    ]
    return Ambiguous(
        f"Nothing was written: “{masked_preview(wanted, QUOTED_CELLS)}” is in {len(texts):,} different "
        f"entries. Quote more of the one meant, or give its #name:{listing(texts, excerpts)}",
        {"old_text": wanted, "candidates": candidates},
    )


def _shared_chars(a: str, b: str) -> int:
    """Length of the common start; halving keeps the comparing in C, texts may have millions."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _excerpt(text: str, parts_at: int) -> str:
    start = max(0, parts_at - _CONTEXT_CHARS)
    if len(text) - start < 2 * _CONTEXT_CHARS:
        start = max(0, len(text) - 2 * _CONTEXT_CHARS)
    if start:
        # Begin with a whole word where one begins soon.
        blank = text.find(" ", start, parts_at)
        start = blank + 1 if blank > 0 else start
    if masked(around := text[max(start - MAX_SECRET_CHARS, 0) : start + MAX_SECRET_CHARS]) != around:
        # Cut at the place where it differs, the rest of a secret would not be known for one.
        return masked_preview(text, QUOTED_CELLS)
    return ("…" if start else "") + preview(text[start:], QUOTED_CELLS - 1)
