"""What reaches standard output and standard error: the last door before a terminal or a pipe.

Text of others passes `core.visible`; JSON escapes what a terminal might obey, so that it may be looked at.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memtui.core.visible import UNSAFE, clip, preview, visible_text

PIPED_WIDTH_CELLS = 10_000
"""A line that goes to a program is not cut to anybody's screen."""


class OutputFailed(Exception):
    """Standard output cannot be written; `str(e)` is the system's reason."""


def say(text: str = "") -> None:
    """Print text, made display-safe, its line breaks kept.

    Raises OutputFailed, or BrokenPipeError when nobody reads any more.
    """
    _print(visible_text(text, keep_newlines=True))


def say_raw(text: str) -> None:
    """Write a text as its bytes in UTF-8, nothing made safe: what goes to a program. Raises like `say`."""
    with _failures_told():
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def flush() -> None:
    """Hand over what was printed. Raises like `say`."""
    with _failures_told():
        sys.stdout.flush()


def warn(text: str) -> None:
    """Print a problem or a note to standard error, made display-safe, its line breaks kept."""
    print(visible_text(text, keep_newlines=True), file=sys.stderr)


def say_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line. Raises OutputFailed."""
    _print(escape_unprintable(json.dumps(value, ensure_ascii=False)))


def escape_unprintable(line: str) -> str:
    r"""JSON text with every character that acts or is not drawn as `\uXXXX`: the value stays the same."""
    line = UNSAFE.sub(lambda found: _escape(found[0]), line)
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in line)


def one_line(text: str, taken_cells: int = 0, *, is_whole: bool = False) -> str:
    """An entry's text as one safe line that fits what `taken_cells` leave of the terminal's width.

    Secrets are cut short, since lists end up in mails and logs, unless `is_whole`: what a person is to decide on.
    """
    from memtui.core.threats.masking import masked_preview

    is_shown = sys.stdout.isatty()
    width_cells = max(20, shutil.get_terminal_size().columns - taken_cells) if is_shown else PIPED_WIDTH_CELLS
    return preview(text, width_cells) if is_whole else masked_preview(text, width_cells)


def short(text: str, width_cells: int) -> str:
    """Any text of others in at most so many cells."""
    return clip(visible_text(text), width_cells)


def _print(text: str) -> None:
    with _failures_told():
        print(text)


def _escape(letter: str) -> str:
    return json.dumps(letter)[1:-1]


@contextmanager
def _failures_told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error.strerror or str(error)) from None
