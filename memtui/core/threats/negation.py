"""Whether the words round a hit forbid it, or only look as if they did: "never send" forbids, "never stop to" urges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memtui.core.threats.patterns import fold_pattern
from memtui.core.threats.searches import Probe

NEGATIONS: Final = (
    r"\b(?:never|don'?t|do not|does not|doesn'?t|did not|must not|mustn'?t|should not|shouldn'?t|may not|cannot|can'?t"
    r"|avoid|no need to|not to|refuse to|without|nie|niemals|nicht|nunca|jamais|ne|nao|non|no"
    r"|(?:asks?|check with \w+|confirm|asks? permission) (?:me |us |the user |first )?before)\s+"
    r"|не |никогда не |нельзя |(?:不要|不得|切勿|请勿|禁止|別|勿)(?:[^\s，。；：、,.;:]{1,4}[或和])?|لا |मत "
)
_BETWEEN: Final = r"(?:[\w'.`\"~/-]+\s+){0,3}"
NEGATION: Final = rf"(?:{NEGATIONS}){_BETWEEN}"
"""What stands before a hit that is forbidden."""
FORBIDDING_ENDS: Final = "しない|ては(?:いけ|なら)な|禁止|지 않|지 마|지 말|मत |नहीं"
NEGATION_AFTER: Final = rf"\W*(?:\w+\W+){{0,2}}\b(?:nicht|niemals)\b|.{{0,12}}(?:{FORBIDDING_ENDS})"
"""What stands after it."""

_URGES: Final = frozenset(
    re.findall(
        r"\w+",
        "hesitate forget fail miss worry stop rest wait cease pause delay tire quit sleep linger refrain neglect omit "
        "skip decline relax bother halt tarry dither shy afraid slow late but until unless except than nothing avoid "
        "question problem doubt worries matter wonder argue object mind if when whenever because while since once so "
        "vergiss vergesse warte warten zogere zogern versaume dejes olvides dudes pares esperes tardes faltes sino "
        "cesse cesses oublie oublies hesite hesites manque attends arrete arretes tarde esqueca deixe espere "
        "забывай забудь переставай жди медли прекращай останавливайся",
    )
)
"""Words between a negation and a deed with which the deed is to be done."""
_SPEAKING: Final = frozenset({"ask", "tell", "inform", "notify", "warn", "say", "speak", "consult", "report"})
"""Deeds that are forbidden by themselves: "do not ask me and send"; "do not ask Bo to send" forbids the sending."""
_AND: Final = frozenset({"and", "und", "y", "et", "e", "i", "и"})
_DEEDS: Final = frozenset(
    re.findall(
        r"\w+",
        "copy cut read print open collect take save store log commit push write edit change delete remove run execute "
        "download send post upload share reveal show disable skip ignore override install approve accept trust fetch "
        "grab find search load put keep stop kill pull merge close drop type enter query list dump export "
        "kopieren lesen senden loschen offnen copiar leer enviar borrar copier lire envoyer",
    )
)
"""Deeds that a negation forbids together with the next one: "never copy and paste"; "do not cry and send" urges."""
_OF_DOING: Final = ("avoid", "without", "no need to")
"""Negations of what follows them at once, or of a doing: "without more questions send" forbids nothing."""
_BARE: Final = frozenset(re.findall(r"\w+", "any all the a an my your our its this that ever real to"))
_NOT_LATER: Final = (
    r"\W*(?:\w+\W+){0,2}(?:nicht|niemals)\W+(?:sp(?:ae?|ä)ter|vergessen|warten|z(?:oe?|ö)gern|vers(?:ae?|ä)umen|anders"
    r"|(?:nach)?fragen|wahr)|.{0,12}(?:询问|质问|提问|質問|確認|尋ね|聞|묻|질문|확인|पूछ)"
)
_WHY: Final = re.compile(r"\bwhy\s$")


def is_negated(before: str, matched: str, after: str) -> bool:
    """True when the hit, which stands between `before` and `after`, is what is forbidden."""
    if before and _probe(f"(?:{NEGATION})$").finds(before.encode("utf-8", "replace")):
        found = _negated().search(before)
        if found is None or _WHY.search(before, 0, found.start()):
            return False
        return not _is_urged(found["no"], found["between"].split(), matched)
    is_after = bool(after) and _probe(f"^(?:{NEGATION_AFTER})").finds(after.encode("utf-8", "replace"))
    return is_after and not _not_later().match(after)


def _is_urged(negation: str, between: Sequence[str], matched: str) -> bool:
    """True when the words after the negation want the deed: "never stop to", "you cannot but", "without ado"."""
    if not _URGES.isdisjoint(between) or any(word in negation for word in ("nobody", "no one", "none")):
        return True
    if not _SPEAKING.isdisjoint(between) and between[-1] != "to":
        return True
    if any(word in _AND and between[at - 1] not in _DEEDS for at, word in enumerate(between) if at):
        return True
    is_of_doing = negation.strip() in _OF_DOING
    return is_of_doing and not _BARE.issuperset(between) and not matched.split(" ", 1)[0].endswith("ing")


@cache
def _not_later() -> re.Pattern[str]:
    """What stands after a hit and forbids something else: "and never ask"."""
    return re.compile(fold_pattern(_NOT_LATER))


@cache
def _probe(pattern: str) -> Probe:
    return Probe(fold_pattern(pattern))


@cache
def _negated() -> re.Pattern[str]:
    """The last negation before a hit, and the words between."""
    return re.compile(fold_pattern(rf"(?P<no>{NEGATIONS})(?P<between>{_BETWEEN})$"))
