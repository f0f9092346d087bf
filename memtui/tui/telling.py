"""Notifications that take the place of older ones: the same words again, or news of what an older one told of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.notifications import Notification


@dataclass
class Told(Notification):
    """A notification and what it is about."""

    topic: str = ""


def outdated(standing: Iterable[Notification], newer: Notification) -> tuple[Notification, ...]:
    """Those that a newer one makes needless: side by side they would bury the screen."""
    topic = _topic(newer)
    return tuple(
        one for one in standing if one.message == newer.message or (topic and _topic(one) == topic)
    )


def _topic(notification: Notification) -> str:
    return notification.topic if isinstance(notification, Told) else ""
