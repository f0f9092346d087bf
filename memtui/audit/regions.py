"""From spans in an entry's text to lines and columns of the file it stands in."""

from __future__ import annotations

import re
from bisect import bisect_left

from memtui.audit.values import Region
from memtui.core.codec import BOM
from memtui.core.model import Document, Entry


class Regions:
    """The places in one file; its bytes are decoded when the first place is asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._decoded: str | None = None

    def region(self, entry: Entry, span: tuple[int, int]) -> Region:
        """Where a span of the entry's text stands in the file, whose newlines may be longer."""
        first, last = span[0], max(span[0], span[1] - 1)
        start, end = self._file_offset(entry, first), self._file_offset(entry, last) + 1
        return Region(
            line=entry.line + entry.text.count("\n", 0, first),
            column=start - self._line_start(start) + 1,
            last_line=entry.line + entry.text.count("\n", 0, last),
            last_column=end - self._line_start(end - 1) + 1,
            char_offset=start - len(self._mark),
            char_length=end - start,
        )

    @property
    def _text(self) -> str:
        if self._decoded is None:
            self._decoded = self._document.raw_bytes.decode("utf-8", "replace")
        return self._decoded

    @property
    def _mark(self) -> str:
        return BOM if self._document.has_bom else ""

    def _file_offset(self, entry: Entry, offset: int) -> int:
        """The offset in the decoded file: the text of an entry has LF where the file may have CR LF."""
        start, end = entry.span
        if end - start == len(entry.text):
            return start + offset
        segment = self._text[start:end]
        pairs = [match.start() - index for index, match in enumerate(re.finditer("\r\n", segment))]
        return start + offset + bisect_left(pairs, offset)

    def _line_start(self, offset: int) -> int:
        text = self._text
        newline = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
        return newline + 1 if newline >= 0 else len(self._mark)
