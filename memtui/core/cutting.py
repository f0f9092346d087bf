"""Whether a file's bytes hold a text, and what else they hold: as readers see it, bytes that are no text included.

Line ends count as one; what is no UTF-8 is shown as U+FFFD and is found by it.
"""

from __future__ import annotations

import re
from typing import Final

from memtui.core.codec import parse, render

_SIGN_LINES: Final = re.compile("((?:(?<=[\r\n])|^)§(?:\r\n|\r|\n|\\Z))".encode())
_LOOSE: Final = re.compile("(\n|\ufffd+)")


def holds(raw_bytes: bytes, text: str) -> bool:
    """True when the text stands in these bytes."""
    return unix(text) in unix(raw_bytes.decode("utf-8", "replace"))


def is_entry(raw_bytes: bytes, text: str) -> bool:
    """True when the text is all of an entry of these bytes."""
    return holds(raw_bytes, text.strip()) and unix(text).strip() in parse(raw_bytes).texts


def entries_around(raw_bytes: bytes, text: str) -> tuple[str, ...]:
    """The entries of these bytes that hold the text and more."""
    part = unix(text).strip()
    return tuple(entry for entry in parse(raw_bytes).texts if part in entry and entry != part)


def without_entry(raw_bytes: bytes, text: str) -> bytes:
    """What these bytes hold without every entry that is just the text; the very bytes when there is none.

    The canonical file of the other entries, or the bytes of those where some are no text.
    """
    if not is_entry(raw_bytes, text):
        return raw_bytes
    document, gone = parse(raw_bytes), unix(text).strip()
    if document.bad_byte is None:
        return render([entry for entry in document.texts if entry != gone], document.newline)
    parts = _SIGN_LINES.split(raw_bytes)
    return b"".join(part for part in parts if parse(part).texts != (gone,))


def without(raw_bytes: bytes, text: str) -> bytes:
    """The canonical file of what else these bytes hold; the very bytes where they are no text, none for nothing.

    It cuts the text out of entries that hold more, too.
    """
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
