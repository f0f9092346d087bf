"""Checks what a caller asked for and works out what the file would hold then.

Pure: it reads no file, scans for no threats and writes nothing; a `Change` is a proposal until the store
wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memtui.core.budget import used_chars
from memtui.core.change import Change, Exactly, Meant, Operation, Step
from memtui.core.errors import InvalidArgument, MemoryRefused, MergedEntry, OverBudget
from memtui.core.matching import QUOTED_CELLS, listing, locate, normal_text
from memtui.core.model import MAX_TEXT_CHARS, TARGETS, DifferenceKind, Document, Merged, entry_name
from memtui.core.similar import near_duplicates
from memtui.core.threats.masking import masked_preview
from memtui.core.visible import clip, visible_text

LISTED_SIZES: Final = 60
"""Entries that an over-budget message lists: more than a full store of ordinary entries has."""
LISTED_PARTS: Final = 20

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SIGN_LINE = re.compile(r"^[^\S\n]*§[^\S\n]*$", re.MULTILINE)
_BLANK_START = re.compile(r"[\s\ufeff]*")
_NAME = re.compile(r"#[0-9a-fA-F]{8}")
_TYPE_WORDS: Final[Mapping[type, str]] = {
    bool: "true or false", int: "a number", float: "a number", type(None): "nothing", list: "a list",
    tuple: "a list", dict: "an object", bytes: "bytes",
}  # fmt: skip
_TIDIED: Final = {
    DifferenceKind.ENTRY_BLANKS: "blanks round an entry",
    DifferenceKind.BLANK_LINES: "blank lines",
    DifferenceKind.LEADING_SIGN: "a § before the first entry",
    DifferenceKind.CLOSING_SIGN: "a § after the last entry",
    DifferenceKind.EMPTY_ENTRY: "an empty entry",
}


def clean_target(value: object) -> str:
    """A known target. Raises InvalidArgument."""
    if isinstance(value, str) and value in TARGETS:
        return value
    given = f"“{clip(value, QUOTED_CELLS)}”" if isinstance(value, str) else _type_words(value)
    raise InvalidArgument(f"The target must be {' or '.join(TARGETS)}, not {given}. Nothing was written.")


def clean_text(value: object, what: str) -> str:
    """New text as an entry holds it: stripped, newlines as LF. `what` names the argument in a refusal.

    Raises InvalidArgument for what is no text, empty, too long or not encodable, for control characters other
    than tab and newline, and for a line that would part entries.
    """
    text = clean_old_text(value, what)
    if control := _CONTROL.search(text):
        shown = f"{visible_text(control.group())} (U+{ord(control.group()):04X})"
        raise InvalidArgument(
            f"{what} holds the control character {shown} {_place(text, control.start())}. "
            f"Remove it; only tabs and newlines may stand in an entry. {_UNWRITTEN}"
        )
    if sign := _SIGN_LINE.search(text):
        raise InvalidArgument(
            f"{what} has a line with nothing but § on it ({_place(text, sign.start())}): that line is the "
            f"delimiter between entries. Write each part as an entry of its own, or put words beside the §. "
            f"{_UNWRITTEN}"
        )
    return text


def clean_old_text(value: object, what: str = "old_text") -> str:
    """Text that names an entry: like `clean_text`, but whatever an entry on disk may hold can be named.

    Raises InvalidArgument for what is no text, empty, too long or not encodable.
    """
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} must be text, not {_type_words(value)}. {_UNWRITTEN}")
    if len(value) > MAX_TEXT_CHARS:
        raise InvalidArgument(
            f"{what} has {len(value):,} characters; more than {MAX_TEXT_CHARS:,} are not taken. {_UNWRITTEN}"
        )
    text = normal_text(value)
    text = text[len(_BLANK_START.match(text)[0]) :]  # type: ignore[index]  # matches the empty text too
    if not text:
        raise InvalidArgument(f"{what} is empty. {_UNWRITTEN}")
    if surrogate := _SURROGATE.search(text):
        raise InvalidArgument(
            f"{what} holds half of a character (U+{ord(surrogate.group()):04X}) "
            f"{_place(text, surrogate.start())}, which cannot be stored as UTF-8. {_UNWRITTEN}"
        )
    return text


_UNWRITTEN = "Nothing was written."


def _type_words(value: object) -> str:
    return _TYPE_WORDS.get(type(value), f"a value of type {type(value).__name__}")


def _place(text: str, offset: int) -> str:
    return f"in line {text.count(chr(10), 0, offset) + 1}, column {offset - text.rfind(chr(10), 0, offset)}"


def propose(
    document: Document,
    target: str,
    operations: Sequence[Operation],
    limit_chars: int,
    *,
    merged: Sequence[Merged] = (),
) -> Change:
    """What the file would hold after these operations, all or none; each sees what the earlier ones did.

    Raises InvalidArgument, NoMatch, Ambiguous or MergedEntry; with several operations the message names the
    one.
    """
    draft = _Draft(document, merged)
    for number, operation in enumerate(operations, start=1):
        try:
            draft.apply(operation)
        except MemoryRefused as refusal:
            if len(operations) == 1:
                raise
            message = f"Operation {number} of {len(operations)} was refused, so none was done. {refusal}"
            raise type(refusal)(message, {**refusal.data, "operation": number}) from None
    wrote = tuple(draft.texts) != document.texts
    return Change(
        target=target,
        action=operations[0].action if len(operations) == 1 else "batch",
        steps=tuple(draft.steps) if wrote else (),
        texts=tuple(draft.texts),
        used_chars=used_chars(draft.texts),
        limit_chars=limit_chars,
        notices=tuple(dict.fromkeys(draft.notices)),
        wrote=wrote,
    )


class _Draft:
    """The texts while operations are applied to them."""

    def __init__(self, document: Document, merged: Sequence[Merged]) -> None:
        self.texts = list(document.texts)
        self.steps: list[Step] = []
        self.notices: list[str] = []
        self._merged = {document.entries[one.entry_index].text: one for one in merged}

    def apply(self, operation: Operation) -> None:
        match operation.action:
            case "add":
                self._add(operation.content)
            case "replace":
                self._replace(operation.old_text, operation.content)
            case "remove":
                self._remove(operation.old_text)
            case unknown:
                raise InvalidArgument(f"Unknown action “{clip(unknown, QUOTED_CELLS)}”. {_UNWRITTEN}")

    def _add(self, content: str) -> None:
        if content in self.texts:
            self.notices.append(f"The entry is already there, no second one was added: {_quoted(content)}.")
            return
        self._note_similar(content, self.texts)
        self.texts.append(content)
        self.steps.append(Step(None, content, len(self.texts) - 1))

    def _replace(self, old_text: Meant, content: str) -> None:
        index = self._locate(old_text)
        before = self.texts[index]
        if content == before:
            self.notices.append(f"The entry already reads like this: {_quoted(content)}.")
            return
        if content in self.texts:
            # The other one stays where it is; what this change did is that one entry went.
            self.notices.append(f"The new text is already an entry; the two became one: {_quoted(content)}.")
            self.steps.append(Step(before, None, index))
            del self.texts[index]
            return
        self._note_similar(content, [*self.texts[:index], *self.texts[index + 1 :]])
        self._note_whole("replaced", old_text, before)
        self.texts[index] = content
        self.steps.append(Step(before, content, index))

    def _remove(self, old_text: Meant) -> None:
        index = self._locate(old_text)
        before = self.texts.pop(index)
        self._note_whole("removed", old_text, before)
        self.steps.append(Step(before, None, index))

    def _locate(self, old_text: Meant) -> int:
        index = locate(self.texts, old_text)
        text = self.texts[index]
        if text in self._merged and (part := _part_named(old_text, text)):
            raise _merged_entry(text, self._merged[text], part)
        return index

    def _note_similar(self, content: str, others: Sequence[str]) -> None:
        for index in near_duplicates(content, others)[:3]:
            self.notices.append(f"A similar entry is already there: {_quoted(others[index])}.")

    def _note_whole(self, done: str, old_text: Meant, before: str) -> None:
        if _part_named(old_text, before):
            self.notices.append(f"The whole entry was {done}, not only the part quoted: {_quoted(before)}.")


def _part_named(old_text: Meant, text: str) -> str:
    """The part of the entry by which it is named; "" when it is named as a whole."""
    wanted = text if isinstance(old_text, Exactly) else normal_text(old_text)
    is_name = wanted not in text and _NAME.fullmatch(wanted) is not None
    return "" if is_name or wanted == text else wanted


def _quoted(text: str) -> str:
    return f"#{entry_name(text)} “{masked_preview(text, QUOTED_CELLS)}”"


def _merged_entry(text: str, merged: Merged, part_named: str) -> MergedEntry:
    name, count, parts = entry_name(text), len(merged.parts), enumerate(merged.parts[:LISTED_PARTS], 1)
    return MergedEntry(
        f"Nothing was written: “{masked_preview(part_named, QUOTED_CELLS)}” is only a part of "
        f"entry #{name}, which holds {count} notes ({merged.reason}). "
        f"Split the entry first, or give #{name} to mean all:"
        + "".join(f"\n  {number}. {masked_preview(part, QUOTED_CELLS)}" for number, part in parts),
        {"name": name, "text": text, "parts": list(merged.parts), "reason": merged.reason},
    )


def check_budget(change: Change, before_texts: Sequence[str]) -> None:
    """Refuse a change that would exceed the limit, unless it makes an over-full target smaller.

    Raises OverBudget; its data lists all entries with their sizes, so that the caller can consolidate.
    """
    used_before = used_chars(before_texts)
    fits = change.used_chars <= change.limit_chars
    if fits or not change.wrote or change.used_chars < used_before:
        return
    sized = (f"{len(text):>6,}  {masked_preview(text, QUOTED_CELLS)}" for text in before_texts)
    raise OverBudget(
        f"Nothing was written: {change.target} would hold {change.used_chars:,} of {change.limit_chars:,} "
        f"characters, {change.used_chars - change.limit_chars:,} too many (now {used_before:,}). "
        "Shorten, merge or remove entries first. "
        f"The entries and their sizes:{listing(before_texts, sized, LISTED_SIZES)}",
        {
            "used_chars": used_before,
            "would_use_chars": change.used_chars,
            "limit_chars": change.limit_chars,
            "entries": [{"name": entry_name(t), "text": t, "chars": len(t)} for t in before_texts],
        },
    )


def layout_notices(document: Document) -> tuple[str, ...]:
    """What a canonical write of this file changes beside the entries asked for, in words."""
    kinds = {difference.kind for difference in document.differences}
    notices = []
    if DifferenceKind.BOM in kinds:
        hidden = "; because of it Hermes hid the first entry" if document.has_bom else ""
        notices.append(f"The byte-order mark was dropped{hidden}.")
    if DifferenceKind.MIXED_NEWLINES in kinds:
        name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[document.newline]
        notices.append(f"Mixed line endings were all made {name}.")
    if repeated := len(document.entries) - len(document.texts):
        entries = "1 repeated entry was" if repeated == 1 else f"{repeated:,} repeated entries were"
        notices.append(f"{entries} folded into the first.")
    if tidied := [words for kind, words in _TIDIED.items() if kind in kinds]:
        notices.append(f"The layout was tidied ({', '.join(tidied)}); no text was lost.")
    return tuple(notices)
