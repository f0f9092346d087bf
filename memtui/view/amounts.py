"""Times and sizes as people say them. It reads no clock: what now is, is handed in."""

from __future__ import annotations

import time
from typing import Final

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS: Final = ("kB", "MB", "GB", "TB")
_AGES: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


def moment_words(when_s: float, now_s: float) -> str:
    """`09:14` for today, `27 Nov 09:14` for this year, `27 Nov 2024` before; `—` for no time at all.

    Both in Unix seconds; told in the local time zone, in English whatever the locale.
    """
    try:
        when, now = time.localtime(when_s), time.localtime(now_s)
    except (OverflowError, OSError, ValueError):
        return "—"
    if when_s <= 0:
        return "—"
    clock = f"{when.tm_hour:02}:{when.tm_min:02}"
    if when[:3] == now[:3]:
        return clock
    day = f"{when.tm_mday} {_MONTHS[when.tm_mon - 1]}"
    return f"{day} {clock}" if when.tm_year == now.tm_year else f"{day} {when.tm_year}"


def full_moment_words(when_s: float) -> str:
    """Day, time and second: `27 Nov 2026 09:14:05`."""
    try:
        when = time.localtime(when_s)
    except (OverflowError, OSError, ValueError):
        return "at an unknown time"
    return (
        f"{when.tm_mday} {_MONTHS[when.tm_mon - 1]} {when.tm_year} "
        f"{when.tm_hour:02}:{when.tm_min:02}:{when.tm_sec:02}"
    )


def age_words(age_s: float) -> str:
    """`12 s`, `5 min`, `2 h`, `3 d`: how long ago, in the largest unit that fits."""
    for size_s, unit in _AGES:
        if age_s >= size_s:
            return f"{int(age_s // size_s):,} {unit}"
    return f"{int(max(age_s, 0)):,} s"


def size_words(size_bytes: int) -> str:
    """`812 B`, `3.3 kB`, `41 MB`: two figures are enough to tell files apart."""
    if size_bytes < 1_000:
        return f"{size_bytes} B"
    size = float(size_bytes)
    for unit in _UNITS:
        size /= 1_000
        if size < 999.5 or unit == _UNITS[-1]:
            return f"{size:.1f} {unit}" if size < 9.95 else f"{size:,.0f} {unit}"
    raise AssertionError("the last unit takes any size")


def counted(count: int, one: str, many: str = "") -> str:
    """`1 backup`, `2,000 backups`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
