"""Two calm themes of our own; colour is the third sign only, after mark and word."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

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


def first_theme(*, no_color: bool) -> str:
    """The theme to start with. Under NO_COLOR the terminal's own colours: greys would still be colours."""
    return "ansi-dark" if no_color else DARK.name
