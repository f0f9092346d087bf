"""What lowers a finding by one level: the words round it say that it is no order.

Never used on hidden, decoded or forged text. A damper never hides a finding.
"""

from __future__ import annotations

import re
from typing import Final

from memtui.core.threats.engine import Hit
from memtui.core.threats.finding import Severity

LOOK_BACK_CHARS: Final = 160
LOOK_AHEAD_CHARS: Final = 120
_SENTENCE: Final = re.compile(r"[.!?;](?=\s|$)|[。！？।؟\n]")
_NEGATION: Final = re.compile(
    r"(?:\b(?:(?:never|don'?t|do not|does not|doesn'?t|did not|must not|mustn'?t|should not|shouldn'?t|may not|cannot|can'?t"
    r"|avoid|no need to|not to|refuse to|without|nie|niemals|nicht|nunca|jamais|ne|nao|non|no)"
    r"|(?:asks?|check with \w+|confirm|asks? permission) (?:me |us |the user |first )?before)\s+"
    r"|не |никогда не |нельзя |不要|不得|切勿|请勿|禁止|別|勿|لا |मत )"
    r"(?:(?!\bhesitate|\bforget|\bfail|\bmiss)[\w'.`\"~/-]+\s+){0,3}$"
)
_NEGATION_AFTER: Final = re.compile(
    r"^\W*(?:\w+\W+){0,2}(?:nicht|niemals)\b|^.{0,12}(?:しない|禁止|하지 않|하지 마|하지 말|मत |नहीं)"
)
_STUDY: Final = re.compile(
    r"\b(?:thesis|paper|research\w*|red[- ]team\w*|detection rule|rule [a-z]?-?\d+|blog (?:draft|post)|textbook|example of"
    r"|sample\w*|test(?:s|ed)? (?:that|the|for)|scanner|attack\w*|owasp|ctf|lab|report\w*|phrases?|phrasing|quotes?|quoted|explains?|chapter|detects?"
    r"|looks for|matches|flags|dataset|training|course|lecture|talk|slides|fixture\w*|documentation of|cve)\b"
    r"|исследован|диплом|論文|卒論|研究|样本|论文|연구|논문|investiga|tesis|inyeccion|recherche|these|abschlussarbeit|forschung"
)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|has been|have been|got|used to|last (?:week|month|year)|yesterday|wurde|wurden|fue|fueron|a ete)\b"
)
_LOCAL: Final = re.compile(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?::\d+)?(?:[/\s\"'.,;]|$)"
)
_REMOTE: Final = re.compile(r"https?://(?!localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|host\.docker\.internal)")
_SAMPLE_FILE: Final = re.compile(
    r"\.(?:env|json|ya?ml|toml|ini|conf|cfg|config|py|sh|npmrc|netrc)[\w.]{0,20}\.(?:example|sample|template|dist)(?![\w/:-])"
)
_QUOTES: Final = "\"'`“”«»「」『』"


def sentence_round(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after the span in its sentence, at most `LOOK_BACK_CHARS` and `LOOK_AHEAD_CHARS`."""
    before = text[max(0, start - LOOK_BACK_CHARS) : start]
    cuts = [found.end() for found in _SENTENCE.finditer(before)]
    after = text[end : end + LOOK_AHEAD_CHARS]
    stop = _SENTENCE.search(after)
    return before[cuts[-1] :] if cuts else before, after[: stop.start()] if stop else after


def damped(hit: Hit, text: str) -> tuple[Severity, str]:
    """The severity after the dampers, and which ones acted (comma-separated)."""
    severity = hit.rule.severity
    if not hit.rule.is_damped or severity is Severity.INFO:
        return severity, ""
    before, after = sentence_round(text, hit.start, hit.end)
    names = list(_acting(before, text[hit.start : hit.end], after))
    rank = severity.rank
    for name in names:
        # A forbidden deed is no deed at all: only the mention of its object is left.
        rank -= 2 if name == "negation" else 1
    return tuple(Severity)[max(0, rank)], ", ".join(names)


def _acting(before: str, matched: str, after: str) -> list[str]:
    names = []
    sentence = before + matched + after
    if _NEGATION.search(before) or _NEGATION_AFTER.search(after):
        names.append("negation")
    if _is_quoted(before, after):
        names.append("quotation")
    if _STUDY.search(before) or _STUDY.search(after):
        names.append("study")
    if _PAST.search(before[-40:]):
        names.append("past tense")
    if _LOCAL.search(sentence) and not _REMOTE.search(sentence):
        names.append("localhost")
    if _SAMPLE_FILE.search(matched + after[:12]):
        names.append("sample file")
    return names


def _is_quoted(before: str, after: str) -> bool:
    return bool(before and after and before[-1] in _QUOTES and after[0] in _QUOTES)
