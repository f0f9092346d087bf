"""The checks of a guarded operation that stand between a proposed change and the disk.

Pure but for the suppressions it is handed: it reads no file and writes none.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memtui.core.change import Exactly, Meant, Operation
from memtui.core.errors import Conflict, MemoryRefused, ThreatFound
from memtui.core.matching import locate
from memtui.core.model import entry_name
from memtui.core.threats import scan, scan_joints
from memtui.core.threats.finding import Finding, Severity
from memtui.core.threats.masking import masked_preview, without_secrets
from memtui.core.visible import clip

QUOTED_CELLS = 200


class Suppressing(Protocol):
    """What a person marked as known and fine."""

    def apply(self, text: str, findings: Iterable[Finding]) -> list[Finding]:
        """The findings of a text, those marked as known and fine with `suppressed=True`."""
        ...


@dataclass(frozen=True, slots=True)
class Checks:
    """Which checks a change has to pass; the defaults are those of a guarded operation."""

    scan: bool = True
    budget: bool = True
    drift: bool = True
    allow: frozenset[str] = frozenset()
    """Ids of rules that a person lets through for the new texts; each is stored as a suppression."""


RESTORING = Checks(scan=False, budget=False, drift=False)
"""What once stood may stand again: warned about, never refused."""


def give_way() -> None:
    """Let the app's event loop have the interpreter: a scan of 10,000 entries beside it held it up for 400 ms."""
    time.sleep(0)


def findings_of(texts: Sequence[str], suppressions: Suppressing) -> tuple[tuple[Finding, ...], ...]:
    """The findings of every text as it stands beside its neighbours in the prompt, suppressions marked."""
    joined = scan_joints(texts, give_way)
    return tuple(tuple(suppressions.apply(t, found)) for t, found in zip(texts, joined, strict=True))


def blocking_rules(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Ids of the rules that block a text, each once; what is known and fine does not."""
    return tuple(dict.fromkeys(f.id for f in findings if f.severity is Severity.BLOCK and not f.suppressed))


def check_new_texts(
    texts: Iterable[str], suppressions: Suppressing, allow: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Scan new texts and return what does not refuse them.

    Raises ThreatFound when a finding of severity `block` is neither suppressed nor allowed.
    """
    passed: list[Finding] = []
    for text in texts:
        found = suppressions.apply(text, scan(text))
        refusing = [f for f in found if _refuses(f, allow)]
        if refusing:
            raise _threat(refusing, "the text")
        passed.extend(found)
    return tuple(passed)


def check_joints(
    before: Sequence[str], after: Sequence[str], suppressions: Suppressing, allow: Collection[str] = ()
) -> None:
    """Scan the places where entries meet that did not meet before.

    Raises ThreatFound when a `block` finding exists only because two entries stand together.
    """
    met = set(zip(before, before[1:], strict=False))
    for i, pair in enumerate(zip(after, after[1:], strict=False)):
        if pair in met:
            continue
        # Two more entries on each side: a phrase may be spread over more than two.
        window = after[max(0, i - 2) : i + 4]
        refusing = [f for f in _crossing(window, suppressions) if _refuses(f, allow)]
        if refusing:
            raise _threat(refusing, "the text together with the entry beside it")


def check_shown(texts: Sequence[str], shown: Collection[str] | None, operations: Sequence[Operation]) -> None:
    """Refuse once when an operation would hit a text that its caller has not seen.

    `texts` is what stands in the file, `shown` what the caller was last shown (None: nothing yet).
    Raises Conflict with both texts.
    """
    if shown is None:
        return
    for operation in operations:
        if operation.action == "add":
            continue
        try:
            live = texts[locate(texts, operation.old_text)]
        except MemoryRefused:
            continue  # the proposal refuses it with the reason
        if live in shown:
            continue
        gone = [s for s in shown if _names(operation.old_text, s) and s not in texts]
        if gone:
            raise _conflict(gone[0], live)


def _crossing(window: Sequence[str], suppressions: Suppressing) -> list[Finding]:
    found: list[Finding] = []
    for text, together in zip(window, scan_joints(window), strict=True):
        alone = {(f.id, f.spans) for f in scan(text)}
        found += suppressions.apply(text, [f for f in together if (f.id, f.spans) not in alone])
    return found


def _refuses(finding: Finding, allow: Collection[str]) -> bool:
    return finding.severity is Severity.BLOCK and not finding.suppressed and finding.id not in allow


def _names(old_text: Meant, text: str) -> bool:
    if isinstance(old_text, Exactly):
        return old_text.text == text
    return old_text in text or old_text == f"#{entry_name(text)}"


def _threat(findings: Sequence[Finding], where: str) -> ThreatFound:
    first = findings[0]
    (cut,) = without_secrets([first])
    quoted = clip(cut.decoded or cut.matched, QUOTED_CELLS)
    others = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return ThreatFound(
        f"Refused, nothing was written: {where} holds a threat, rule {first.id}{others}: {first.why} "
        f"Found: “{quoted}”. Say the plain fact without it, or leave it out.",
        {
            "rules": sorted({f.id for f in findings}),
            "findings": [
                {
                    "id": f.id, "severity": f.severity.value, "spans": f.spans, "matched": f.matched,
                    "decoded": f.decoded, "why": f.why,
                }  # fmt: skip
                for f in findings
            ],
        },
    )


def _conflict(shown: str, live: str) -> Conflict:
    return Conflict(
        "The entry changed on disk since it was shown; nothing was written. "
        f"Shown: “{masked_preview(shown, QUOTED_CELLS)}”. "
        f"Now: “{masked_preview(live, QUOTED_CELLS)}”. Look again and repeat if it is still meant.",
        {"shown": shown, "live": live},
    )
