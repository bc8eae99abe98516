"""The form of a leaf event."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional

from .forms import is_count, is_event_id, is_hash, is_text, is_time, is_uuid, is_well_formed_text

MEMBERS = frozenset(
    "v type eventId refersTo agentId occurredAt outcome allowed reason severity violation_type rule detail actionKind "
    "profileVersion profileSha256 action payload".split()
)
ALWAYS = frozenset(("v", "type", "eventId", "agentId", "occurredAt"))
CHECK_OUTCOMES = ("allowed", "denied", "frozen", "sandbox_expired", "action_cap")
REPORTED_OUTCOMES = ("succeeded", "failed", "skipped")
_VIOLATIONS = (
    "api_not_allowed",
    "off_limits_action",
    "data_scope_denied",
    "spending_limit_exceeded",
    "rate_limit_exceeded",
    "unsafe_output",
)
_KINDS = ("http_call", "llm_response", "data_access", "tool_use", "other")

#: Required and optional members of each type, in addition to ``ALWAYS``.
_BY_TYPE: Dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "action.checked": (
        frozenset(("outcome", "allowed", "actionKind", "profileVersion", "profileSha256", "action")),
        frozenset(("reason", "severity", "violation_type", "rule", "detail", "payload")),
    ),
    "action.unanswered": (frozenset(("refersTo",)), frozenset()),
    "action.outcome": (frozenset(("refersTo", "outcome")), frozenset(("payload",))),
    "profile.changed": (frozenset(("profileVersion", "profileSha256", "action")), frozenset()),
    "content.erased": (frozenset(("action",)), frozenset(("refersTo",))),
    "retention.applied": (frozenset(("action",)), frozenset(("refersTo",))),
}
for _change in ("created", "updated", "frozen", "unfrozen", "deactivated", "registered"):
    _BY_TYPE[f"agent.{_change}"] = (frozenset(("action",)), frozenset())

_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "v": lambda value: type(value) is int and value == 1,
    "type": lambda value: is_text(value) and value in _BY_TYPE,
    "eventId": is_event_id,
    "refersTo": is_event_id,
    "agentId": is_uuid,
    "occurredAt": is_time,
    "outcome": is_text,
    "allowed": lambda value: type(value) is bool,
    "reason": is_well_formed_text,
    "severity": lambda value: value in ("P1", "P2", "P3"),
    "violation_type": lambda value: value in _VIOLATIONS,
    "rule": is_well_formed_text,
    "detail": is_well_formed_text,
    "actionKind": lambda value: value in _KINDS,
    "profileVersion": lambda value: is_count(value, 1),
    "profileSha256": is_hash,
    "action": is_hash,
    "payload": is_hash,
}


def what_is_wrong_with_leaf(event: Any) -> Optional[str]:
    """Why a value is not a leaf event, as text; ``None`` for a leaf."""
    if not isinstance(event, dict) or event.keys() != MEMBERS:
        return "a leaf event has exactly the 18 members of its format"
    for name, value in event.items():
        if value is None and name not in ALWAYS:
            continue
        if not _FORMS[name](value):
            return f"{name} has not its form"
    there, possible = _BY_TYPE[event["type"]]
    for name in MEMBERS - ALWAYS - possible:
        if (event[name] is not None) != (name in there):
            return f"{name} does not go with the type"
    if event["type"] == "action.outcome" and event["outcome"] not in REPORTED_OUTCOMES:
        return "outcome does not go with the type"
    return _what_is_wrong_with_check(event) if event["type"] == "action.checked" else None


def _what_is_wrong_with_check(event: Mapping[str, Any]) -> Optional[str]:
    outcome, violation = event["outcome"], event["violation_type"]
    if outcome not in CHECK_OUTCOMES:
        return "outcome does not go with the type"
    if event["allowed"] is not (outcome == "allowed"):
        return "allowed contradicts the outcome"
    if outcome == "denied" and violation is None:
        return "a denial has a violation_type"
    if outcome not in ("allowed", "denied") and violation is not None:
        return "a refusal by state or plan has no violation_type"
    explained = outcome != "allowed" or violation is not None
    if (event["reason"] is not None) != explained or (event["severity"] is not None) != explained:
        return "reason and severity are there where a rule was broken, and nowhere else"
    if event["rule"] is not None and violation is None:
        return "a rule without a violation"
    return None
