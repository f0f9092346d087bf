"""`memtui.scan` for those who import it: the scanner with the rules that the user has in the configuration folder.

The rules are looked for once, when the name is first used; a store, the audit and the command line look again.
"""

from __future__ import annotations

from memtui.core.threats import scan
from memtui.disk.own_rules import use_own_rules

__all__ = ["scan"]

use_own_rules()
