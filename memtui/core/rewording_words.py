"""Other words for what the agent's rules mind, by rule: a pattern of the words, and what may stand there instead.

Only wording: what a note says stays the same. Whether a rule is content with it is tried, never believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Swap = tuple[str, str]
"""A pattern (small letters, case ignored, linear) and its replacement, in the syntax of `re`."""

_HOME: Final = r"(?:~|\$home)/"
_WORDS: Final = r"((?:\w+\s+){0,8}?)"

SWAPS: Final[Mapping[str, tuple[Swap, ...]]] = {
    "ssh_access": (
        (_HOME + r"\.ssh/config\b", "the SSH config"),
        (_HOME + r"\.ssh/known_hosts\b", "the list of known SSH hosts"),
        (_HOME + r"\.ssh/[\w.-]+\.pub\b", "the public SSH key"),
        (_HOME + r"\.ssh/(\w[\w-]*(?:\.[\w-]+)*)", r"\1 in the SSH folder"),
        (_HOME + r"\.ssh/?(?![\w.-])", "the SSH folder"),
        (_HOME + r"\.ssh/?", "the SSH folder: "),
    ),
    "ssh_backdoor": ((r"authorized_keys", "authorized keys"), (r"authorized_keys", "list of authorized SSH keys")),
    "hermes_env": ((_HOME + r"\.hermes/\.env", "the agent's env file"),),
    "agent_config_mod": (
        (r"agents\.md", "the agents file"),
        (r"claude\.md", "the Claude notes"),
        (r"\.cursorrules", "the Cursor rules"),
        (r"\.clinerules", "the Cline rules"),
    ),
    "hermes_config_mod": (
        (r"\S*\.hermes/config\.yaml", "the agent's configuration"),
        (r"\S*\.hermes/soul\.md", "the agent's persona file"),
    ),
    "read_secrets": ((r"\bcat\b", "show"), (r"\bcat\b", "read"), (r"(?<=\s)\.env\b", "the env file")),
    "send_to_url": ((r"\b(to|at)(\s+)https?://", r"\1\2"), (r"\b(?:to|at)\s+(?=https?://)", "on ")),
    "context_exfil": (
        (r"include", "add"), (r"output", "show"), (r"print", "show"), (r"share", "pass on"),
        (r"conversation", "talk"), (r"chat\s+history", "chat log"), (r"previous\s+messages", "earlier messages"),
        (r"(full|entire)\s+context", r"\1 background"),
    ),
    "exfil_curl": ((r"\$\{?(\w+)\}?", r"the variable \1"),),
    "exfil_wget": ((r"\$\{?(\w+)\}?", r"the variable \1"),),
    "c2_heartbeat": (
        (r"check[\s-]?in\s+(?:to|with)\b", "report back to"),
        (r"check[\s-]?in\s+(?:to|with)\b", "talk to"),
        (r"heartbeat\s+to\b", "ping to"),
        (r"heartbeat\s+with\b", "ping of"),
        (r"beacon\s+to\b", "signal to"),
        (r"beacon\s+with\b", "signal by"),
    ),
    "c2_task_pull": ((r"pull(\s+down)?(?=(?:\s+new)?\s+task)", "fetch"), (r"pull(\s+down)?(?=\s)", "take")),
    "c2_node_registration": ((r"register(?=\s)", "enrol"), (r"register\s+(?:as\s+)?(?:a\s+)?node", "add the node")),
    "c2_network_connect": ((r"connect\s+to\s+the\s+network\b", "join the network"),),
    "c2_explicit": ((r"c2\s+(server|channel|infrastructure|beacon)", r"C2-\1"),),
    "c2_explicit_long": ((r"command\s+and\s+control", "command & control"),),
    "known_c2_framework": (
        (r"cobalt\s*strike", "Cobalt-Strike"),
        (r"(\w+)\s+(sliver|havoc|mythic|metasploit|brainworm)\b", r"\1_\2"),
        (r"\b(sliver|havoc|mythic|metasploit|brainworm)\s+(\w+)", r"\1_\2"),
        (r"\b(sliver|havoc|mythic|metasploit|brainworm)\b", r"\1_"),
    ),
    "forced_action": ((r"you\s+must\b", "please"), (r"you\s+must\b", "you have to")),
    "anti_forensic_oneliner": ((r"only\s+use\s+one[\s-]?liners?\b", "keep every command to one line"),),
    "anti_forensic_disk": ((r"never(?=\s)", "do not"),),
    "env_var_unset_agent": ((r"unset(?=\s)", "clear"),),
    "role_hijack": (
        (r"you\s+are\s+" + _WORDS + r"now\s+(?=(?:an?|the)\s)", r"you have \1become "),
        (r"\bnow(?=\s)", "by now"),
    ),
    "role_pretend": (
        (r"pretend\s+to\s+be(?=\s)", "play"),
        (r"pretend\s+you\s+are(?=\s)", "play"),
        (r"pretend(?=\s)", "act as though"),
    ),
    "identity_override": ((r"name\s+yourself(?=\s)", "take the name"),),
    "fake_update": ((r"you\s+have\s+been(?=\s)", "you were"),),
    "bypass_restrictions": ((r"act\s+as(?=\s)", "behave as"),),
    "prompt_injection": (
        (r"ignore(?=\s)", "skip"), (r"ignore(?=\s)", "leave out"), (r"instructions", "directions"),
        (r"instructions", "notes"),
    ),
    "disregard_rules": ((r"disregard(?=\s)", "leave aside"), (r"disregard(?=\s)", "skip")),
    "sys_prompt_override": ((r"system\s+prompt\s+override", "override of the system prompt"),),
    "leak_system_prompt": ((r"output(?=\s)", "result"), (r"output(?=\s)", "text"), (r"prompt\b", "message")),
    "remove_filters": ((r"\s+without(?=\s)", " with no"),),
    "deception_hide": ((r"do\s+not(?=\s)", "don't"), (r"the\s+user", "them")),
    "hardcoded_secret": ((r"([=:]\s*)[\"']([^\"'\n]+)[\"']", r"\1\2"),),
    "translate_execute": ((r"\band\s+(?=execute|run|eval)", "and then "), (r"\band\s+(?=execute|run|eval)", ", then ")),
    "html_comment_injection": ((r"<!--((?:[^>-]|-(?!->)){0,600})-->", r"(\1)"), (r"<!--", "(comment: ")),
    "hidden_div": ((r"<\s*div\s+style\s*=\s*", "a div with the style "),),
}
