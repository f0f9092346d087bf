"""What the scanner's classes and the reasons for a milder finding are called where people read; ids stay in data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memtui.core.visible import clip

CLASS_WORDS: Final[Mapping[str, str]] = {
    "agent_config": "changes to the agent's setup",
    "agent_view": "hidden by the agent",
    "c2_promptware": "orders from outside",
    "custom": "your own rules",
    "deception": "deceiving the user",
    "delayed_trigger": "waiting for a moment",
    "delimiter_smuggling": "forged parts of the prompt",
    "encoded_payload": "encoded orders",
    "exfiltration": "sending data out",
    "forged_marker": "forged markers",
    "hardcoded_secret": "secrets in plain words",
    "hidden_text": "hidden text",
    "instruction_override": "overriding instructions",
    "multiline_split": "orders spread over lines",
    "oversize_padding": "buried under padding",
    "persistence": "staying for good",
    "prompt_leak": "giving away the prompt",
    "role_hijack": "another role for the agent",
    "secret_read": "reading secrets",
    "tool_abuse": "misuse of tools",
}
MILDER_WORDS: Final[Mapping[str, str]] = {
    "localhost": "the address is this machine",
    "made up": "it is said to be made up",
    "negation": "it forbids rather than orders",
    "no second finding": "it stands alone, nothing else was found with it",
    "past tense": "it tells of what was",
    "quotation": "it is quoted",
    "sample file": "the file is a sample",
    "study": "it reads like a study or an example",
    "word list": "it is a list of words",
    "your rules": "your own rules say so",
}


def class_words(family: str) -> str:
    """The class as people read it; one of a person's own rules as they named it."""
    return CLASS_WORDS.get(family) or clip(family, 40)


def milder_words(damper: str) -> str:
    """Why a finding is milder than its rule; "" where nothing made it so."""
    reasons = [MILDER_WORDS.get(name) or clip(name, 60) for name in damper.split(", ") if name]
    return f" Milder here: {'; '.join(reasons)}." if reasons else ""
