"""Files as people report them, with what is to be said of each. All names, hosts and secrets are made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memtui.core.model import Verdict

CLEAN, LAYOUT, OVER, MERGED, DRIFT = (
    Verdict.CLEAN,
    Verdict.LAYOUT,
    Verdict.OVER_BUDGET,
    Verdict.MERGED,
    Verdict.DRIFT,
)


@dataclass(frozen=True)
class Reported:
    """One file: its bytes, the worst verdict, a part of what is said, and its entries once it is resolved."""

    raw_bytes: bytes
    verdict: Verdict
    said: str = ""
    resolved: tuple[str, ...] | None = None
    """What the resolver's own suggestion makes of it; None when a person has to choose more."""
    limit_chars: int = 2200
    has_lost_bytes: bool = False
    """True when the suggestion leaves bytes out, so that the backup holds more than the file."""


SHELL_LINES = "\n".join(f"- cron job {number} writes to the made-up host box{number}" for number in range(60))
MANY_NOTES = tuple(f"Note {number} " + "keeps the lights low and the door shut " * 15 for number in range(966))
CHINESE = "第一条：先核对再写入\n§\n第二条：发现疑点就提出"

REPORTED: Final = {
    # A row of the table each: layout differences.
    "final newline": Reported(b"Alpha\n\xc2\xa7\nBeta\n", LAYOUT, "newline at the end", ("Alpha", "Beta")),
    "blanks at an entry's ends": Reported(b"Alpha  \n\xc2\xa7\n Beta", LAYOUT, "blanks", ("Alpha", "Beta")),
    "blank lines round the sign": Reported(
        b"Alpha\n\n\xc2\xa7\n\nBeta", LAYOUT, "Hermes 0.19 refuses", ("Alpha", "Beta")
    ),
    "leading sign": Reported(b"\xc2\xa7\nAlpha\n\xc2\xa7\nBeta", LAYOUT, "before the first", ("Alpha", "Beta")),
    "closing sign": Reported(b"Alpha\n\xc2\xa7\nBeta\n\xc2\xa7\n", LAYOUT, "after the last", ("Alpha", "Beta")),
    "doubled sign": Reported(
        b"Alpha\n\xc2\xa7\n\xc2\xa7\nBeta", LAYOUT, "between two", ("Alpha", "Beta")
    ),
    "CRLF": Reported(b"Alpha\r\n\xc2\xa7\r\nBeta", LAYOUT, "CRLF", ("Alpha", "Beta")),
    "mixed CRLF": Reported(
        b"Alpha\r\n\xc2\xa7\nBeta\n\xc2\xa7\nGamma", LAYOUT, "mixed line endings", ("Alpha", "Beta", "Gamma")
    ),
    "BOM": Reported(b"\xef\xbb\xbfAlpha\n\xc2\xa7\nBeta", LAYOUT, "byte-order mark", ("Alpha", "Beta")),
    "duplicates": Reported(
        b"Alpha\n\xc2\xa7\nBeta\n\xc2\xa7\nAlpha", LAYOUT, "repeats", ("Alpha", "Beta")
    ),
    # Merged entries.
    "legacy headings": Reported(
        b"## Hosts\nweb runs on box1\n\n## Habits\nLikes short answers\n",
        MERGED,
        "2 notes",
        ("## Hosts\nweb runs on box1", "## Habits\nLikes short answers"),
    ),
    "sign with a trailing blank": Reported(
        b"Alpha fact\n\xc2\xa7 \nBeta fact", MERGED, "blanks on its line", ("Alpha fact", "Beta fact")
    ),
    "sign as bullet": Reported(
        "§ router: shelf\n\n§ disk: weekly".encode(), MERGED, "2 notes", ("router: shelf", "disk: weekly")
    ),
    "sign glued to a line": Reported(b"Alpha fact\xc2\xa7\nBeta fact", MERGED, "glued", ("Alpha fact", "Beta fact")),
    "a plain editor's blocks": Reported(
        b"Uses a blue notebook.\n\nPrefers short answers.\n", MERGED, "2 notes",
        ("Uses a blue notebook.", "Prefers short answers."),
    ),
    # Drift.
    "a shell appended to the last entry": Reported(
        f"Alpha fact\n§\n{SHELL_LINES}".encode(), DRIFT, "longer than the whole limit", None
    ),
    "Latin-1 among UTF-8 signs": Reported(
        b"Caf\xe9 opens at nine\n\xc2\xa7\nTea on Friday", DRIFT, "0xE9 at line 1, column 4",
        ("Café opens at nine", "Tea on Friday"),
    ),
    "UTF-16 with BOM": Reported(
        "Alpha größer\r\n§\r\nBeta".encode("utf-16"), DRIFT, "looks like UTF-16", ("Alpha größer", "Beta")
    ),
    "GB18030": Reported(CHINESE.encode("gb18030"), DRIFT, "not UTF-8", tuple(CHINESE.split("\n§\n"))),
    "cut in the middle of a character": Reported(
        CHINESE.encode()[:-1], DRIFT, "not UTF-8", ("第一条：先核对再写入", "第二条：发现疑点就提"),
        has_lost_bytes=True,
    ),
    "NUL bytes": Reported(b"Alpha\0 fact\n\xc2\xa7\nBeta", DRIFT, "0x00", ("Alpha fact", "Beta"),
        has_lost_bytes=True,
    ),
    # Over budget is none.
    "966 entries against 10,000 characters": Reported(
        "\n§\n".join(MANY_NOTES).encode(), OVER, "Over budget", None, 10_000
    ),
    # Ordinary notes of several lines.
    "lines in one block": Reported(b"Deploy:\n- build\n- push", CLEAN, "", ("Deploy:\n- build\n- push",)),
    "a rich entry beside another": Reported(
        b"## Job\n\n1. read\n2. post\n\n- done\n\xc2\xa7\nSecond", CLEAN, "",
        ("## Job\n\n1. read\n2. post\n\n- done", "Second"),
    ),
}  # fmt: skip
