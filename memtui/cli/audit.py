"""`memtui audit`: threats in any number of homes, for scripts and fleets. It writes and records nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import click

from memtui import __version__
from memtui.cli.options import Count, Options, command_options, warn_of_suppressions
from memtui.cli.output import say, say_json, say_raw, warn
from memtui.cli.running import FAILED, FOUND
from memtui.core.errors import NotFound
from memtui.core.judgement import State
from memtui.core.threats.finding import Severity
from memtui.core.visible import clip, visible_text
from memtui.disk.choices import KNOWN_RULES
from memtui.view.amounts import counted
from memtui.view.rows import STATE_BADGES

if TYPE_CHECKING:
    from memtui.audit import AuditFinding, AuditProblem, HomeAudit

MATCHED_CELLS: Final = 60


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--recursive", "-r", is_flag=True, help="Look for homes below each PATH.")
@click.option("--backups", is_flag=True, help="Audit the backups beside the memory files, too.")
@click.option("--no-staged", is_flag=True, help="Leave the agent's staged writes out.")
@click.option("--sarif", is_flag=True, help="One SARIF 2.1.0 log instead of text.")
@click.option(
    "--fail-on", type=click.Choice([one.value for one in Severity]), default=Severity.WARN.value,
    show_default=True, help="The least severe finding that makes the exit code 1.",
)  # fmt: skip
@click.option(
    "--jobs", "-j", type=Count(min=1, max=256), metavar="N",
    help="Processes; one per core when there are many homes.",
)  # fmt: skip
@click.option(
    "--hermes-rules", type=click.Choice(KNOWN_RULES),
    help="Which release of Hermes says what the agent sees; the configuration's choice unless given.",
)  # fmt: skip
@command_options
@click.pass_obj
def audit(
    options: Options, paths: tuple[str, ...], recursive: bool, backups: bool, no_staged: bool, sarif: bool,
    fail_on: str, jobs: int | None, hermes_rules: str | None,
) -> None:  # fmt: skip
    """Find threats in any number of homes.

    PATH is a home, a memories folder or any file; without one the known homes are audited. --json prints one
    line a finding. The exit code is 1 when a finding is at or above --fail-on, else 2 when something could
    not be read, else 0; whatever could not be read is told and stops nothing.
    """
    from memtui.audit import AuditOptions
    from memtui.audit import audit as run_audit

    if sarif and options.as_json:
        raise click.UsageError("Give --json or --sarif, not both.")
    wanted = AuditOptions(
        recursive, with_staged=not no_staged, with_backups=backups, flavour=options.flavour or "",
        hermes_rules=hermes_rules or "",
    )  # fmt: skip
    named = paths or ([options.home] if options.home else [])
    _warn_of_own_files()
    tally = _Tally()
    audits = tally.count(run_audit(named, wanted, jobs=jobs))
    if sarif:
        from memtui.audit.sarif import sarif_pieces
        from memtui.disk.whereabouts import working_folder

        for piece in sarif_pieces(audits, working_folder(), __version__):
            say_raw(piece)
    elif options.as_json:
        _say_records(audits)
    else:
        _say_text(audits)
        say(tally.summary)
    if not named and not tally.roots and not tally.problems:
        raise NotFound("No home was found; name one: `memtui audit PATH`.")
    _leave(tally, Severity(fail_on))


def _warn_of_own_files() -> None:
    """Say what is wrong with a person's own rules and list of what is known and fine."""
    from memtui.disk.own_rules import own_rule_problems, use_own_rules

    warn_of_suppressions()
    use_own_rules()
    for problem in own_rule_problems():
        warn(f"note: {problem}")


@dataclass(slots=True)
class _Tally:
    """Counts what passes by, and tells people at a terminal how far it is."""

    roots: set[str] = field(default_factory=set)
    """Of the homes, those that could not be read included: files of one home may have been named one by one."""
    entries: int = 0
    staged: int = 0
    backups: int = 0
    findings: int = 0
    problems: int = 0
    worst_rank: int = -1
    """Rank of the worst severity that nobody marked as known and fine; -1 for none."""
    told: set[str] = field(default_factory=set)
    """Notes, each of which is told once: a choice holds for many homes."""

    def count(self, audits: Iterable[HomeAudit]) -> Iterator[HomeAudit]:
        """The same audits, counted; their notes and problems go to standard error."""
        shows_progress = sys.stderr.isatty()
        for one in audits:
            if one.is_home:
                self.roots.add(one.home)
            self.entries += one.entries
            self.staged += one.staged
            self.backups += one.backups
            self.findings += len(one.findings)
            self.problems += len(one.problems)
            self.worst_rank = max(self.worst_rank, one.worst.rank if one.worst else -1)
            if shows_progress:
                sys.stderr.write("\r\x1b[K")
            for note in one.notes:
                if note not in self.told:
                    self.told.add(note)
                    warn(f"note: {note}")
            for problem in one.problems:
                warn(f"memtui: {_problem_words(problem)}")
            yield one
            if shows_progress:
                done = f"{counted(len(self.roots), 'home')}, {counted(self.findings, 'finding')} …"
                sys.stderr.write(f"\r\x1b[K{done}")
                sys.stderr.flush()
        if shows_progress:
            sys.stderr.write("\r\x1b[K")

    @property
    def summary(self) -> str:
        """What there was, in one line."""
        counts = [
            counted(len(self.roots), "home"),
            counted(self.entries, "entry", "entries"),
            *([f"{self.staged:,} staged"] if self.staged else []),
            *([counted(self.backups, "backup")] if self.backups else []),
            counted(self.findings, "finding"),
        ]
        if self.problems:
            counts.append(f"{self.problems:,} could not be read")
        return f"{', '.join(counts)}."


def _say_records(audits: Iterable[HomeAudit]) -> None:
    from memtui.audit.report import finding_record, problem_record

    for one in audits:
        for finding in one.findings:
            say_json(finding_record(finding))
        for problem in one.problems:
            say_json(problem_record(problem))


def _say_text(audits: Iterable[HomeAudit]) -> None:
    for one in audits:
        for finding in one.findings:
            say(_text_line(finding))


def _problem_words(problem: AuditProblem) -> str:
    """The problem with its path: of a fleet, a file's name alone says nothing."""
    path = visible_text(problem.path)
    return problem.message if path in problem.message else f"{path}: {problem.message}"


def _text_line(one: AuditFinding) -> str:
    finding, region = one.finding, one.region
    place = f":{region.line}:{region.column}" if region else ""
    known = " (known and fine)" if finding.suppressed else ""
    quoted = clip(visible_text(finding.decoded or finding.matched), MATCHED_CELLS)
    agents = f" [{', '.join(one.agent_rules)}]" if one.agent_rules else ""
    return (
        f"{visible_text(one.file)}{place}: {finding.severity.value} {finding.id}{known}"
        f" · {_state_word(one.state)}{agents} · {one.name} “{quoted}” {finding.why}"
    )


def _state_word(state: State) -> str:
    """The word that the app uses."""
    badge = STATE_BADGES.get(state)
    return badge.word if badge else state.value


def _leave(tally: _Tally, fail_on: Severity) -> None:
    if tally.worst_rank >= fail_on.rank:
        raise click.exceptions.Exit(FOUND)
    if tally.problems:
        raise click.exceptions.Exit(FAILED)
