"""What a text field can hold: fields draw what they hold, and some change what they are given."""

from __future__ import annotations

from memtui.core.visible import visible_spans


def can_be_typed(text: str) -> bool:
    """True when a text field can hold this text: it holds nothing that would be drawn as a mark, save tabs."""
    return not any(
        segment.is_mark and text[segment.start] != "\t" for segment in visible_spans(text, keep_newlines=True)
    ) and "\r" not in text


def typeable(text: str) -> tuple[str, int]:
    """A pasted text without what a text field must not hold, and how many characters were left out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = []
    dropped = 0
    for segment in visible_spans(text, keep_newlines=True):
        if segment.is_mark and text[segment.start] != "\t":
            dropped += segment.end - segment.start
        else:
            kept.append(text[segment.start : segment.end])
    return "".join(kept), dropped
