"""Bytes to entries and back.

Reading is tolerant and forgets nothing that it tolerates; writing is canonical. It never raises for what a
file holds and never guesses an encoding.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from memtui.core.model import ENTRY_DELIMITER, BadByte, Difference, DifferenceKind, Document, Entry

SIGN: Final = "§"
BOM: Final = "\ufeff"

_SIGN_LINE_END = re.compile(r"§(?![^\n])")
_HEAD = re.compile(r"(?:§\n|[\s\ufeff])*")
_TAIL_REVERSED = re.compile(r"(?:§\n|\s)*")
_NEWLINE_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def joined(texts: Sequence[str]) -> str:
    """The texts as one canonical text."""
    return ENTRY_DELIMITER.join(texts)


def render(texts: Sequence[str], newline: str = "\n", final_newline: bool = False) -> bytes:
    """The canonical file of these texts (stripped, newlines as LF): UTF-8, no BOM; no bytes for no texts."""
    if not texts:
        return b""
    text = joined(texts) + ("\n" if final_newline else "")
    return (text if newline == "\n" else text.replace("\n", newline)).encode("utf-8")


def parse(raw_bytes: bytes) -> Document:
    """Read a file's bytes. Never raises: undecodable bytes become U+FFFD and `bad_byte` is set."""
    text, bad_byte = _decode(raw_bytes)
    nul_offset = raw_bytes.find(0)
    has_bom = text.startswith(BOM)
    body = text[1:] if has_bom else text
    flat = body.replace("\r\n", "\n").replace("\r", "\n")
    newline, newline_differences = _newlines(body)
    reader = _Reader(flat, _to_raw(body, 1 if has_bom else 0))
    reader.read()
    differences = [*reader.differences, *newline_differences]
    if has_bom:
        differences.append(Difference(DifferenceKind.BOM, 1, "byte-order mark before the first entry"))
    return Document(
        raw_bytes=raw_bytes,
        entries=tuple(reader.entries),
        newline=newline,
        final_newline=flat.endswith("\n"),
        has_bom=has_bom,
        differences=tuple(sorted(differences, key=lambda difference: difference.line)),
        bad_byte=bad_byte,
        nul_byte=_place(raw_bytes, nul_offset) if nul_offset >= 0 else None,
    )


def _decode(raw_bytes: bytes) -> tuple[str, BadByte | None]:
    try:
        return raw_bytes.decode("utf-8"), None
    except UnicodeDecodeError as error:
        return raw_bytes.decode("utf-8", "replace"), _place(raw_bytes, error.start)


def _place(raw_bytes: bytes, offset: int) -> BadByte:
    before = raw_bytes[:offset].decode("utf-8", "replace").removeprefix(BOM)
    before = before.replace("\r\n", "\n").replace("\r", "\n")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return BadByte(offset=offset, line=line, column=column, value=raw_bytes[offset])


def _newlines(body: str) -> tuple[str, list[Difference]]:
    """The ending that most lines have (LF before CRLF before CR when equal), and what is not LF."""
    crlf = body.count("\r\n")
    counts = {"\n": body.count("\n") - crlf, "\r\n": crlf, "\r": body.count("\r") - crlf}
    newline = max(counts, key=lambda ending: counts[ending])
    used = {ending: count for ending, count in counts.items() if count}
    if len(used) > 1:
        odd = next(at for at in re.finditer(r"\r\n|\r|\n", body) if at.group() != newline)
        line = len(re.findall(r"\r\n|\r|\n", body[: odd.start()])) + 1
        told = ", ".join(f"{count} {_NEWLINE_NAMES[ending]}" for ending, count in used.items())
        return newline, [Difference(DifferenceKind.MIXED_NEWLINES, line, f"mixed line endings ({told})")]
    if newline == "\n" or not used:
        return newline, []
    kind = DifferenceKind.CRLF if newline == "\r\n" else DifferenceKind.CR
    return newline, [Difference(kind, 1, f"{_NEWLINE_NAMES[newline]} line endings")]


def _to_raw(body: str, bom_chars: int) -> Callable[[int], int]:
    """From an offset into the text with LF alone to the offset into the text as decoded."""
    dropped = [match.start() - index for index, match in enumerate(re.finditer("\r\n", body))]
    if not dropped:
        return lambda offset: offset + bom_chars
    return lambda offset: offset + bom_chars + bisect_left(dropped, offset)


class _Chunk(NamedTuple):
    """What stands between two delimiter lines, and the line of the file on which it begins."""

    start: int
    end: int
    line: int
    has_sign_before: bool
    has_sign_after: bool


