"""Fills the generated parts of README.md: the keys from the app's table of keys, the commands from the CLI.

python docs/make_tables.py            write README.md
python docs/make_tables.py --check    exit 1 when it is not current
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the package of this very tree, imported below

from memtui.cli.app import open_app  # noqa: E402
from memtui.cli.root import root as memtui  # noqa: E402
from memtui.view.keys import key_table  # noqa: E402

README = ROOT / "README.md"


def command_table() -> str:
    """Every command with its arguments and the first sentence of its help, as a Markdown table."""
    rows = [
        "| command | what it does |",
        "|---|---|",
        f"| `memtui [PATH]` | {_sentence(open_app)} |",
    ]
    whole = click.Context(memtui)
    for name in memtui.list_commands(whole):
        command = memtui.get_command(whole, name)
        if command is None or command.hidden:
            continue
        context = click.Context(command, info_name=name)
        pieces = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
        usage = " ".join(["memtui", name, *pieces]).replace("...", "…")
        for written, meant in (("[memory|user]", "[TARGET]"), ("{memory|user}", "TARGET"), ("|", " or ")):
            usage = usage.replace(written, meant)
        rows.append(f"| `{usage}` | {_sentence(command)} |")
    return "\n".join(rows)


def filled(text: str) -> str:
    """The README's text with its generated parts made anew."""
    for name, table in (("keys", key_table()), ("commands", command_table())):
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = pattern.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text)
    return text


def _sentence(command: click.Command) -> str:
    first = (command.help or "").split("\n\n")[0]
    return " ".join(first.split())


def main() -> int:
    """Write or check README.md; the exit code."""
    text = README.read_text(encoding="utf-8")
    current = filled(text)
    if "--check" in sys.argv[1:]:
        return 0 if current == text else 1
    README.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
