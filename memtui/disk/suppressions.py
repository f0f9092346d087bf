"""What a person marked as known and fine: this finding, in exactly this text.

Lies in the user's configuration folder, where no agent writes. One byte of the entry changed, and the finding
is shown again. It never hides a finding, and never throws away a file that it cannot read.
"""

from __future__ import annotations

import contextlib
import getpass
import itertools
import json
import math
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from memtui.core.digest import text_sha256
from memtui.core.errors import InvalidArgument, WriteFailed
from memtui.core.threats.finding import Finding, suppression_key
from memtui.core.threats.masking import masked_preview
from memtui.disk.atomic import replace_file
from memtui.disk.creation import FILE_MODE, create_private, make_folder
from memtui.disk.faults import shown, write_failed
from memtui.disk.files import FileIdentity, is_stale, read_state
from memtui.disk.lock import hold_locks

FORMAT: Final = 1
PREVIEW_CELLS: Final = 60
WAIT_S: Final = 5.0
UNREADABLE: Final = "\ufffd"
"""What is shown for bytes that are no text."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One finding that is known and fine."""

    key: str
    """`suppression_key` of the entry's text and the rule."""
    rule_id: str
    sha256: str
    """Of the entry's text: what audits of other homes can look for."""
    who: str
    when: float
    """Seconds since 1970."""
    reason: str
    preview: str
    """The beginning of the text, safe to draw and without the secrets in it."""


@dataclass(slots=True)
class Suppressions:
    """The suppressions in one file. What another program changes there is seen at the next question."""

    path: Path
    problem: str = ""
    """What is wrong with the file, in words for a person; empty when all is well."""
    _by_key: Mapping[str, Suppression] = field(default_factory=dict)
    _identity: FileIdentity | None = None

    @classmethod
    def load(cls, path: Path) -> Suppressions:
        """Read the file, if there is one. Never raises; `problem` says what could not be read."""
        suppressions = cls(path)
        suppressions._refresh()
        return suppressions

    @property
    def items(self) -> tuple[Suppression, ...]:
        """All suppressions, the oldest first."""
        self._refresh()
        return tuple(sorted(self._by_key.values(), key=lambda known: known.when))

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all suppressions: as long as they are the same, every finding is judged the same."""
        self._refresh()
        return frozenset(self._by_key)

    def reason_for(self, text: str, rule_id: str) -> str:
        """Why this rule's finding in this very text is known and fine; "" when nobody marked it."""
        self._refresh()
        known = self._by_key.get(suppression_key(text, rule_id))
        return known.reason if known else ""

    def apply(self, text: str, findings: Iterable[Finding]) -> list[Finding]:
        """The findings of a text, those marked as known and fine with `suppressed=True`. None is left out."""
        found = list(findings)
        if found:
            self._refresh()
        return [replace(one, suppressed=self._knows(text, one.id)) for one in found]

    def add(self, text: str, rule_id: str, *, reason: str, who: str = "") -> Suppression:
        """Mark one rule's finding in this text as known and fine; `who` is the user's name when empty.

        Raises `Locked` or `WriteFailed` when it cannot be stored, `InvalidArgument` for a text with U+FFFD, which
        stands for bytes that nobody can tell apart; then nothing is suppressed.
        """
        self.allow(text, [rule_id], reason=reason, who=who)
        return self._by_key[suppression_key(text, rule_id)]

    def allow(
        self, text: str, rule_ids: Collection[str], *, reason: str, who: str = "", renews: bool = False
    ) -> None:
        """Mark the findings of several rules in this text as known and fine. Raises as `add`.

        `renews`: what is marked already takes the new reason, which a person gave for it; else it keeps its own.
        """
        if UNREADABLE in text:
            raise InvalidArgument(
                "Nothing was marked: U+FFFD in the text stands for bytes that nobody can read, and other bytes would "
                "read the same. Write the text anew without it first."
            )
        made = [_suppression(text, rule_id, reason, who or _user_name()) for rule_id in rule_ids]
        fresh = {known.key: known for known in made}
        self._change(lambda by_key: {**by_key, **fresh} if renews else {**fresh, **by_key})

    def revoke(self, key: str) -> bool:
        """Show the finding again as new; False when nothing was suppressed under the key. Raises as `add`."""
        was_there = any(known.key == key for known in self.items)
        self._change(lambda by_key: {name: known for name, known in by_key.items() if name != key})
        return was_there

    def forget(self, text: str, reason: str) -> tuple[str, ...]:
        """Show again what was marked in this text for this very reason; ids of the rules. Raises as `add`."""
        sha256 = text_sha256(text)
        dropped = [known for known in self.items if (known.sha256, known.reason) == (sha256, reason)]
        if dropped:
            keys = {known.key for known in dropped}
            self._change(lambda by_key: {name: known for name, known in by_key.items() if name not in keys})
        return tuple(known.rule_id for known in dropped)

    def _knows(self, text: str, rule_id: str) -> bool:
        return UNREADABLE not in text and suppression_key(text, rule_id) in self._by_key

    def _refresh(self) -> None:
        if is_stale(self._identity, self.path, time.time_ns()):
            state = read_state(self.path)
            self._take(state.raw_bytes, state.identity, state.problem)

    def _take(self, raw_bytes: bytes, identity: FileIdentity | None, obstacle: str) -> None:
        by_key, damage = parse(raw_bytes)
        if damage:
            damage = f"{shown(self.path)}: {damage} The next change keeps the damaged file beside it."
        self._by_key, self._identity, self.problem = by_key, identity, obstacle or damage

    def _change(self, edit: Callable[[Mapping[str, Suppression]], Mapping[str, Suppression]]) -> None:
        """Read again under the lock, edit, write. A damaged file is first kept under another name."""
        make_folder(self.path.parent)
        with hold_locks(self.path, WAIT_S):
            state = read_state(self.path)
            if state.problem:
                raise WriteFailed(f"Nothing was marked: {state.problem}", {"path": str(self.path)})
            by_key, damage = parse(state.raw_bytes)
            edited = edit(by_key)
            if damage:
                self._keep_beside(state.raw_bytes, "damaged")
            if damage or edited != by_key:
                expected = state.raw_bytes if state.exists else None
                replace_file(self.path, render(edited.values()), expected=expected, keep=self._keep_beside)
                with contextlib.suppress(PermissionError):
                    os.chmod(self.path, FILE_MODE)
            self._identity = None
            self._refresh()

    def _keep_beside(self, raw_bytes: bytes, why: str) -> None:
        """Keep bytes that leave the file under a name that tells why and when."""
        base = f"{self.path.name}.{why}-{int(time.time())}"
        for number in itertools.count(1):
            name = base if number == 1 else f"{base}.{number}"
            with contextlib.suppress(FileExistsError):
                create_private(self.path.with_name(name), raw_bytes)
                return


