"""What a person wrote into a file of settings, read and named so that no value in it can stop the program.

Python itself refuses to read or to write a number of more than 4,300 decimal digits, and to nest without end; both
become a fault of the file, in words.
"""

from __future__ import annotations

from typing import Any

from memtui.core.visible import clip


def read_toml(text: str) -> dict[str, Any]:
    """The table that a TOML text holds. Raises ValueError, in words, for whatever is wrong with it."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError("something in it is nested too deeply") from None
    except ValueError:
        raise ValueError("a number in it has too many digits") from None


def told(value: object, width_cells: int) -> str:
    """A value as it is written in code, safe to draw and cut to a width."""
    try:
        return clip(repr(value), width_cells)
    except (ValueError, RecursionError):
        return "a value too large to be shown"
