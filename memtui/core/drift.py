"""What a file's bytes tell: drift, and why the agent would refuse where memtui does not.

It decides and explains; it repairs nothing, and it calls nothing drift that a rewrite keeps. Its siblings for
merged entries, outside changes and sentences are reached through it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memtui.core.change import Operation
from memtui.core.codec import joined
from memtui.core.errors import MemoryRefused
from memtui.core.external import appended_lines, compare
from memtui.core.matching import locate
from memtui.core.merged import find_merged, never
from memtui.core.model import ENTRY_DELIMITER, BadByte, DifferenceKind, Document, Drift, DriftKind
from memtui.core.verdicts import describe

__all__ = [
    "agent_refusal", "allowed_despite_drift", "appended_lines", "compare", "describe", "find_drift",
    "find_merged", "never",
]  # fmt: skip

_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
# What Hermes' strip and join give back as it was.
_HARMLESS_TO_HERMES: Final = frozenset({
    DifferenceKind.FINAL_NEWLINE, DifferenceKind.CRLF, DifferenceKind.CR, DifferenceKind.MIXED_NEWLINES,
    DifferenceKind.DUPLICATE, DifferenceKind.BOM,
})  # fmt: skip


def find_drift(document: Document, limit_chars: int) -> tuple[Drift, ...]:
    """What a rewrite could lose: bytes that are not UTF-8, NUL bytes, entries longer than the whole limit."""
    drift = []
    if document.bad_byte:
        hint = " (the file looks like UTF-16)" if document.raw_bytes[:2] in _UTF16_MARKS else ""
        drift.append(_byte_drift(DriftKind.NOT_UTF8, document.bad_byte, f"is not UTF-8{hint}"))
    if document.nul_byte:
        drift.append(_byte_drift(DriftKind.NUL, document.nul_byte, "is no text"))
    drift += _too_long(document, limit_chars)
    return tuple(drift)


def _byte_drift(kind: DriftKind, bad: BadByte, what: str) -> Drift:
    place = f"line {bad.line}, column {bad.column} (offset {bad.offset:,})"
    return Drift(kind, f"byte 0x{bad.value:02X} at {place} {what}", bad.line, bad.line, bad.column)


def _too_long(document: Document, limit_chars: int) -> Iterator[Drift]:
    for index, entry in enumerate(document.entries):
        if len(entry.text) > limit_chars and entry.duplicate_of is None:
            last_line = entry.line + entry.text.count("\n")
            lines = f"line {entry.line}" if last_line == entry.line else f"lines {entry.line}–{last_line}"
            yield Drift(
                DriftKind.TOO_LONG,
                f"one entry is longer than the whole limit ({len(entry.text):,} > {limit_chars:,}): {lines}",
                entry.line,
                last_line,
                entry_index=index,
            )


def allowed_despite_drift(
    document: Document, drift: Sequence[Drift], operations: Sequence[Operation]
) -> bool:
    """True when every operation removes an over-long entry or replaces one by shorter text.

    False for any other drift: rewriting would fix a guess about bytes that are no text.
    """
    if any(one.kind is not DriftKind.TOO_LONG or one.entry_index is None for one in drift):
        return False
    over_long = {document.entries[one.entry_index].text for one in drift if one.entry_index is not None}
    texts = list(document.texts)
    for operation in operations:
        if operation.action not in ("remove", "replace"):
            return False
        try:
            index = locate(texts, operation.old_text)
        except MemoryRefused:
            return False
        text = texts.pop(index)
        if text not in over_long:
            return False
        if operation.action == "replace":
            if len(operation.content) >= len(text):
                return False
            texts.insert(index, operation.content)
            over_long.add(operation.content)
    return True


def agent_refusal(document: Document, limit_chars: int) -> str:
    """Why Hermes 0.19 would refuse to replace or remove here although memtui does not; "" when it would not.

    Hermes strips the text, splits it on the delimiter, strips and joins the parts, and calls it drift when
    that differs from the text or when a part exceeds the limit (observed on the released package).
    """
    if find_drift(document, limit_chars):
        return ""
    text = document.raw_bytes.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    parts = [part.strip() for part in text.split(ENTRY_DELIMITER) if part.strip()]
    if text.strip() != joined(parts):
        odd = [one for one in document.differences if one.kind not in _HARMLESS_TO_HERMES]
        where = f"{odd[0].detail}, line {odd[0].line}" if odd else "its layout"
        return (
            "Hermes 0.19 refuses to replace or remove here and leaves a backup each time: it takes the "
            f"layout ({where}) for lost text. Nothing is lost; tidying cures it."
        )
    if any(len(part) > limit_chars for part in parts):
        return (
            "Hermes 0.19 refuses to replace or remove here: it counts layout as text, which makes one entry "
            "longer than the whole limit. Tidying cures it."
        )
    return ""
