"""A command over several targets: what one of them refuses hides nothing of what was done to the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from memtui.cli.output import warn
from memtui.cli.running import exit_code_of
from memtui.cli.shapes import refusal_shape
from memtui.core.errors import MemoryRefused


class Refusals:
    """What the targets of one command refused, kept until the rest is done and told."""

    def __init__(self) -> None:
        self._by_target: dict[str, MemoryRefused] = {}

    def add(self, target: str, refusal: MemoryRefused) -> None:
        """Note why a target's work was not done, or not to its end."""
        self._by_target[target] = refusal

    @contextmanager
    def of(self, target: str) -> Iterator[None]:
        """Note a refusal of the work inside, instead of raising it."""
        try:
            yield
        except MemoryRefused as refusal:
            self.add(target, refusal)

    def shape(self) -> dict[str, Any]:
        """`ok`, and of refusals the first in the usual shape, then all of them with their targets."""
        told = [{"target": target, **refusal_shape(refusal)} for target, refusal in self._by_target.items()]
        first = next(iter(self._by_target.values()), None)
        return {**refusal_shape(first), "refusals": told} if first else {"ok": True}

    def leave(self) -> None:
        """Tell them, and leave with the worst exit code of them; nothing without any."""
        for refusal in self._by_target.values():
            warn(f"memtui: {refusal}")
        if self._by_target:
            raise click.exceptions.Exit(max(map(exit_code_of, self._by_target.values())))
