"""The options that every command shares, and the one place where a command gets its store."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memtui.cli.output import warn
from memtui.core.errors import NotFound
from memtui.core.model import TARGETS
from memtui.core.visible import visible_text
from memtui.disk.faults import shown

if TYPE_CHECKING:
    from memtui.disk.homes import Home
    from memtui.store import MemoryStore

class Count(click.IntRange):
    """A whole number within bounds, called so when something else was given."""

    name = "whole number"


class Amount(click.FloatRange):
    """A number within bounds, called so when something else was given."""

    name = "number"


FLAVOURS = ("hermes", "pi")
TARGET = click.Choice(TARGETS)

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Options:
    """What was asked of this run as a whole; the same option is taken before and behind a command's name."""

    home: str | None = None
    flavour: str | None = None
    read_only: bool = False
    debug: bool = False
    as_json: bool = False
    wait_s: float | None = None
    """How long a write waits for a held lock; None for the store's own deadline."""

    def open_quietly(self, path: str | None = None) -> MemoryStore:
        """The loaded store on `path`, on `--home`, or on the home that is found. Raises a MemoryRefused."""
        from memtui.opening import open_store
        from memtui.store import LOCK_WAIT_S

        return open_store(
            self.home if path is None else path,
            flavour=self.flavour,
            read_only=self.read_only,
            wait_s=LOCK_WAIT_S if self.wait_s is None else self.wait_s,
        )

    def open_home(self, home: Home) -> MemoryStore:
        """The loaded store on a home that was found."""
        from memtui.opening import open_home
        from memtui.store import LOCK_WAIT_S

        wait_s = LOCK_WAIT_S if self.wait_s is None else self.wait_s
        return open_home(home, flavour=self.flavour, read_only=self.read_only, wait_s=wait_s)

    def open_store(self, path: str | None = None, *, may_be_absent: bool = False) -> MemoryStore:
        """The same for a command, which tells on standard error what of the configuration or what is fine is useless.

        `may_be_absent`: the command can make a home, or has to do with one that went. To any other, and to a check by
        cron above all, a slip in a path must not look like a clean home. Raises NotFound for one that is not there.
        """
        store = self.open_quietly(path)
        if not may_be_absent:
            self.refuse_absent(store, path)
        if not os.path.lexists(store.memories):
            warn(f"note: {visible_text(str(store.memories))} is not there yet; the first write makes it.")
        for problem in filter(None, (*store.settings.problems, store.suppressions.problem)):
            warn(f"note: {problem}")
        return store

    def refuse_absent(self, store: MemoryStore, path: str | None = None) -> None:
        """Raises NotFound for a store on a home that is not there."""
        from memtui.disk.homes import is_absent
        from memtui.opening import home_of

        home = home_of(store)
        if not is_absent(home):
            return
        by = " HERMES_HOME names it." if path is None and self.home is None else ""
        raise NotFound(
            f"There is no home at {shown(home.root)}, so nothing was looked at.{by} Check the path; "
            "`memtui add` would make a new home there.",
            {"path": str(home.root)},
        )


def warn_of_suppressions() -> None:
    """Say what is wrong with a person's list of what is known and fine, for a command that opens no store."""
    from memtui.disk.folders import suppressions_path
    from memtui.disk.suppressions import Suppressions

    if problem := Suppressions.load(suppressions_path()).problem:
        warn(f"note: {problem}")


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and value is not False:
        setattr(context.find_object(Options), str(parameter.name), value)


def _shared(*names: str, **settings: Any) -> Callable[[Command], Command]:
    return click.option(*names, expose_value=False, callback=_keep, **settings)


_HOME = _shared("--home", metavar="PATH", help="The agent's home, a memories folder or a memory file.")
_FLAVOUR = _shared("--flavour", type=click.Choice(FLAVOURS), help="How the prompt block is rendered.")
_READ_ONLY = _shared("--read-only", is_flag=True, help="Refuse every write.")
_DEBUG = _shared("--debug", is_flag=True, help="Show the whole of an unexpected error.")
_JSON = _shared("--json", "as_json", is_flag=True, help="One JSON object (or one a line) instead of text.")
_WAIT = _shared(
    "--wait", "wait_s", type=Amount(min=0), metavar="SECONDS", help="Wait so long for a held lock."
)


def run_options(command: Command) -> Command:
    """The options of the run as a whole."""
    return _HOME(_FLAVOUR(_READ_ONLY(_DEBUG(command))))


def command_options(command: Command) -> Command:
    """The options of a command that prints."""
    return _JSON(run_options(command))


def write_options(command: Command) -> Command:
    """The options of a command that writes."""
    return _WAIT(command_options(command))