def kept_aside(path: Path, sha256: str) -> tuple[Path, ...]:
    """Earlier lists, damaged or displaced, that were kept beside the one at `path` and tell this text; never raises."""
    aside = (earlier for earlier in _beside(path) if sha256.encode() in read_state(earlier).raw_bytes)
    return tuple(sorted(aside))


def delete_kept_aside(path: Path) -> None:
    """Delete an earlier list that was kept beside the file. Raises WriteFailed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise write_failed(error, path, f"{shown(path.name)} was not deleted") from error


def _beside(path: Path) -> Iterator[Path]:
    try:
        names = os.listdir(path.parent)
    except OSError:
        return
    yield from (path.with_name(name) for name in names if re.match(rf"{re.escape(path.name)}\..+-\d", name))


def parse(raw_bytes: bytes) -> tuple[dict[str, Suppression], str]:
    """What a file holds, by key, and what of it could not be read ("" for nothing). Never raises."""
    if not raw_bytes:
        return {}, ""
    try:
        content = json.loads(raw_bytes)
        records = content["suppressions"] if content["format"] == FORMAT else None
    except (ValueError, KeyError, TypeError, RecursionError):
        records = None
    if not isinstance(records, list):
        return {}, "This is not a list of suppressions; none is applied."
    known = [one for record in records if (one := _from_record(record))]
    lost = len(records) - len(known)
    words = f"{lost} suppressions cannot be read and are" if lost > 1 else "1 suppression cannot be read and is"
    return {one.key: one for one in known}, f"{words} not applied." if lost else ""


def render(suppressions: Iterable[Suppression]) -> bytes:
    """The file's bytes. ASCII only: no text in it can confuse an editor or a terminal."""
    content = {"format": FORMAT, "suppressions": [asdict(known) for known in suppressions]}
    return json.dumps(content, indent=1).encode("ascii") + b"\n"


def _from_record(record: Any) -> Suppression | None:
    """The suppression that a record holds; None when a field is missing or wrong, or the key is another's."""
    try:
        words = {name: record[name] for name in ("key", "rule_id", "sha256", "who", "reason", "preview")}
        when = float(record["when"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(when) or not all(isinstance(word, str) for word in words.values()):
        return None
    one = Suppression(when=when, **words)
    return one if one.key == f"{one.sha256}:{one.rule_id}" else None


def _suppression(text: str, rule_id: str, reason: str, who: str) -> Suppression:
    sha256 = text_sha256(text)
    shown_text = masked_preview(text, PREVIEW_CELLS)
    return Suppression(suppression_key(text, rule_id), rule_id, sha256, who, time.time(), reason, shown_text)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        # A container may run under a number that no name belongs to.
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "unknown"
