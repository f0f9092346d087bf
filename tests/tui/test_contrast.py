"""Every tone can be read on everything it is drawn on, in both themes."""

from __future__ import annotations

import pytest
from rich.style import Style
from tui_driver import Home, OpenApp

from memtui.tui.widgets.painted import PaintedLines
from memtui.tui.widgets.pane import Pane
from memtui.view.lines import Span, Tone

BARS = ("#header", "#status", "#banner", "#footer")
LEAST = 4.5
"""What WCAG 2.1 asks of text (criterion 1.4.3)."""


def _luminance(triplet: tuple[int, int, int]) -> float:
    red, green, blue = (part / 255 for part in triplet)
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast_of(style: Style) -> float:
    assert style.color
    assert style.bgcolor
    shades = (_luminance(style.color.get_truecolor()), _luminance(style.bgcolor.get_truecolor()))
    return (max(shades) + 0.05) / (min(shades) + 0.05)


@pytest.mark.parametrize("theme", ["memtui-dark", "memtui-light"])
@pytest.mark.parametrize("tone", list(Tone))
async def test_a_tone_can_be_read_wherever_it_is_drawn(
    open_app: OpenApp, home: Home, theme: str, tone: Tone
) -> None:
    async with open_app() as driver:
        driver.app.theme = theme
        await driver.pilot.pause()
        pane, line = driver.app.review.query_one("#live", Pane), (Span("word", tone),)
        strips = [
            pane.strip(line, 4),
            pane.strip(line, 4, pane.get_component_rich_style("pane--cursor")),
            *(driver.app.review.query_one(name, PaintedLines).strip(line, 4) for name in BARS),
        ]
        styles = [segment.style for strip in strips for segment in strip if segment.text == "word"]

        assert len(styles) == len(strips)
        assert [style for style in styles if style is None or contrast_of(style) < LEAST] == []
