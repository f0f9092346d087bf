"""`memtui scan`: what memtui's scanner says of any text. It writes and records nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from memtui.cli.options import Options, command_options
from memtui.cli.output import say, say_json, warn
from memtui.cli.running import FOUND
from memtui.cli.shapes import finding_shape
from memtui.core.errors import Unreadable
from memtui.core.threats import scan as scan_text
from memtui.core.threats.finding import Finding, Severity
from memtui.core.threats.masking import without_secrets
from memtui.core.visible import clip, visible_text

MAX_BYTES: Final = 64 * 1024 * 1024
MATCHED_CELLS: Final = 200


@click.command()
@click.argument("file")
@click.option(
    "--fail-on", type=click.Choice([one.value for one in Severity]), default=Severity.WARN.value,
    show_default=True, help="The least severe finding that makes the exit code 1.",
)  # fmt: skip
@command_options
@click.pass_obj
def scan(options: Options, file: str, fail_on: str) -> None:
    """Scan any text as one memory entry.

    FILE is any file or pipe; - reads standard input. Bytes that are not UTF-8 are scanned as replacement signs. The
    exit code is 1 when a finding is at or above --fail-on.
    """
    from memtui.disk.own_rules import own_rule_problems, use_own_rules

    use_own_rules()
    for problem in own_rule_problems():
        warn(f"note: {problem}")
    text = _given_bytes(file).decode("utf-8", "replace").replace("\r\n", "\n")
    found = without_secrets(scan_text(text))
    if options.as_json:
        say_json({"file": file, "chars": len(text), "findings": [_shape(text, one) for one in found]})
    else:
        for one in found:
            _say_finding(text, file, one)
        say(f"{len(found)} {'finding' if len(found) == 1 else 'findings'} in {len(text):,} characters.")
    if any(one.severity.rank >= Severity(fail_on).rank for one in found):
        raise click.exceptions.Exit(FOUND)


def _given_bytes(file: str) -> bytes:
    """The file's bytes. Raises NotFound or Unreadable."""
    if file == "-":
        raw_bytes = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(raw_bytes) > MAX_BYTES:
            raise Unreadable(f"Standard input is longer than {MAX_BYTES:,} bytes; nothing was scanned.")
        return raw_bytes
    from memtui.disk.named import read_named

    return read_named(Path(file), MAX_BYTES)


def _place(text: str, found: Finding) -> tuple[int, int]:
    start = found.spans[0][0] if found.spans else 0
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def _shape(text: str, found: Finding) -> dict[str, object]:
    line, column = _place(text, found)
    return {**finding_shape(found), "line": line, "column": column}


def _say_finding(text: str, file: str, found: Finding) -> None:
    line, column = _place(text, found)
    name = "standard input" if file == "-" else visible_text(file)
    say(f"{name}:{line}:{column}: {found.severity.value} {found.id}: {found.why}")
    say(f"  found: {clip(found.matched, MATCHED_CELLS)}")
    if found.decoded:
        say(f"  it says: {clip(found.decoded, MATCHED_CELLS)}")
    say(f"  {found.advice}")
