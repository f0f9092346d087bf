"""Notifications that take the place of older ones: the same words again, or news of what an older one told of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.notifications import Notification, Notify
from textual.screen import Screen

from memtui.core.visible import visible_text
from memtui.view.texts import Notice


@dataclass
class Told(Notification):
    """A notification and what it is about."""

    topic: str = ""


def outdated(standing: Iterable[Notification], newer: Notification) -> tuple[Notification, ...]:
    """Those that a newer one makes needless: side by side they would bury the screen."""
    topic = _topic(newer)
    return tuple(one for one in standing if one.message == newer.message or (topic and _topic(one) == topic))


def _topic(notification: Notification) -> str:
    return notification.topic if isinstance(notification, Told) else ""


class TellingApp(App[None], inherit_bindings=False):
    """An app whose notifications are safe, stand once, and lie over no question."""

    def push_screen(self, *args: Any, **kwargs: Any) -> Any:
        """Open another screen without the messages so far: they would lie over its text and its buttons."""
        self.clear_notifications()
        return super().push_screen(*args, **kwargs)

    def return_to(self, screen: Screen[Any]) -> None:
        """Open a screen again that was left for a moment; what was told meanwhile stays."""
        super().push_screen(screen)

    def tell(self, notice: Notice) -> None:
        """Show a notification. Its text may quote anything: it is made safe here, and never markup."""
        shown = visible_text(notice.message, keep_newlines=True)
        told = Told(shown, severity=notice.level.value, timeout=notice.seconds, topic=notice.topic)
        self.post_message(Notify(told))

    def on_notify(self, event: Notify) -> None:
        """Put away what the new notification makes needless, before it is shown."""
        for older in outdated((*self._notifications,), event.notification):
            self._unnotify(older, refresh=False)
