"""Renders what an agent is given of its memory: the block of the agent that owns a home, and memtui's own.

`agent_*` repeat Hermes Agent to the byte, holes included; `guarded_block` and `pi_block` apply the verdicts
they are handed. Nothing here judges a text or reads a file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memtui.core.model import ENTRY_DELIMITER, FILE_NAMES, Document
from memtui.core.threats.hermes import TOO_LONG, hermes_rule_ids

_RULE: Final = "═" * 46
_TITLES: Final = {"memory": "MEMORY (your personal notes)", "user": "USER PROFILE (who the user is)"}
_PI_TITLES: Final = {"memory": "MEMORY.md (Agent 笔记)", "user": "USER.md (用户画像)"}
_PI_ROLE: Final = (
    "这里是你在以往会话中存下、至今仍然有效的记忆，请把它当作背景事实来参考。\n"
    "一旦得知新的稳定信息、用户的喜好或对你的纠正，就用 `memory` 工具及时增改，让记忆保持准确。"
)
_LESS_THAN_SIGNS: Final = "<＜﹤"

Blocked = Mapping[int, tuple[str, ...]]
"""Index of an entry to the ids of the rules that block it."""


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """One entry as the agent that owns the file sees it."""

    shown: str
    """The entry's text, or the placeholder that stands in its place."""
    hidden: bool
    """True when the agent sees the placeholder."""
    rule_ids: tuple[str, ...]
    span: tuple[int, int]
    """Where the entry stands in the decoded file, in code points (BOM and CRs counted)."""


def placeholder(file_name: str, rule_ids: Sequence[str], size_chars: int = 0) -> str:
    """What stands in the prompt instead of a blocked entry, in Hermes' wording (`tools/memory_tool.py`).

    `size_chars` is the length of the entry; it is named only where its length is the reason.
    """
    reason = f"contained threat pattern(s): {', '.join(rule_ids)}"
    if tuple(rule_ids) == (TOO_LONG,):
        reason = f"too large to scan ({size_chars:,} chars)"
    return (
        f"[BLOCKED: {file_name} entry {reason}. Removed from system prompt; "
        "use memory(action=remove) to delete the original.]"
    )


def agent_view(raw_bytes: bytes, file_name: str, rules: str = "0.19") -> tuple[AgentEntry, ...]:
    """The entries of a file as Hermes parses and shows them; () for bytes that are not UTF-8.

    `rules` is one of `hermes.HERMES_VERSIONS`, `file_name` the name that placeholders carry.

    Raises:
        ValueError: `rules` is unknown.
    """
    try:
        decoded = raw_bytes.decode("utf-8")
    except UnicodeDecodeError:
        return ()
    first_spans: dict[str, tuple[int, int]] = {}
    for text, span in _parse_as_hermes(decoded):
        first_spans.setdefault(text, span)
    return tuple(_agent_entry(text, span, file_name, rules) for text, span in first_spans.items())


def plain_view(document: Document) -> tuple[AgentEntry, ...]:
    """The entries as an agent sees them that parses as memtui does and hides nothing."""
    kept = (entry for entry in document.entries if entry.duplicate_of is None)
    return tuple(AgentEntry(entry.text, False, (), entry.span) for entry in kept)


