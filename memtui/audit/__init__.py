"""Audits memory files for threats, one home or a fleet of them.

Writes nothing into a home and records nothing. Of an entry's text only what a rule matched is handed out,
display-safe and without secrets.
"""

from memtui.audit.running import audit
from memtui.audit.values import AuditFinding, AuditOptions, AuditProblem, HomeAudit, Kind, Region
from memtui.core.judgement import State

__all__ = ["AuditFinding", "AuditOptions", "AuditProblem", "HomeAudit", "Kind", "Region", "State", "audit"]
