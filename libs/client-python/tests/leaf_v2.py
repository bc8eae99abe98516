"""Leaves of version 2 and packages of them, built from the text of FORMAT.md without the verifier's commitments."""

from __future__ import annotations

import copy
import hashlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

import mutations
import rfc8785
import vectors

from countersign.verify import Verification, VerificationKey, verify_package

GAP = "Gap, review required"
UNGOVERNED = (GAP, "The check is ungoverned: no rule and no list of the profile applied to it.")
NO_SCOPE = (GAP, "The data access names no data scope.")
OBSERVED = (GAP, "Observe mode let a violation pass.")
UNANSWERED = (GAP, "The answer to the check may not have reached its caller.")
REFUSED = ("Prevented", "The check was refused, and no execution was reported.")
SATISFIED: Tuple[str, Optional[str]] = ("Satisfied", None)

AGENT = "019cadfd-8900-7a5a-b994-fff9e3653122"
SALTS = {"action": "jxMA184UQEPlI_Eqh8dMsg", "payload": "FMYHQWLz0TqZ9XM00gw9mA", "context": "Dj82JGfVtoOl8POcWCCsAw"}
ACTION = {"type": "tool_use", "tool_name": "choose_seat", "estimatedCost": 4.5}
CONTEXT: Dict[str, Any] = {
    "request_time": {"seconds": 1772445661, "offsets": {"Europe/Berlin": 60}},
    "effect": "allow",
    "engine": {"engine": "1.4.0", "detectors": "2026-03"},
    "seen": {
        "order": 5,
        "frozen": False,
        "plan": {"used": 17, "cap": 1000, "expires": None},
        "spent": {"day": 4500000, "month": 9000000},
        "rate": 3,
        "limits": {"wires": "2", "amount": "250.5"},
    },
    "facts": ["booked", "seen"],
    "principal": "user-1",
    "session": "s-1",
    "trace": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "actors": [{"id": "planner", "kind": "agent"}, {"id": "user-1"}],
    "approval": {"id": "019cadfe-7748-7803-8dd3-688c86a677bd"},
    "parent": "019cadfd-8900-7b25-98d9-1a124e3f31de",
}
_MEMBERS = (
    "v type eventId refersTo agentId occurredAt outcome allowed reason severity violation_type rule detail actionKind "
    "profileVersion profileSha256 action payload context coverage"
).split()
_KEY = VerificationKey.from_pem(mutations.PEM)
_REFUSAL = {"reason": "It is off limits.", "severity": "P1"}


