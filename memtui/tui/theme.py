"""Two calm themes of our own; colour is the third sign only, after mark and word."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from textual.theme import Theme

from memtui.disk.theme_choice import chosen_theme, keep_theme

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

DARK: Final = Theme(
    name="memtui-dark",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#7dcfff",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    foreground="#d5d9e6",
    background="#16171d",
    surface="#1c1e26",
    panel="#2a2d3a",
    dark=True,
)

LIGHT: Final = Theme(
    name="memtui-light",
    primary="#2e5aac",
    secondary="#6b4fa0",
    accent="#0b6e8f",
    success="#3f7d20",
    warning="#8a5a00",
    error="#b3203e",
    foreground="#22242c",
    background="#f6f6f2",
    surface="#eeeee8",
    panel="#deded6",
    dark=False,
)


def first_theme(known: Container[str], *, no_color: bool) -> str:
    """The theme to start with: the chosen one, if it is known, else the dark one.

    Under NO_COLOR the terminal's own colours: greys would still be colours.
    """
    chosen = chosen_theme()
    return "ansi-dark" if no_color else chosen if chosen in known else DARK.name


def keep_chosen(app: MemtuiApp, theme: Theme) -> None:
    """Keep the theme that a person chose for the next start."""
    app.start(asyncio.to_thread(keep_theme, theme.name), "theme")
