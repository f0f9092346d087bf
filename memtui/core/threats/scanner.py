"""`scan` and `scan_joints`: a text through character pass, views and rules to findings.

Nothing in a text switches a scan off, and no text makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from memtui.core.threats.characters import marks
from memtui.core.threats.collector import Collector
from memtui.core.threats.decoders import SIGNALS, decoded_views
from memtui.core.threats.engine import Hit, Reader
from memtui.core.threats.finding import Finding
from memtui.core.threats.joints import joint_findings
from memtui.core.threats.rules import Catalogue, builtin
from memtui.core.threats.views import (
    DISGUISE_SIGNALS,
    WORD_DISGUISES,
    View,
    clean_view,
    disguise_views,
    folded_view,
    joined_view,
    look_alike_views,
    shifted,
)

CHUNK_CHARS: Final = 65_536
OVERLAP_CHARS: Final = 2_048
MAX_DECODED_CHARS: Final = 65_536
DECODE_LEVELS: Final = 2


class Scanner:
    """A catalogue, compiled part by part when a text first needs the part."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._rules = {rule.id: rule for rule in catalogue.rules}
        self._readers: dict[tuple[bool, bool], Reader] = {}

    def scan(self, text: str) -> list[Finding]:
        """All findings of a text, the most severe first."""
        collector = Collector(text)
        for mark in marks(text):
            rule = self._rules[mark.rule_id]
            collector.add(rule, rule.severity, (mark.start, mark.end), "raw", mark.decoded)
        step = CHUNK_CHARS - OVERLAP_CHARS
        for start in range(0, max(1, len(text) - OVERLAP_CHARS), step):
            self._scan_chunk(collector, text[start : start + CHUNK_CHARS] if len(text) > CHUNK_CHARS else text, start)
            if collector.is_settled():
                break
        return collector.findings(self._catalogue.lowered)

    def scan_joints(self, texts: Sequence[str]) -> list[list[Finding]]:
        """The findings of each entry, with those that only exist where it meets its neighbours."""
        return joint_findings(texts, self.scan)

    def _scan_chunk(self, collector: Collector, chunk: str, start: int) -> None:
        clean = clean_view(chunk, shifted(start))
        folded = folded_view(clean)
        hits, encoded = self._read(clean, collector)
        collector.add_plain(clean, hits)
        hits, disguised = self._read(folded, collector)
        collector.add_plain(folded, hits)
        joined = joined_view(clean)
        if joined:
            for view in (joined, folded_view(joined)):
                collector.add_plain(view, self._read(view, collector)[0])
        collector.close_plain()
        if collector.is_settled():
            return
        for view in (*look_alike_views(clean), *disguise_views(folded, disguised)):
            if view.name in WORD_DISGUISES and not self._reader(view).knows_more(view, folded.text):
                continue
            collector.add_disguised(view, self._read(view, collector)[0])
        if encoded:
            self._decode(collector, clean, encoded, DECODE_LEVELS)

    def _decode(self, collector: Collector, source: View, signals: frozenset[str], levels: int) -> None:
        left = MAX_DECODED_CHARS
        for view in decoded_views(source, signals):
            left -= len(view.text)
            hits, deeper = self._read(view, collector)
            collector.add_disguised(view, hits)
            folded = folded_view(view)
            collector.add_disguised(folded, self._read(folded, collector)[0])
            if levels > 1 and deeper:
                self._decode(collector, view, deeper, levels - 1)
            if left < 0:
                return

    def _read(self, view: View, collector: Collector) -> tuple[list[Hit], frozenset[str]]:
        return self._reader(view).read(view, collector.settled)

    def _reader(self, view: View) -> Reader:
        key = (view.is_folded, view.text.isascii())
        if key not in self._readers:
            signals = DISGUISE_SIGNALS if view.is_folded else SIGNALS
            self._readers[key] = Reader(self._catalogue, signals, folded=key[0], ascii_only=key[1])
        return self._readers[key]


@cache
def builtin_scanner() -> Scanner:
    """The scanner of memtui's own catalogue, one for the process."""
    return Scanner(builtin())
