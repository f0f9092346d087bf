"""The write policy: what a host may say of a write before it happens.

A policy that fails lets nothing through: what it meant to refuse must not be written because of a fault in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.core.change import Operation
from memtui.core.errors import Disabled


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One write that the model asked for, as a policy sees it."""

    target: str
    action: str
    text: str
    """The new text; for a removal the text that names the entry."""
    old_text: str = ""
    """For a replacement the text that names the entry."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy makes of a write: let it through, refuse it, or leave it for a person to approve."""

    verdict: Literal["allow", "veto", "stage"] = "allow"
    reason: str = ""


Policy = Callable[[WriteRequest], Decision | None]
"""Asked once for every entry a call would change, before anything is written; None means allow."""


def decide(policy: Policy | None, target: str, operations: Sequence[Operation]) -> Decision:
    """What the policy makes of a whole call: one veto refuses it, else one `stage` stages it.

    Raises Disabled, with the policy's reason, for a veto and for a policy that fails.
    """
    decision = Decision()
    for operation in operations if policy else ():
        made = _asked(policy, target, operation)
        if made.verdict == "veto":
            raise Disabled(
                f"The write was not allowed, so nothing was written: {made.reason or 'the host’s policy forbids it'}. "
                "Do not try it again in other words."
            )
        decision = made if made.verdict == "stage" else decision
    return decision


def _asked(policy: Policy | None, target: str, operation: Operation) -> Decision:
    is_removal, is_replacement = operation.action == "remove", operation.action == "replace"
    request = WriteRequest(
        target,
        operation.action,
        operation.quoted if is_removal else operation.content,
        operation.quoted if is_replacement else "",
    )
    try:
        made = policy(request) if policy else None
    except Exception as error:  # a host's code: whatever it raises, nothing may be written
        raise _failed(type(error).__name__) from error
    if made is None:
        return Decision()
    if not isinstance(made, Decision) or made.verdict not in ("allow", "veto", "stage"):
        raise _failed("no decision")
    return made


def _failed(how: str) -> Disabled:
    return Disabled(
        f"The host's write policy failed ({how}), so nothing was written. Go on without it and tell the user."
    )
