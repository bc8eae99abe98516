"""The form of a leaf event, versions 1 and 2."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from .forms import (
    ascends,
    is_count,
    is_event_id,
    is_hash,
    is_identifier,
    is_text,
    is_time,
    is_uuid,
    is_well_formed_text,
)

MEMBERS = frozenset(
    "v type eventId refersTo agentId occurredAt outcome allowed reason severity violation_type rule detail actionKind "
    "profileVersion profileSha256 action payload".split()
)
ADDED_MEMBERS = frozenset(("context", "coverage"))
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

Members = FrozenSet[str]

#: Required and optional members of each type, in addition to ``ALWAYS``.
_BY_TYPE: Dict[str, Tuple[Members, Members]] = {
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

#: The same for version 2. Of a type that is not listed every member is optional.
_BY_TYPE_2: Dict[str, Tuple[Members, Members]] = {
    name: (there | ADDED_MEMBERS, possible) if name == "action.checked" else (there, possible | {"context"})
    for name, (there, possible) in _BY_TYPE.items()
}
for _change in ("requested", "decided", "expired", "consumed"):
    _BY_TYPE_2[f"approval.{_change}"] = (
        frozenset(("action",)),
        (MEMBERS | {"context"}) - ALWAYS - {"action", "allowed"},
    )

#: The same for every event of an account itself.
_OF_ACCOUNT: Tuple[Members, Members] = (
    frozenset(("action", "detail")),
    frozenset(("refersTo", "outcome", "context")),
)
_ACTOR = re.compile(r"user:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z][a-z0-9_]{0,63}")

_MAX_COVERAGE = 32
_MAX_TYPE = 64
_TYPE = re.compile(r"[a-z]+(\.[a-z_]+)+")

Form = Callable[[Any], bool]
_FORMS: Mapping[str, Form] = {
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
_FORMS_2: Mapping[str, Form] = {
    **_FORMS,
    "type": lambda value: is_text(value) and len(value) <= _MAX_TYPE and _TYPE.fullmatch(value) is not None,
    "outcome": is_identifier,
    "violation_type": is_identifier,
    "context": is_hash,
    "coverage": lambda value: (
        isinstance(value, list) and len(value) <= _MAX_COVERAGE and all(map(is_identifier, value)) and ascends(value)
    ),
}


class _Version(NamedTuple):
    members: Members
    forms: Mapping[str, Form]
    by_type: Mapping[str, Tuple[Members, Members]]


_VERSIONS = {
    1: _Version(MEMBERS, _FORMS, _BY_TYPE),
    2: _Version(MEMBERS | ADDED_MEMBERS, _FORMS_2, _BY_TYPE_2),
}


def what_is_wrong_with_leaf(event: Any) -> Optional[str]:
    """The first fault of a value that is not a leaf event, as text; ``None`` for a leaf of version 1 or 2."""
    number = event.get("v") if isinstance(event, dict) else None
    version = _VERSIONS.get(number) if type(number) is int else None
    if version is None:
        return "a leaf event is an object of version 1 or 2"
    if event.keys() != version.members:
        return f"a leaf event of version {number} has exactly the {len(version.members)} members of its format"
    for name, form in version.forms.items():
        value = event[name]
        if not form(value) and (value is not None or name in ALWAYS):
            return f"{name} has not its form"
    of_account = event["type"].startswith("account.")
    if event["type"] not in version.by_type and not of_account:
        return None
    there, possible = _OF_ACCOUNT if of_account else version.by_type[event["type"]]
    for name in version.members - ALWAYS - possible:
        if (event[name] is not None) != (name in there):
            return f"{name} does not go with the type"
    if of_account and (event["agentId"][14] != "8" or _ACTOR.fullmatch(event["detail"]) is None):
        return "agentId or detail is not that of an event of an account"
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
