"""Signed packages of events of both versions, with one or two faults before or after their values are committed."""

from __future__ import annotations

import copy
import json
import random
from typing import Any, Dict, List, Tuple

import leaf_v2
import mutations
from leaf_v2 import CONTEXT, SATISFIED, whole

_KEYS = [{"pem": mutations.PEM, "status": "active", "validFrom": None, "validTo": None}]
_NAMES = (
    "a",
    "b",
    "dataScope",
    "10",
    "9",
    "1",
    "",
    "__proto__",
    "constructor",
    "\ufb33",
    "\U0001f600",
    "\u20ac",
    "type",
)
_VALUES: Tuple[Any, ...] = (None, 0, 1, -1, 1.5, "", "x", True, [], {}, ["a"], {"a": 1}, {"__proto__": 1}, "\U0001f600")
_COVERAGE: Tuple[List[str], ...] = (["a"], ["a", "b_1"], ["x" * 64], [f"a{n:02}" for n in range(32)], [], [], [])
_WRONG_COVERAGE: Tuple[Any, ...] = (
    ["b", "a"],
    ["a", "a"],
    ["A"],
    ["x" * 65],
    [f"a{n:02}" for n in range(33)],
    None,
    {},
    "a",
    [1],
    [""],
)
_VIOLATIONS = ("rule_denied", "approval_required", "constructor", "x" * 64, "off_limits_action", "has_own_property")
_WRONG_VIOLATIONS = ("", "A", "a-b", "x" * 65, "9a", "a\n", "_a", 1, "__proto__")
_TYPES = ("approval.requested", "approval.decided", "approval.consumed", "approval.revoked", "a.b", "a.b_c.d")
_WRONG_TYPES = ("ab", "a.", "A.b", "a.b1", "a_b.c", "a.b\n", "a." + "b" * 63, "", 1, "constructor", "__proto__")
_EFFECTS = ("allow", "observe", "deny", "approve", "modify", "defer", "block", None)


