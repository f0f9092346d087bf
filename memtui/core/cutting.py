"""Whether a file's bytes hold a text, and what else they hold: as readers see it, bytes that are no text included.

Line ends count as one; what is no UTF-8 is shown as U+FFFD and is found by it.
"""

from __future__ import annotations

import re
from typing import Final

from memtui.core.codec import parse, render

_LOOSE: Final = re.compile("(\n|\ufffd+)")


def holds(raw_bytes: bytes, text: str) -> bool:
    """True when the text stands in these bytes."""
    return unix(text) in unix(raw_bytes.decode("utf-8", "replace"))


def without(raw_bytes: bytes, text: str) -> bytes:
    """The canonical file of what else these bytes hold; the very bytes where they are no text, none for nothing."""
    pattern = "".join(map(_pattern_of, _LOOSE.split(unix(text))))
    rest = re.sub(pattern, "", raw_bytes.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    document = parse(rest)
    return rest if document.bad_byte is not None else render(document.texts, document.newline)


def _pattern_of(part: str) -> str:
    if part == "\n":
        return r"(?:\r\n|\r|\n)"
    if part[:1] == "\ufffd":
        # A decoder makes one U+FFFD of one to three bytes that are no text. One class for the whole row: with a choice
        # for each sign a row of 34 took 20 seconds.
        return f"[\ufffd\udc80-\udcff]{{{len(part)},{3 * len(part)}}}"
    return re.escape(part)


def unix(text: str) -> str:
    """The text with every line end as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
