"""memtui's own threat scanner. Importing it compiles no rule; the first scan does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.core.threats.chosen import chosen_scanner
from memtui.core.threats.finding import Finding, Severity, is_blocking, suppression_key, worst

__all__ = ["Finding", "Severity", "is_blocking", "scan", "scan_joints", "suppression_key", "worst"]


def scan(text: str) -> list[Finding]:
    """What is dangerous in a text, the most severe first; [] for nothing. Never raises, whatever the text.

    Raises TypeError for what is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"scan takes a text (str), not {type(text).__name__}")
    return chosen_scanner().scan(text)


def scan_joints(texts: Sequence[str], rest: Callable[[], object] = lambda: None) -> list[list[Finding]]:
    """The findings of each of the entries as they will stand together in the prompt.

    A finding that crosses from one entry to the next is reported on every entry it touches, with the span inside it.
    `rest` is called after every few texts: there a scan beside an event loop lets go of the interpreter.
    """
    return chosen_scanner().scan_joints(texts, rest)