def cases(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{kind, text, keys, chain, what}``, as :func:`mutations.cases`."""
    source = random.Random(seed)
    return [_case(source) for _ in range(count)]


def _case(source: random.Random) -> Dict[str, Any]:
    what: List[str] = []
    faulty = source.random() < 0.7
    entries = [_entry(source, what, faulty and n == 0) for n in range(source.choice((1, 1, 2, 3)))]
    source.shuffle(entries)
    text = json.dumps(leaf_v2.package(*entries), ensure_ascii=source.random() < 0.5)
    return {"kind": "package", "text": text, "keys": _KEYS, "chain": None, "what": "; ".join(what) or "no fault"}


def _entry(source: random.Random, what: List[str], faulty: bool) -> Dict[str, Any]:
    fault = source.choice(("value", "context", "leaf", "opening", "opening", "members", "status")) if faulty else ""
    kind, members, status = _situation(source)
    values = {name: _value(source) for name in ("action", "payload")}
    if kind == "agent.updated":
        del values["payload"]
    if kind == "profile.changed":
        profile = {"version": 2, "mode": source.choice(("enforce", "observe"))}
        values = {"action": {"profile": profile, "by": {"id": "user-1"}}}
        members.update(profileVersion=2, profileSha256=leaf_v2.hash_of(profile))
    if members["v"] == 2:
        values["context"] = _context(source, kind, members)
    if fault == "context" and "context" in values:
        what.append(f"context: {_fault_of_context(source, values['context'])}")
    if fault == "value" and isinstance(values["action"], (dict, list)) and values["action"]:
        what.append(f"action: {mutations.mutate(source, values['action'])}")
    leaf = leaf_v2.event(kind, values, **members)
    opened = {name: _opening(source, name, value, members["v"]) for name, value in values.items()}
    entry = leaf_v2.entry(leaf, opened, _status_of(source, leaf, opened.get("action"), status))
    if fault == "leaf":
        what.append(f"leaf: {_fault_of_leaf(source, leaf)}")
    if fault == "opening" and entry["opened"]:
        what.append(f"opening: {_fault_of_opening(source, entry)}")
    if fault == "members":
        what.append(f"members: {_fault_of_members(source, entry)}")
    if fault == "status":
        entry["status"], entry["statusReason"] = source.choice(mutations.VERDICTS)
        what.append(f"status of {kind}: {entry['statusReason']}")
    if not entry["opened"] and source.random() < 0.3:
        entry["erased"] = True
    return entry


def _situation(source: random.Random) -> Tuple[str, Dict[str, Any], Any]:
    """A type, the members of its leaf, and the status that follows where nothing else is known."""
    version = 1 if source.random() < 0.15 else 2
    members: Dict[str, Any] = {"v": version}
    if source.random() < 0.3:
        kind = source.choice(("profile.changed", "agent.updated") if version == 1 else (*_TYPES, "profile.changed"))
        if kind.startswith("approval") and source.random() < 0.5:
            members.update(outcome=source.choice(("granted", "constructor")), violation_type="approval_required")
        return kind, members, SATISFIED
    outcome = source.choice(("allowed", "allowed", "denied", "frozen"))
    violation = source.choice(_VIOLATIONS if version == 2 else ("rate_limit_exceeded",))
    members.update(
        outcome=outcome,
        allowed=outcome == "allowed",
        actionKind=source.choice(("tool_use", "data_access")),
        profileVersion=2,
        profileSha256="0" * 64,
    )
    if outcome == "denied" or (outcome == "allowed" and source.random() < 0.3):
        members["violation_type"] = violation
    if outcome != "allowed" or "violation_type" in members:
        members.update(reason="It is off limits.", severity="P2")
    if version == 2:
        members["coverage"] = copy.copy(source.choice(_COVERAGE))
    status = leaf_v2.REFUSED if outcome != "allowed" else SATISFIED
    if outcome == "allowed" and "violation_type" in members:
        status = leaf_v2.OBSERVED
    elif outcome == "allowed" and members.get("coverage") == []:
        status = leaf_v2.UNGOVERNED
    return "action.checked", members, status


def _status_of(source: random.Random, leaf: Dict[str, Any], opening: Any, status: Any) -> Any:
    """The status, where the data access of an action that may be withheld counts too."""
    if leaf["actionKind"] != "data_access" or status == leaf_v2.OBSERVED:
        return status
    shown: Any = {} if opening is None else opening.get("value")
    if opening is not None and "members" in opening:
        shown = {one["name"]: one["value"] for one in opening["members"] if isinstance(one, dict)}
    scope = shown.get("dataScope") if isinstance(shown, dict) else None
    if isinstance(scope, str) and scope:
        return status
    return leaf_v2.NO_SCOPE if source.random() < 0.7 else status


def _value(source: random.Random) -> Any:
    if source.random() < 0.2:
        return copy.deepcopy(source.choice(_VALUES))
    count = source.choice((1, 2, 3, 3, 4, 5, 31, 32, 33))
    names = [*source.sample(_NAMES, min(count, len(_NAMES))), *(f"n{number}" for number in range(40))][:count]
    value = {name: copy.deepcopy(source.choice(_VALUES)) for name in names}
    if "dataScope" in value and source.random() < 0.5:
        value["dataScope"] = "orders"
    return value


def _context(source: random.Random, kind: str, members: Dict[str, Any]) -> Dict[str, Any]:
    violation = members.get("violation_type")
    effect = "deny" if violation != "approval_required" else "approve"
    if members.get("allowed"):
        effect = "allow" if violation is None else "observe"
    context = {**copy.deepcopy(CONTEXT), "effect": effect}
    for name in ("facts", "principal", "session", "trace", "actors", "approval", "parent"):
        if source.random() < 0.4:
            del context[name]
    if source.random() < 0.2:
        context[source.choice(("more", "constructor", "x" * 64))] = copy.deepcopy(source.choice(_VALUES))
    if kind != "action.checked" and source.random() < 0.3:
        context = {source.choice(_NAMES): source.choice(_VALUES), "seen": 1}
    return context


def _fault_of_context(source: random.Random, context: Dict[str, Any]) -> str:
    if source.random() < 0.3:
        context["effect"] = source.choice(_EFFECTS)
        return f"effect {context['effect']}"
    if source.random() < 0.2:
        name = source.choice(("A", "a-b", "", "x" * 65, "__proto__", "a\n", "9", "_a"))
        context[name] = 1
        return f"a member {name!r}"
    return mutations.mutate(source, context)


def _opening(source: random.Random, name: str, value: Any, version: int) -> Any:
    """Whole, by members that are shown or withheld, with its salt alone, or not at all."""
    by_member = version == 2 and isinstance(value, dict) and 1 <= len(value) <= 32
    kind = source.random()
    if kind < 0.2:
        return None
    if by_member and kind < 0.7:
        return leaf_v2.part(name, value, source.sample(list(value), source.randrange(1, len(value) + 1)))
    if name == "payload" and kind < 0.8:
        return {"salt": leaf_v2.SALTS[name]}
    return whole(name, value)


def _fault_of_leaf(source: random.Random, leaf: Dict[str, Any]) -> str:
    name, value = source.choice(
        (
            ("coverage", source.choice(_WRONG_COVERAGE)),
            ("violation_type", source.choice(_WRONG_VIOLATIONS)),
            ("type", source.choice(_WRONG_TYPES + _TYPES)),
            ("outcome", source.choice(("granted", "A", "", "x" * 65, None, "constructor"))),
            ("v", source.choice((1, 2, 3, True, None, "2", 2.5))),
            ("context", source.choice((None, "0" * 64, "A" * 64, 1))),
            ("allowed", source.choice((None, True, False, 1))),
        )
    )
    if source.random() < 0.15:
        leaf.pop(name, None)
        return f"{name} left out"
    leaf[name] = value
    return f"{name} is {str(value)[:70]}"


def _fault_of_opening(source: random.Random, entry: Dict[str, Any]) -> str:
    opened = entry["opened"]
    name = source.choice(list(opened))
    kind = source.choice(("any", "any", "swap", "add", "form", "leaf", "erased"))
    if kind == "any":
        return mutations.mutate(source, opened)
    if kind == "swap":
        other = source.choice(("action", "payload", "context"))
        opened[name], opened[other] = opened.get(other, opened[name]), opened[name]
    elif kind == "add":
        opened[name][source.choice(("members", "value", "salt", "more"))] = source.choice(
            (None, [], "x", leaf_v2.SALTS["action"], [{"name": "a", "salt": "0" * 32, "value": 1}])
        )
    elif kind == "form":
        opened[name] = source.choice((None, [], "x", {}, {"members": []}, {"salt": leaf_v2.SALTS["context"]}))
    elif kind == "leaf":
        entry["event"][name] = source.choice((None, "0" * 64))
    else:
        entry["erased"] = True
    return f"{kind} of {name}"


def _fault_of_members(source: random.Random, entry: Dict[str, Any]) -> str:
    """A fault of an opening by members, which is created where the entry has none."""
    name = source.choice(("action", "payload", "context"))
    opening = entry["opened"].get(name)
    if opening is None or "members" not in opening:
        value = {"a": 1, "b": [2], "c": None}
        opening = leaf_v2.part(name, value, ["a", "c"])
        entry["opened"][name] = opening
        if name in entry["event"] and source.random() < 0.8:
            entry["event"][name] = leaf_v2.commit(name, value)
    members = opening["members"]
    at = source.randrange(len(members))
    kind = source.choice(("digest", "swap", "reverse", "repeat", "drop", "member", "salt", "count", "hide", "nothing"))
    if kind == "digest":
        members[at] = source.choice(("0" * 64, "A" * 64, "0" * 32, None, 1, ""))
    elif kind == "swap":
        other = source.randrange(len(members))
        members[at], members[other] = members[other], members[at]
    elif kind == "reverse":
        members.reverse()
    elif kind == "repeat":
        members.insert(source.randrange(len(members) + 1), copy.deepcopy(members[at]))
    elif kind == "drop":
        del members[at]
    elif kind == "member" and isinstance(members[at], dict):
        members[at][source.choice(("name", "value", "salt"))] = source.choice(_VALUES)
    elif kind == "salt" and isinstance(members[at], dict):
        members[at]["salt"] = source.choice(("0" * 32, "A" * 32, "0" * 31, leaf_v2.SALTS["action"], None))
    elif kind == "count":
        members.extend("0" * 64 for _ in range(source.choice((1, 32 - len(members), 33 - len(members)))))
    elif kind == "hide":
        opening["members"] = ["0" * 64 if isinstance(one, dict) else one for one in members]
    return f"{kind} of {name}"
