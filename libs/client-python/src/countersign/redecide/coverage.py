"""The members of a profile that apply to an action (``coverage`` of a leaf)."""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Tuple

from .cel.values import ABSENT
from .members import Subject
from .output_rules import has_output_rules
from .rules import Finding, Judged


def coverage_of(
    profile: Mapping[str, Any], subject: Subject, listed: Optional[Finding], judged: Judged
) -> Tuple[str, ...]:
    """Ascending. A list that denied applies, whatever the kind of the action."""
    has_payload = subject.given("payload") is not ABSENT
    names_api = subject.names("url") or subject.names("tool") or (has_payload and subject.is_tool_type())
    names_data = subject.names("data_scope") or subject.is_kind("data_access")
    found = {
        "off_limits_actions": bool(profile.get("off_limits_actions")),
        "allowed_actions": bool(profile.get("allowed_actions")),
        "rate_limit": profile.get("rate_limit") is not None,
        "require": bool(profile.get("require")),
        "output_rules": has_output_rules(profile) and has_payload,
        "spending_limit": profile.get("spending_limit") is not None and subject.names("cost"),
        "allowed_apis": bool(profile.get("allowed_apis")) and names_api,
        "blocked_apis": bool(profile.get("blocked_apis")) and names_api,
        "allowed_data_scopes": bool(profile.get("allowed_data_scopes")) and names_data,
        "blocked_data_scopes": bool(profile.get("blocked_data_scopes")) and names_data,
        "rules": judged.rules_apply,
        "limits": judged.limits_apply,
    }
    if listed is not None:
        member = re.match("[a-z_]*", listed.rule or "")
        if member is not None and member.group() in found:
            found[member.group()] = True
    return tuple(sorted(name for name, applies in found.items() if applies))
