"""Time is linear whatever the text: every known family of hostile input, and random mixes of the rules' own words."""

from __future__ import annotations

import importlib.util
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.core.threats import scan
from memtui.core.threats.rules import builtin

CHARS = 1_048_576
LIMIT_S = 1.0


def _families() -> Any:
    path = Path(__file__).parents[2] / "data" / "threats" / "redos_inputs.py"
    spec = importlib.util.spec_from_file_location("redos_inputs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAMILIES = _families()


def seconds(text: str) -> float:
    """Processor time, so that a busy machine does not fail the test; the best of two tries."""
    times = []
    for _ in range(2):
        start = time.process_time()
        scan(text)
        times.append(time.process_time() - start)
        if times[-1] < LIMIT_S:
            break
    return min(times)


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    scan("warm up")
    scan("wärm up")


OWN_FAMILIES = (
    "ignoreallpreviousinstructions",
    "ignore\nall\nprevious\nrules\n",
    "| ignore | all ",
    "'ab' + ",
    "SWdub3JlIGFsbCBwcmV2\n",
    "a\u0301\u0301",
    "backwards rules previous all ignore ",
    "1-",
    "64-6f-",
    "&#105,",
    "\\64 ",
    "\U0001f1e9 ",
    "d~",
    "d    o  ",
    "caesar khoor ",
    "base85 WN#pDZ*(AZWo&F9b",
    "mrxsa3tpoqqhizlmnqqhi2df ",
    "alfa, bravo-",
    "a<b>c</b>d",
    "ǝɥʇ ",
)
"""Repeated: what the views of cut words, of pieces, of lines, of codes and ciphers have to read."""


@pytest.mark.parametrize("piece", OWN_FAMILIES)
def test_what_is_put_together_takes_less_than_a_second(piece: str) -> None:
    assert seconds(piece * (CHARS // len(piece))) < LIMIT_S


@pytest.mark.parametrize("gaps", [" ,;./|-\n", "~ #.🌸"])
def test_random_numbers_and_letters_apart_take_less_than_a_second(gaps: str) -> None:
    chance = random.Random(3)
    pieces = [str(number) for number in range(100)] if "," in gaps else ["a", "b", "c"]
    text = "".join(chance.choice(pieces) + chance.choice(gaps) for _ in range(CHARS // 2))
    assert seconds(text[:CHARS]) < LIMIT_S


@pytest.mark.parametrize("name", FAMILIES.NAMES)
def test_a_family_of_hostile_input_takes_less_than_a_second(name: str) -> None:
    assert seconds(FAMILIES.make(name, CHARS)) < LIMIT_S


def _words(ascii_only: bool) -> list[str]:
    words = [word for terms in builtin().words.values() for term in terms for word in re.findall(r"[^\W\d_]{2,}", term)]
    words += [text for rule in builtin().rules for text in rule.bad + rule.good]
    return [word for word in words if word.isascii() or not ascii_only]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("gaps", [" ", " \n", " .\n"])
def test_a_random_mix_of_rule_words_takes_less_than_a_second(seed: int, ascii_only: bool, gaps: str) -> None:
    chance = random.Random(seed)
    words = _words(ascii_only)
    parts: list[str] = []
    size = 0
    while size < CHARS:
        parts.append(chance.choice(words) + chance.choice(gaps))
        size += len(parts[-1])
    assert seconds("".join(parts)[:CHARS]) < LIMIT_S


EXAMPLES_LIMIT_S = 2.0
"""For texts that nobody writes: all that harmless notes say close to a threat, without end."""


@pytest.mark.parametrize("form", ["- {}\n", "{}\n§\n", "'{}' ", "{}; ", "backwards {} in reverse\n"])
def test_the_rules_own_examples_without_end_take_less_than_two_seconds(form: str) -> None:
    chance = random.Random(1)
    examples = [text for rule in builtin().rules for text in rule.good]
    parts: list[str] = []
    size = 0
    while size < CHARS:
        parts.append(form.format(chance.choice(examples)))
        size += len(parts[-1])
    assert seconds("".join(parts)[:CHARS]) < EXAMPLES_LIMIT_S