def hash_of(value: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def in_order(names: Iterable[str]) -> List[str]:
    return sorted(names, key=lambda name: name.encode("utf-16-be"))


def members_of(kind: str, value: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """``{name, salt, value}`` of each member, in order."""
    shown: List[Dict[str, Any]] = []
    for i, name in enumerate(in_order(value)):
        block = hash_of(["salts", kind, SALTS[kind], i // 2 if i % 2 == 0 else (i - 1) // 2])
        shown.append({"name": name, "salt": block[:32] if i % 2 == 0 else block[-32:], "value": value[name]})
    return shown


def digest_of(kind: str, member: Mapping[str, Any]) -> str:
    return hash_of([kind, member["name"], member["salt"], member["value"]])


def commit(kind: str, value: Any, version: int = 2) -> str:
    if version == 2 and isinstance(value, dict) and 1 <= len(value) <= 32:
        return hash_of([kind, [digest_of(kind, member) for member in members_of(kind, value)]])
    return hash_of([kind, SALTS[kind], value])


def whole(kind: str, value: Any) -> Dict[str, Any]:
    return {"salt": SALTS[kind], "value": value}


def part(kind: str, value: Mapping[str, Any], shown: Iterable[str]) -> Dict[str, Any]:
    names = set(shown)
    members = members_of(kind, value)
    return {"members": [one if one["name"] in names else digest_of(kind, one) for one in members]}


def event(kind: str, committed: Mapping[str, Any], **changes: Any) -> Dict[str, Any]:
    """A leaf of version 2, or of version 1 with ``v=1``; ``committed`` has the values of its commitments."""
    version = changes.get("v", 2)
    names = _MEMBERS if version == 2 else _MEMBERS[:18]
    commitments = {name: commit(name, value, version) for name, value in committed.items()}
    found: Dict[str, Any] = {**dict.fromkeys(names), "v": version, "type": kind, "agentId": AGENT}
    return {**found, "occurredAt": "2026-03-02T10:01:01.000Z", **commitments, **changes}


def check(
    action: Any = ACTION, payload: Any = None, context: Any = CONTEXT, shown: Any = None, **changes: Any
) -> Dict[str, Any]:
    """An entry with a check, allowed unless ``changes`` say otherwise; ``shown`` replaces its openings."""
    values = {"action": action, "context": context, **({} if payload is None else {"payload": payload})}
    if changes.get("v") == 1:
        del values["context"]
    outcome = changes.get("outcome", "allowed")
    explained = _REFUSAL if outcome != "allowed" or changes.get("violation_type") is not None else {}
    members: Dict[str, Any] = {
        "outcome": outcome,
        "allowed": outcome == "allowed",
        "actionKind": "tool_use",
        "profileVersion": 2,
        "profileSha256": hash_of("profile"),
        **({} if changes.get("v") == 1 else {"coverage": ["off_limits_actions", "spending_limit"]}),
        **explained,
        **changes,
    }
    opened = {name: whole(name, value) for name, value in values.items()}
    return entry(event("action.checked", values, **members), {**opened, **(shown or {})})


def entry(
    leaf: Dict[str, Any], opened: Mapping[str, Any], status: Tuple[str, Optional[str]] = SATISFIED
) -> Dict[str, Any]:
    return {
        "event": leaf,
        "sequence": 0,
        "opened": {name: opening for name, opening in opened.items() if opening is not None},
        "status": status[0],
        "statusReason": status[1],
        "controls": [],
    }


def judged(one: Dict[str, Any], status: Tuple[str, Optional[str]]) -> Dict[str, Any]:
    """The entry with another status."""
    return {**one, "status": status[0], "statusReason": status[1]}


def package(*entries: Dict[str, Any]) -> Dict[str, Any]:
    """A signed package of one agent's events, none of them anchored."""
    made: Dict[str, Any] = copy.deepcopy(vectors.load("valid-nothing-anchored.json")["package"])
    events = copy.deepcopy(list(entries))
    for number, one in enumerate(events, 1):
        one["sequence"] = number
        one["event"].setdefault("eventId", None)
        if one["event"]["eventId"] is None:
            one["event"]["eventId"] = f"019cadfe-7748-7803-8dd3-{number:012x}"
    agent = {**made["agents"][0], "firstSequence": 1, "lastSequence": len(events), "count": len(events)}
    proofs = [{"eventId": one["event"]["eventId"], "anchored": False} for one in events]
    made.update(agents=[agent], events=events, inclusionProofs=proofs, summary=_summary(events))
    mutations.sign(made)
    return made


def _summary(entries: List[Dict[str, Any]]) -> Dict[str, Any]:
    checks = [one["event"] for one in entries if one["event"].get("type") == "action.checked"]
    outcomes = [one.get("outcome") for one in checks]
    statuses = [one["status"] for one in entries]
    violations = [one["violation_type"] for one in checks if isinstance(one.get("violation_type"), str)]
    reported = {one["event"].get("refersTo") for one in entries if one["event"].get("type") == "action.outcome"}
    return {
        "events": len(entries),
        "allowed": outcomes.count("allowed"),
        "denied": outcomes.count("denied"),
        "frozen": outcomes.count("frozen"),
        "capped": outcomes.count("sandbox_expired") + outcomes.count("action_cap"),
        "satisfied": statuses.count("Satisfied"),
        "prevented": statuses.count("Prevented"),
        "gap": statuses.count(GAP),
        "anchored": 0,
        "unanchored": len(entries),
        "byViolation": {name: violations.count(name) for name in violations},
        "outcomes": {"reported": sum(one.get("eventId") in reported for one in checks), "of": len(checks)},
    }


def without(value: Mapping[str, Any], *names: str) -> Dict[str, Any]:
    return {name: item for name, item in value.items() if name not in names}


def judge(*entries: Any) -> Verification:
    """The result for a package of these entries, with the key that signed it."""
    return verify_package(package(*entries), [_KEY])


def first_problem(*entries: Any) -> Optional[str]:
    return judge(*entries).first_problem


def members(count: int) -> Dict[str, int]:
    return {f"m{number}": number for number in range(count)}


#: Values of every kind, with names whose order in UTF-16 is not that of code points, nor of their insertion.
ODD_NAMES = {"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3, "": 4, "10": 5, "9": 6, "__proto__": 7, "constructor": [8]}
PAYLOADS = [{"seat": "12A"}, {}, [], ["a", {"b": 1}], "text", 7, False, members(32), members(33), ODD_NAMES]
