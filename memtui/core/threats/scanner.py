"""`scan` and `scan_joints`: a text through character pass, views and rules to findings.

Nothing in a text switches a scan off, and no text makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from typing import Final

from memtui.core.threats.characters import marks
from memtui.core.threats.collector import Collector
from memtui.core.threats.decoders import RUNS, WHOLLY_CODED, decoded_views
from memtui.core.threats.disguises import WORD_DISGUISES, disguise_views, excerpts, look_alike_views
from memtui.core.threats.engine import Reader, Reading
from memtui.core.threats.finding import Finding
from memtui.core.threats.folding import is_narrow
from memtui.core.threats.joints import joint_findings
from memtui.core.threats.picked import LETTERS_PICKED
from memtui.core.threats.rules import Catalogue, builtin
from memtui.core.threats.squeezed import SqueezedReader, is_cut_up
from memtui.core.threats.views import Span, View, clean_view, folded_view, joined_view, shifted

CHUNK_CHARS: Final = 32_768
OVERLAP_CHARS: Final = 2_048
MAX_DECODED_CHARS: Final = 65_536
DECODE_LEVELS: Final = 2
MAX_DEEP_CHARS: Final = 8_192
"""Of a decoded text that is decoded once more: a chunk of random signs in each cipher's form took ten readings each."""
UNREAD_RULE: Final = "rest_unread"
_WORD: Final = re.compile(r"[A-Za-z0-9]+")


class Scanner:
    """A catalogue, compiled part by part when a text first needs the part."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._rules = {rule.id: rule for rule in catalogue.rules}
        self._readers: dict[bool, Reader] = {}
        self._squeezed = SqueezedReader([rule for rule in catalogue.rules if rule.is_squeezed])

    @property
    def rule_ids(self) -> frozenset[str]:
        """The ids of all rules, a person's own included."""
        return frozenset(self._rules)

    def scan(self, text: str, ignored_views: Container[str] = ()) -> list[Finding]:
        """All findings of a text, the most severe first, but for those of ignored views."""
        collector = Collector(text, self._catalogue.lowered, ignored_views)
        for mark in marks(text):
            rule = self._rules[mark.rule_id]
            collector.add(rule, rule.severity, (mark.start, mark.end), "raw", mark.decoded)
        step = CHUNK_CHARS - OVERLAP_CHARS
        for start in range(0, max(1, len(text) - OVERLAP_CHARS), step):
            if len(text) <= CHUNK_CHARS:
                self._scan_chunk(collector, text, 0)
            elif not self._scan_chunk(collector, text[start : start + CHUNK_CHARS], start, may_stop=True):
                self._tell_unread(collector, (start, len(text)))
                break
        return collector.findings()

    def scan_joints(self, texts: Sequence[str], rest: Callable[[], object] = lambda: None) -> list[list[Finding]]:
        """The findings of each entry, with those that only exist where it meets its neighbours."""
        return joint_findings(texts, self.scan, rest)

    def _tell_unread(self, collector: Collector, span: Span) -> None:
        """What is not read is told, so that nobody takes what was found for all there is."""
        rule = self._rules[UNREAD_RULE]
        collector.add(rule, rule.severity, span, "raw")

    def _scan_chunk(self, collector: Collector, chunk: str, start: int, *, may_stop: bool = False) -> bool:
        """False when so much blocks that the rest was left unread."""
        clean = clean_view(chunk, shifted(start))
        folded = folded_view(clean)
        reading = self._read_plain(collector, clean, folded)
        if may_stop and collector.is_settled():
            return False
        joined = joined_view(clean, reading.words)
        whole = folded_view(joined) if joined else folded
        if joined:
            self._read_plain(collector, joined, whole)
        collector.close_plain()
        if may_stop and collector.is_settled():
            return False
        if is_cut_up(folded.text, reading):
            self._read_squeezed(collector, whole)
        if reading.signals or "\n" in chunk or not is_narrow(clean.text):
            self._read_disguises(collector, clean, folded, reading)
        if reading.signals:
            self._decode(collector, clean, reading.signals, DECODE_LEVELS, is_cut=start > 0)
        return not (may_stop and collector.is_settled())

    def _read_plain(self, collector: Collector, clean: View, folded: View) -> Reading:
        reading = self._reader(clean).read(folded, clean, collector.settled)
        for page in reading.pages:
            if page.hits:
                collector.add_plain(page)
        return reading

    def _read_disguises(self, collector: Collector, clean: View, folded: View, plain: Reading) -> None:
        for view in (*look_alike_views(clean), *disguise_views(clean, folded, plain.signals)):
            if view.name in WORD_DISGUISES:
                telling = self._reader(view).telling_words(view, plain.words)
                for part in excerpts(view, _places_of(telling, view.text)) if telling else ():
                    self._read_disguised(collector, part)
            else:
                self._read_disguised(collector, view)
            if view.name in ("despaced", LETTERS_PICKED):
                self._read_squeezed(collector, view)

    def _decode(
        self, collector: Collector, source: View, signals: frozenset[str], levels: int, *, is_cut: bool
    ) -> None:
        left = MAX_DECODED_CHARS
        for view in decoded_views(source, signals, is_cut=is_cut):
            # A cipher or a replaced sign gives the whole text once more, which is no pile of hidden texts.
            left -= len(view.text) if view.name in RUNS else 0
            if levels < DECODE_LEVELS:
                collector.deep_chars_left -= len(view.text)
                if collector.deep_chars_left < 0:
                    self._tell_unread(collector, source.to_raw(0, len(source.text)))
                    return
            folded = folded_view(view)
            reading = self._read_disguised(collector, folded, view)
            if is_cut_up(folded.text, reading):
                self._read_squeezed(collector, folded)
            is_short = len(view.text) <= MAX_DEEP_CHARS
            # Where only some signs were put back, the signals of the text itself are read as it stands.
            deeper = reading.signals if is_short or view.name in WHOLLY_CODED else reading.signals - signals
            if levels > 1 and deeper:
                if is_short:
                    self._decode(collector, view, deeper, levels - 1, is_cut=is_cut)
                else:
                    self._tell_unread(collector, source.to_raw(0, len(source.text)))
            if left < 0:
                self._tell_unread(collector, source.to_raw(0, len(source.text)))
                return

    def _read_disguised(self, collector: Collector, folded: View, clean: View | None = None) -> Reading:
        reading = self._reader(clean or folded).read(folded, clean, collector.settled)
        for page in reading.pages:
            collector.add_disguised(page.view, page.hits)
        return reading

    def _read_squeezed(self, collector: Collector, view: View) -> None:
        hits = self._squeezed.read(view)
        if hits:
            collector.add_disguised(view if view.is_disguise else view._replace(name="squeezed"), hits)

    def _reader(self, view: View) -> Reader:
        narrow = is_narrow(view.text)
        if narrow not in self._readers:
            self._readers[narrow] = Reader(self._catalogue, narrow=narrow)
        return self._readers[narrow]


def _places_of(words: set[bytes], text: str) -> Iterator[Span]:
    return (found.span() for found in _WORD.finditer(text) if found[0].lower().encode() in words)


@cache
def builtin_scanner() -> Scanner:
    """The scanner of memtui's own catalogue, one for the process."""
    return Scanner(builtin())
