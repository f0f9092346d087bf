"""What lowers a finding: the words round it say that it is no order.

A damper lowers by one level, a negation by two, since a forbidden deed is only a mention; none hides a finding. Never
used on hidden, decoded or forged text. All patterns are RE2's, looked for in the hit's own sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memtui.core.threats.finding import Severity
from memtui.core.threats.negation import FORBIDDING_ENDS, NEGATION, NEGATION_AFTER, NEGATIONS, is_negated
from memtui.core.threats.page import Hit, Page
from memtui.core.threats.patterns import fold_pattern
from memtui.core.threats.searches import Probe
from memtui.core.threats.views import Span

LOOK_BACK_CHARS: Final = 160
LOOK_AHEAD_CHARS: Final = 120
NEAR_CHARS: Final = 24
STUDY_CHARS: Final = 110
# Folded text has the plain marks for most others.
_CLOSING_QUOTES: Final = dict(
    zip("\"'`“„«»‹‘‚「『《", ('"', "'", "`", '”"', '“”"', '»"', '«"', "›'", "’'", "‘’'", "」", "』", "》"), strict=True)
)
_QUOTES: Final = frozenset("".join((*_CLOSING_QUOTES, *_CLOSING_QUOTES.values())))
# The last quotation mark before the hit, when it opens: it stands after a blank or a bracket, no letter before it.
_OPEN_QUOTE: Final = re.compile(
    r"(?:^|(?<=[\s(:：（,]))([\"'`“„«‹‘‚「『《»])[^\"'`“”„«»‹›‘’‚「」『』《》]*$|([「『《“])[^」』》”]*$"
)

_PATTERNS: Final = {
    "negation": NEGATION,
    "negation after": NEGATION_AFTER,
    "study": r"\b(?:thesis|paper|research\w*|red[- ]team\w*|detection rule|rule [a-z]?-?\d+|blog (?:draft|post)"
    r"|textbook|example of|sample (?:to|of|for)|samples|owasp|ctf|phrases?|phrasing|quotes?|quoted|explains?"
    r"|chapter|detects?|looks for|flags|dataset|lecture|fixture\w*|documentation of|cve|refusals?|slides?|poisoned"
    r"|attackers?|injections?|jailbreaks?|refus(?:es|ed|ing)|yara|sigma|malware|infostealers?|honeypot"
    r"|incident report|write-?up|post-?mortem"
    r"|(?:diplom|bachelor|master|doktor|fach|haus|seminar|abschluss)?arbeit|these de|memoire de"
    r"|tfm|tfg|prompts? such as|feeds?|investiga\w*|tesis|inyeccion\w*|recherche\w*|forschung\w*"
    r"|bad example|awareness|training material|workshop|webinar|presentation|seminar\w*|beispiel\w*|folien?|vortrag\w*"
    r"|schulung\w*|ejemplo\w*|diapositiva\w*|formacion|exemple\w*|diapo\w*|exemplo\w*|palestra|treinamento)\b"
    r"|\bexamples?: ?[\"'«“]|исследован|диплом|курсов|доклад|атак|пример|лекци|слайд|учебн"
    r"|論文|卒論|研究|教材|攻撃例|研修|演習|講義|スライド|例として"
    r"|样本|论文|示例|攻击样例|攻击实例|培训|课件|讲义|연구|논문|예시|공격 예|교육|강의"
    r"|슬라이드|مثال|تدريب|محاضرة|उदाहरण|प्रशिक्षण",
    "made up": r"\b(?:made[- ]up|dummy|fake|invented|fictional|fictitious|mock(?:ed)?|erfunden\w*|ausgedacht\w*"
    r"|attrappen?|ficticio\w*|inventad\w+|fictifs?|factices?)\b|вымышлен|虚构|假数据|ダミー|架空|더미|가짜",
    "past tense": r"\b(?:was|were|had|has been|have been|got|used to|last (?:week|month|year)|yesterday|wurde|wurden"
    r"|fue|fueron|a ete)\b[^,;:]{0,30}",
    "reported": r"\b(?:contained|included|received|pasted|quoted)\b[^.;!?]{0,40}[\"'“«„‘]",
    "localhost": r"(?:\blocalhost|\b127\.0\.0\.1|\[::1\]|\b0\.0\.0\.0|\bhost\.docker\.internal)"
    r"(?::\d+)?(?:[/\s\"'.,;]|$)",
    "remote": r"https?://(?:[^l10\[h]|l[^o]|1[^2]|0[^.]|h[^o])",
    "sample file": r"\.(?:env|json|ya?ml|toml|ini|conf|cfg|config|py|sh|npmrc|netrc)[\w.]{0,20}"
    r"\.(?:example|sample|template|dist)(?:[^\w/:-]|$)",
}


_ANCHORED: Final = {"past tense": "(?:{})$"}
"""Where in what stands before or after the hit a damper has to be, when not anywhere."""

DAMPER_GATE: Final = fold_pattern(
    "|".join(
        (
            NEGATIONS,
            r"\b(?:nicht|niemals)\b",
            FORBIDDING_ENDS,
            *(_PATTERNS[name] for name in ("study", "made up", "past tense", "reported", "sample file")),
            r"\blocalhost\b|\b127\.0|\[::1|\b0\.0\.0|\bhost\.docker\b",
        )
    )
)
"""What a damper has to find in a text somewhere; most texts have nothing of it."""

_ROUND: Final = ("negation", "negation after", "study", "made up", "past tense", "reported")
"""The dampers that stand before or after the hit."""

_OF_VALUES: Final = ("secret_read", "exfiltration", "hardcoded_secret")
"""The families that are about values, which may be samples."""


@cache
def _probe(name: str) -> Probe:
    return Probe(fold_pattern(_ANCHORED.get(name, "{}").replace("{}", _PATTERNS[name])))


@cache
def _condition() -> Probe:
    return Probe(r"\b(?:when|once|after|as soon as|if|whenever|until|moment|wenn|sobald|cuando|quand)\b.{0,60}$")


@cache
def _not_made_up() -> Probe:
    none = r"\b(?:no|not|never|nothing|without|kein\w*|nicht|sin|pas)\b"
    return Probe(fold_pattern(rf"{none}.{{0,24}}(?:{_PATTERNS['made up']})"))


@cache
def _obeyed() -> Probe:
    return Probe(
        r"\b(?:do|does) (?:exactly |just |precisely )?(?:what|as)\b|\bwhat you (?:must|have to|are to|should|shall)\b"
        r"|\byou (?:must|have to|are to|shall) (?:carry|do|follow|obey|act)\b"
        r"|\b(?:must|has to) be (?:obeyed|carried out)\b"
        r"|\b(?:carry|act) (?:it|this|that|them|on it|on this|on that)(?: out)?\b"
    )


@cache
def _any_probe(names: tuple[str, ...]) -> Probe:
    """Anything that these dampers could need, anywhere: most texts hold nothing, and are asked only once."""
    return Probe(fold_pattern("|".join(f"(?:{_PATTERNS[name]})" for name in names)))


class Dampers:
    """What lowers the hits of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_plain: dict[Span, bool] = {}

    def damped(self, hit: Hit) -> tuple[Severity, str]:
        """The severity after the dampers, and which ones acted (comma-separated)."""
        severity = hit.rule.severity
        if not hit.rule.is_damped or severity is Severity.INFO or hit.is_last:
            return severity, ""
        text, start, end = self._page.text, hit.start, hit.end
        low, high = self._page.sentence(start, end)
        low, high = max(low, start - LOOK_BACK_CHARS), min(high, end + LOOK_AHEAD_CHARS)
        before, after = text[low:start], text[end:high]
        if not _is_quoted(before, after) and (not self._page.may_be_damped or self._has_none(low, high)):
            return severity, ""
        rank = severity.rank
        names = []
        for name in _acting(before, text[start:end], after):
            # A value that looks live is what it is, whatever else its sentence is about.
            if hit.rule.check and name in ("study", "localhost", "made up"):
                continue
            # "Report the invented figures" is no sample.
            if name == "made up" and hit.rule.family not in _OF_VALUES:
                continue
            # "Do exactly what this quoted phrase says" makes an order of any quotation.
            if name in ("study", "quotation") and _finds(_obeyed(), f"{before}\n{after}"):
                continue
            rank -= 2 if name == "negation" else 1
            names.append(name)
            if rank <= 0:
                break
        return (Severity.INFO, Severity.WARN, Severity.BLOCK)[max(0, rank)], ", ".join(names)

    def _has_none(self, low: int, high: int) -> bool:
        """True when nothing that a damper could need is in the run; several rules meet in one sentence."""
        is_plain = self._is_plain.get((low, high))
        if is_plain is None:
            is_plain = self._is_plain[low, high] = not _finds(_any_probe(tuple(_PATTERNS)), self._page.text[low:high])
        return is_plain


