"""Commands that show entries and prompts. They record nothing and write nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.options import TARGET, Options, command_options
from memtui.cli.output import one_line, say, say_json, say_raw, short, warn
from memtui.cli.running import FAILED
from memtui.cli.shapes import Judged, entry_shape, file_shape, judged
from memtui.core.errors import Ambiguous, NoMatch, Unreadable
from memtui.core.judgement import State
from memtui.core.model import FILE_NAMES, TARGETS, MemoryFile
from memtui.core.pairing import NOT_UTF8, paired
from memtui.core.threats.finding import Severity
from memtui.core.threats.masking import masked_preview, masked_text
from memtui.core.visible import visible_text
from memtui.view.agent_notes import unread_words
from memtui.view.amounts import counted
from memtui.view.rows import UNSEEN

if TYPE_CHECKING:
    from memtui.core.rewording import Rewording
    from memtui.store import MemoryStore

QUOTED_CELLS = 200


@click.command("list")
@click.argument("target", type=TARGET, required=False)
@command_options
@click.pass_obj
def list_entries(options: Options, target: str | None) -> None:
    """List the entries of TARGET, or of both targets."""
    store = options.open_store()
    files = [store.inspect(name) for name in ([target] if target else TARGETS)]
    if options.as_json:
        say_json(
            {
                "home": str(store.memories),
                "flavour": store.flavour,
                "targets": [
                    {**file_shape(file), "entries": [entry_shape(one) for one in judge(store, file)]} for file in files
                ],
            }
        )
    else:
        for file in files:
            if not file.problem:
                _say_file(file, judge(store, file))
    fail_for_unreadable(files)


@click.command()
@click.argument("entry")
@click.option("--target", type=TARGET, help="Look in this target alone.")
@click.option("--raw", is_flag=True, help="The bare text, unchanged; refused on a terminal.")
@command_options
@click.pass_obj
def show(options: Options, entry: str, target: str | None, raw: bool) -> None:
    """Show one entry and all that is known of it.

    ENTRY is a name from `memtui list` such as #ab12cd34, a number with --target, or a part of the text.
    """
    if raw and sys.stdout.isatty():
        raise click.UsageError("--raw could drive your terminal; send it to a file or a pipe.")
    store = options.open_store()
    files = [store.inspect(name) for name in ([target] if target else TARGETS)]
    try:
        one = find_entry([one for file in files for one in judge(store, file)], entry)
    except NoMatch:
        refuse_unreadable(files)
        raise
    others = _rewordings(store, one) if one.state is State.HIDDEN else ()
    if options.as_json:
        swaps = [{"text": other.text, "before": other.before, "after": other.after} for other in others]
        say_json({**entry_shape(one), "rewordings": swaps})
    elif raw:
        say_raw(one.entry.text)
    else:
        _say_entry(one)
        for other in others:
            say(f"It would see this: {visible_text(other.text)}")


@click.command()
@click.argument("target", type=TARGET, required=False)
@click.option("--guarded", is_flag=True, help="memtui's own block: what its scanner blocks is a placeholder.")
@click.option("--session", metavar="ID", help="What a recorded session holds, beside the disk; or: latest.")
@command_options
@click.pass_obj
def snapshot(options: Options, target: str | None, guarded: bool, session: str | None) -> None:
    """Print the prompt block of the agent.

    It is what a session that starts now would get, holes and false alarms of the agent's own scan included.
    With --session: `=` stands in that chat, `~` in older words, `+` not yet, `−` is gone from disk and still there.
    """
    if session is not None and guarded:
        raise click.UsageError("--guarded is memtui's own block; a session has the agent's.")
    store = options.open_store()
    targets = (target,) if target else TARGETS
    if session is not None:
        from memtui.cli.sessions import say_session

        say_session(options, store, targets, session)
        return
    files = [store.inspect(name, scan=False) for name in targets]
    unread: tuple[str, ...] = ()
    if guarded:
        whole = store.format_for_system_prompt(target) if target else store.format_all_for_system_prompt()
    else:
        from memtui.store.prompting import agent_prompt, unread_targets

        unread = unread_targets(store.snapshot, store.flavour, targets)
        whole = agent_prompt(store.snapshot, store.flavour, store.settings.hermes_rules, targets)
    if options.as_json:
        say_json({"flavour": store.flavour, "guarded": guarded, "prompt": whole})
    elif whole:
        say(visible_text(whole, keep_newlines=True))
    elif not unread and not any(file.problem for file in files):
        warn("There is no entry, so the prompt gets no block.")
    for name in unread:
        warn(unread_words(FILE_NAMES[name]))
    fail_for_unreadable(files)


def judge(store: MemoryStore, file: MemoryFile) -> list[Judged]:
    """Every entry of a file with its findings and what the agent makes of it."""
    return list(judged(file, paired(file.entries, store.agent_view(file.target, live=True))))


def refuse_unreadable(files: list[MemoryFile]) -> None:
    """Raises Unreadable for the first file that could not be read."""
    for file in files:
        if file.problem:
            raise Unreadable(file.problem, {"path": file.path})


def fail_for_unreadable(files: list[MemoryFile]) -> None:
    """Tell which files could not be read, and leave with their exit code when there are any."""
    problems = [file.problem for file in files if file.problem]
    for problem in problems:
        warn(f"memtui: {problem}")
    if problems:
        raise click.exceptions.Exit(FAILED)


def gauge(file: MemoryFile) -> str:
    """How full a file is, in words."""
    budget = file.budget
    entries = counted(len(file.entries), "entry", "entries")
    return f"{budget.used_chars:,}/{budget.limit_chars:,} characters, {budget.percent} %, {entries}"


def state_words(one: Judged) -> str:
    """Mark and words of an entry's state with the rules that led to it; empty when it is clean.

    The agent's own where the agent alone minds the entry, else those of memtui that count.
    """
    if one.badge is None:
        return ""
    ours = [found.id for found in one.findings if not found.suppressed and found.severity is not Severity.INFO]
    rules = one.agent.rule_ids if one.badge is UNSEEN and one.agent else ours
    return f"{one.badge.mark} {one.badge.word} ({', '.join(dict.fromkeys(rules))})"


def _say_file(file: MemoryFile, entries: list[Judged]) -> None:
    say(f"{file.target}  {gauge(file)}  {visible_text(file.path)}")
    for one in entries:
        head = f"{one.number:>4}  #{one.entry.name}  {len(one.entry.text):>5}  {state_words(one)}".rstrip() + "  "
        say(head + one_line(masked_text(one.entry.text, one.findings), len(head)))


def _say_entry(one: Judged) -> None:
    size = f"{len(one.entry.text):,} characters, line {one.entry.line}"
    say(f"{one.target} {one.number}  #{one.entry.name}  {size}  {state_words(one)}".rstrip())
    say(visible_text(one.entry.text, keep_newlines=True))
    for found in one.findings:
        note = " (known and fine)" if found.suppressed else ""
        say(f"\n{found.severity.value}: {found.id}{note}: {found.why}")
        say(f"  found: {short(found.matched, QUOTED_CELLS)}")
        if found.decoded:
            say(f"  it says: {found.decoded}")
        say(f"  {found.advice}")
    if one.agent and one.agent.rule_ids == (NOT_UTF8,):
        say(f"\n{unread_words()}")
    elif one.agent and one.agent.hidden:
        say(f"\nThe agent reads instead: {visible_text(one.agent.shown)}")


def _rewordings(store: MemoryStore, one: Judged) -> tuple[Rewording, ...]:
    """Ways to write a harmless entry so that the agent sees it."""
    from memtui.core.rewording import rewordings

    return rewordings(one.entry.text, store.settings.hermes_rules, one.findings)


def find_entry(entries: list[Judged], wanted: str) -> Judged:
    """The one entry meant. Raises NoMatch or Ambiguous."""
    found = list(_meant(entries, wanted))
    if not found:
        meant = masked_preview(wanted, QUOTED_CELLS)
        raise NoMatch(f"No entry is “{meant}”, by name, number or text; `memtui list` shows what there is.")
    if len(found) > 1 and len({one.entry.text for one in found}) > 1:
        lines = [f"  {one.target} {one.number}  #{one.entry.name}  {one_line(one.entry.text, 30)}" for one in found]
        candidates = [entry_shape(one) for one in found]
        raise Ambiguous("\n".join(["Several entries are meant; name one:", *lines]), {"candidates": candidates})
    return found[0]


def _meant(entries: list[Judged], wanted: str) -> Iterator[Judged]:
    text = wanted.strip()
    equal = [one for one in entries if one.entry.text == text or f"#{one.entry.name}" == text.lower()]
    numbered = [one for one in entries if text == str(one.number)]
    yield from equal or numbered or (one for one in entries if text and text in one.entry.text)
