"""The choice of an encoding: one line a guess, and the page that shows what the chosen one makes of the bytes."""

from __future__ import annotations

from typing import Final

from memtui.core.encodings import BrokenBytes, Guess
from memtui.view.amounts import counted
from memtui.view.cursor import cursor_sign
from memtui.view.detail import marked_text
from memtui.view.lines import Line, Span, Tone, spread
from memtui.view.resolver import Encodings

WORDY_CELLS: Final = 70
"""From this width on a line has room for what speaks for an encoding."""
CHOICE_HINT: Final = "enter takes it · arrows choose · esc keeps the one in use"


def guess_line(guess: Guess, is_in_use: bool, is_cursor: bool, width_cells: int) -> Line:
    """One encoding, with what speaks for it."""
    left = (
        cursor_sign(is_cursor),
        Span("● " if is_in_use else "○ ", Tone.GOOD if is_in_use else Tone.DIM),
        Span(guess.label, Tone.STRONG if is_in_use else Tone.PLAIN),
    )
    if width_cells < WORDY_CELLS:
        short = Span("✓ whole ", Tone.GOOD) if guess.is_lossless else Span("▲ lossy ", Tone.WARN)
        return spread(left, (short,), width_cells)
    signs = f"{counted(guess.sign_lines, '§ line')}  " if guess.sign_lines else ""
    loss = Span("every byte kept ", Tone.GOOD) if guess.is_lossless else Span("bytes are lost ", Tone.WARN)
    return spread(left, (Span(signs, Tone.DIM), loss), width_cells)


def guess_page(encodings: Encodings, guess: Guess) -> tuple[Line, ...]:
    """The bytes round the bad place, and some lines as they would read."""
    return (
        (),
        (Span("Bytes  ", Tone.DIM), Span(encodings.broken.hex_words, Tone.FLAG)),
        (Span("       ", Tone.DIM), Span(_as_ascii(encodings.broken), Tone.DIM)),
        (),
        (Span(f"Read as {guess.label}:", Tone.DIM),),
        marked_text(guess.preview),
    )


def _as_ascii(broken: BrokenBytes) -> str:
    """The same bytes as letters where they are plain ASCII, a dot elsewhere, the broken ones in brackets."""
    before, middle, after = (
        "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in part)
        for part in (broken.before, broken.broken, broken.after)
    )
    return f"{before}[{middle}]{after}"
