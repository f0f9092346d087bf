"""Writes the scanner's `needed.json`, the words that the patterns of the built-in catalogue ask for.

    python docs/make_needed_words.py            write it; to be run after each change of the catalogue
    python docs/make_needed_words.py --check    exit 1 when it is not current
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memtui.core.threats.engine import Reader  # noqa: E402
from memtui.core.threats.firsts import word_sets  # noqa: E402
from memtui.core.threats.needed import WORD_SETS, is_plain, key_of, written  # noqa: E402
from memtui.core.threats.patterns import asked_patterns  # noqa: E402
from memtui.core.threats.rules import builtin  # noqa: E402

TABLE = Path(__file__).resolve().parents[1] / "memtui" / "core" / "threats" / "tables" / "needed.json"


def main() -> int:
    lines = {}
    for narrow in (True, False):
        for part in Reader(builtin(), narrow=narrow).parts:
            for pattern, at_edge in asked_patterns(part.pattern):
                if not is_plain(pattern):
                    sets = written(word_sets(pattern, at_edge=at_edge)[:WORD_SETS])
                    key = json.dumps(key_of(pattern, at_edge=at_edge), ensure_ascii=False)
                    lines[key] = f"{key}:{json.dumps(sets, ensure_ascii=False, separators=(',', ':'))}"
    text = "{\n" + ",\n".join(lines[key] for key in sorted(lines)) + "\n}\n"
    if "--check" in sys.argv:
        return int(TABLE.read_text(encoding="utf-8") != text)
    TABLE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