def _chunks(flat: str) -> Iterator[_Chunk]:
    start, line, has_sign = 0, 1, False
    for match in _SIGN_LINE_END.finditer(flat):
        sign = match.start()
        if sign and flat[sign - 1] != "\n":
            continue
        yield _Chunk(start, max(start, sign - 1), line, has_sign, True)
        line += flat.count("\n", start, sign) + 1
        start, has_sign = min(sign + 2, len(flat)), True
    yield _Chunk(start, len(flat), line, has_sign, False)


class _Reader:
    """Walks the chunks once and collects entries and layout differences."""

    def __init__(self, flat: str, to_raw: Callable[[int], int]) -> None:
        self.flat = flat
        self.to_raw = to_raw
        self.entries: list[Entry] = []
        self.differences: list[Difference] = []
        self._first_index: dict[str, int] = {}

    def read(self) -> None:
        for chunk in _chunks(self.flat):
            start, text = _trim(self.flat, chunk.start, chunk.end)
            if text:
                self._add_entry(chunk, start, text)
            else:
                self._note_empty(chunk)
        if self.flat.endswith("\n"):
            self._note(DifferenceKind.FINAL_NEWLINE, self.flat.count("\n"), "newline at the end of the file")

    def _add_entry(self, chunk: _Chunk, start: int, text: str) -> None:
        line, end = chunk.line, start + len(text)
        if start > chunk.start:
            line += self.flat.count("\n", chunk.start, start)
            self._note_before(self.flat[chunk.start : start], chunk.line, line)
        if end < chunk.end:
            self._note_after(self._without_final_newline(end, chunk), line + text.count("\n"))
        index = len(self.entries)
        first = self._first_index.setdefault(text, index)
        if first != index:
            repeated = f"repeats the entry on line {self.entries[first].line}"
            self._note(DifferenceKind.DUPLICATE, line, repeated)
        span = (self.to_raw(start), self.to_raw(end))
        self.entries.append(Entry(text, span, line, None if first == index else first))

    def _without_final_newline(self, start: int, chunk: _Chunk) -> str:
        rest = self.flat[start : chunk.end]
        return rest if chunk.has_sign_after else rest.removesuffix("\n")

    def _note_before(self, skipped: str, chunk_line: int, line: int) -> None:
        if SIGN in skipped:
            self._note(DifferenceKind.LEADING_SIGN, chunk_line, "§ with blanks before the entry")
        elif "\n" in skipped:
            self._note(DifferenceKind.BLANK_LINES, chunk_line, "blank line before the entry")
        if BOM in skipped:
            self._note(DifferenceKind.BOM, line, "byte-order mark before the entry")
        if skipped.rpartition("\n")[2].replace(BOM, ""):
            self._note(DifferenceKind.ENTRY_BLANKS, line, "blanks before the entry")

    def _note_after(self, skipped: str, line: int) -> None:
        on_line, newline, _ = skipped.partition("\n")
        if on_line:
            self._note(DifferenceKind.ENTRY_BLANKS, line, "blanks after the entry")
        if SIGN in skipped:
            self._note(DifferenceKind.CLOSING_SIGN, line + 1, "§ with blanks after the entry")
        elif newline:
            self._note(DifferenceKind.BLANK_LINES, line + 1, "blank line after the entry")

    def _note_empty(self, chunk: _Chunk) -> None:
        if not chunk.has_sign_before and not chunk.has_sign_after:
            if self._without_final_newline(chunk.start, chunk):
                self._note(DifferenceKind.BLANK_LINES, chunk.line, "nothing but blanks")
        elif not chunk.has_sign_before:
            self._note(DifferenceKind.LEADING_SIGN, chunk.line, "§ line before the first entry")
        elif not chunk.has_sign_after:
            self._note(DifferenceKind.CLOSING_SIGN, max(chunk.line - 1, 1), "§ line after the last entry")
        else:
            self._note(DifferenceKind.EMPTY_ENTRY, chunk.line, "nothing between two § lines")

    def _note(self, kind: DifferenceKind, line: int, detail: str) -> None:
        self.differences.append(Difference(kind, line, detail))


def _trim(flat: str, start: int, end: int) -> tuple[int, str]:
    """Where the entry of a chunk begins, and its text; no text when the chunk holds none.

    Stripping can bare a `§` line that had blanks on it, or a byte-order mark. Written back, the one would
    bound an empty entry and the other could open the file, so they are layout already here.
    """
    text = flat[start:end]
    stripped = text.strip()
    if len(stripped) != len(text):
        start += len(text) - len(text.lstrip())
    if stripped.startswith((SIGN, BOM)):
        skipped = _matched_chars(_HEAD, stripped)
        start, stripped = start + skipped, stripped[skipped:]
    if stripped.endswith("\n§"):
        stripped = stripped[: len(stripped) - _matched_chars(_TAIL_REVERSED, stripped[::-1])]
    return start, "" if stripped == SIGN else stripped


def _matched_chars(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
