"""The choice of an encoding: one line a guess, and the page that shows what the chosen one makes of the bytes."""

from __future__ import annotations

from typing import Final

from memtui.core.encodings import Guess
from memtui.view.amounts import counted
from memtui.view.detail import marked_text
from memtui.view.lines import Line, Span, Tone, spread
from memtui.view.resolver import Encodings

CHOICE_HINT: Final = "enter takes it · arrows choose · esc keeps the one in use"


def guess_line(guess: Guess, is_in_use: bool, is_cursor: bool, width_cells: int) -> Line:
    """One encoding, with what speaks for it."""
    left = (
        Span("▸" if is_cursor else " ", Tone.KEY),
        Span("● " if is_in_use else "○ ", Tone.GOOD if is_in_use else Tone.DIM),
        Span(guess.label, Tone.STRONG if is_in_use else Tone.PLAIN),
    )
    signs = f"{counted(guess.sign_lines, '§ line')}  " if guess.sign_lines else ""
    loss = Span("every byte kept ", Tone.GOOD) if guess.is_lossless else Span("bytes are lost ", Tone.WARN)
    return spread(left, (Span(signs, Tone.DIM), loss), width_cells)


def guess_page(encodings: Encodings, guess: Guess) -> tuple[Line, ...]:
    """The bytes round the bad place, and some lines as they would read."""
    return (
        (),
        (Span("Bytes  ", Tone.DIM), Span(encodings.broken.hex_words, Tone.FLAG)),
        (),
        (Span(f"Read as {guess.label}:", Tone.DIM),),
        marked_text(guess.preview),
    )