def _finds(probe: Probe, text: str) -> bool:
    return probe.finds(text.encode("utf-8", "replace"))


def _acting(before: str, matched: str, after: str) -> Iterator[str]:
    # A hit that speaks of "never" or "not" itself is not negated by that.
    is_told_of = _finds(_any_probe(_ROUND), f"{before}\n{matched}\n{after}")
    if is_told_of and is_negated(before, matched, after):
        yield "negation"
    # "A mail contained “…”" tells of it; said, wrote and asked do not, since an owner's order may be told so.
    is_reported = is_told_of and _finds(_probe("reported"), before) and _is_in_quotation(before, after)
    is_quoted = _is_quoted(before, after) or is_reported
    if is_quoted:
        yield "quotation"
    if is_told_of and _finds(_probe("study"), f"{before[-STUDY_CHARS:]}\n{after[:STUDY_CHARS]}"):
        yield "study"
        # Without such a word a quotation may well be the command to run.
        if not is_quoted and _is_in_quotation(before, after):
            yield "quotation"
    beside = f"{before[-STUDY_CHARS:]}{matched}{after[:STUDY_CHARS]}"
    if is_told_of and _finds(_probe("made up"), beside) and not _finds(_not_made_up(), beside):
        yield "made up"
    # "When the invoice has been written" tells of what is to come.
    if is_told_of and before and _finds(_probe("past tense"), before) and not _finds(_condition(), before):
        yield "past tense"
    near = before[-NEAR_CHARS:] + matched + after[:NEAR_CHARS]
    if _finds(_probe("localhost"), near) and not _finds(_probe("remote"), near):
        yield "localhost"
    if _finds(_probe("sample file"), matched + after[:12]):
        yield "sample file"


def _is_quoted(before: str, after: str) -> bool:
    """True when the hit is all of a quotation."""
    return bool(before and after) and before[-1] in _QUOTES and after[0] in _QUOTES


def _is_in_quotation(before: str, after: str) -> bool:
    """True when a quotation is open where the hit begins and closed after it."""
    opened = _OPEN_QUOTE.search(before)
    return opened is not None and any(mark in after for mark in _CLOSING_QUOTES[opened[1] or opened[2]])