def _parse_as_hermes(decoded: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every entry that is not empty with its span: universal newlines, split on the delimiter, stripped."""
    newline = r"(?:\r\n|\r|\n)"
    start = 0
    ends = [match.span() for match in re.finditer(f"{newline}§{newline}", decoded)]
    for end, next_start in (*ends, (len(decoded), len(decoded))):
        piece = decoded[start:end]
        text = piece.strip()
        if text:
            at = start + len(piece) - len(piece.lstrip())
            yield text.replace("\r\n", "\n").replace("\r", "\n"), (at, at + len(text))
        start = next_start


def _agent_entry(text: str, span: tuple[int, int], file_name: str, rules: str) -> AgentEntry:
    rule_ids = hermes_rule_ids(text, rules)
    shown = placeholder(file_name, rule_ids, len(text)) if rule_ids else text
    return AgentEntry(shown, bool(rule_ids), rule_ids, span)


def agent_block(target: str, raw_bytes: bytes, limit_chars: int, rules: str = "0.19") -> str:
    """The block that Hermes puts into its prompt for one file, byte for byte; "" when there is no entry.

    Hermes counts the characters as shown, placeholders included, and stops at 100 %.

    Raises:
        ValueError: `rules` is unknown.
    """
    shown = [entry.shown for entry in agent_view(raw_bytes, FILE_NAMES[target], rules)]
    used_chars = len(ENTRY_DELIMITER.join(shown))
    # The division in floating point is Hermes' own: 29 of 100 characters are 28 %.
    percent = min(100, int((used_chars / limit_chars) * 100)) if limit_chars > 0 else 0
    return _hermes_block(target, shown, used_chars, limit_chars, percent)


def guarded_block(
    target: str, entries: Sequence[str], blocked: Blocked, limit_chars: int, flavour: str = "hermes"
) -> str:
    """memtui's own block for one target: a placeholder for each index in `blocked`, other texts verbatim.

    The characters are those of the store, so that the header tells how much room is left; the percent is the
    true one. "" when there is no entry. `flavour` "pi" gives the `pi_block` of this target alone.
    """
    if flavour == "pi":
        return pi_block({target: entries}, {target: blocked})
    used_chars = len(ENTRY_DELIMITER.join(entries))
    percent = used_chars * 100 // limit_chars if limit_chars > 0 else 0
    return _hermes_block(target, _shown(target, entries, blocked), used_chars, limit_chars, percent)


def _shown(target: str, entries: Sequence[str], blocked: Blocked) -> list[str]:
    return [
        placeholder(FILE_NAMES[target], blocked[index], len(text)) if index in blocked else text
        for index, text in enumerate(entries)
    ]


def _hermes_block(
    target: str, shown: Sequence[str], used_chars: int, limit_chars: int, percent: int
) -> str:
    if not shown:
        return ""
    header = f"{_TITLES[target]} [{percent}% — {used_chars:,}/{limit_chars:,} chars]"
    return f"{_RULE}\n{header}\n{_RULE}\n{ENTRY_DELIMITER.join(shown)}"


def pi_block(
    entries_by_target: Mapping[str, Sequence[str]], blocked_by_target: Mapping[str, Blocked]
) -> str:
    """The block of the `pi` flavour for all targets together; "" when no target has an entry.

    Each entry is one list item. Text that would open or close the block's tag loses its `<`.
    """
    sections = [_PI_ROLE]
    for target, title in _PI_TITLES.items():
        entries = entries_by_target.get(target, ())
        shown = _shown(target, entries, blocked_by_target.get(target, {}))
        items = [f"- {_without_tag(text)}".replace("\n", "\n  ") for text in shown]
        if items:
            sections.append("\n".join((f"## {title}", *items)))
    if len(sections) == 1:
        return ""
    return "\n".join(("<MEMORY_CONTEXT>", "\n\n".join(sections), "</MEMORY_CONTEXT>"))


def _without_tag(text: str) -> str:
    """The text with `&lt;` for every `<` that begins the block's tag, in whatever case, width or spacing."""
    if not any(sign in text for sign in _LESS_THAN_SIGNS):
        return text
    seen = [(at, _plain(character)) for at, character in enumerate(text) if _plain(character)]
    folded = "".join(plain for _, plain in seen)
    tags = {seen[match.start()][0] for match in re.finditer(r"<(?=[\s/]*memory[\s_-]*context)", folded)}
    return "".join("&lt;" if at in tags else character for at, character in enumerate(text))


def _plain(character: str) -> str:
    """The character in its compatibility form and lower case; "" for one that nobody sees."""
    if unicodedata.category(character) in ("Cf", "Mn"):
        return ""
    plain = unicodedata.normalize("NFKC", character).lower()
    return plain if len(plain) == 1 else "?"


def split_prompt_block(prompt: str) -> dict[str, tuple[str, ...]]:
    """The entries of Hermes' memory blocks in a whole system prompt, by target; {} when it has none.

    A block is as long as its header says, so that a header inside an entry is that entry's text. Where
    several blocks of a target stand in the prompt, the last counts: what quotes one stands before the memory.
    """
    titles = "|".join(map(re.escape, _TITLES.values()))
    header = re.compile(rf"{_RULE}\n({titles}) \[\d+% — (\d[\d,]{{0,14}})/[\d,]+ chars\]\n{_RULE}\n")
    targets = {title: target for target, title in _TITLES.items()}
    found: dict[str, tuple[str, ...]] = {}
    at = 0
    while match := header.search(prompt, at):
        end = match.end() + int(match[2].replace(",", ""))
        at = match.end()
        if end == len(prompt) or prompt.startswith("\n\n", end):
            found[targets[match[1]]] = tuple(prompt[match.end() : end].split(ENTRY_DELIMITER))
            at = end
    return found
