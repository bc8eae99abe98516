"""The form of a leaf of version 2, and the statuses that depend on it."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional, Tuple

import leaf_v2
import pytest
from leaf_v2 import CONTEXT, check, entry, first_problem, judged, part, without

CHECKS: List[Tuple[Dict[str, Any], bool]] = [
    ({"coverage": ["a" * 64]}, True),
    ({"coverage": ["a" * 65]}, False),
    ({"coverage": [f"a{number:02}" for number in range(32)]}, True),
    ({"coverage": [f"a{number:02}" for number in range(33)]}, False),
    ({"coverage": ["b", "a"]}, False),
    ({"coverage": ["a", "a"]}, False),
    ({"coverage": ["A"]}, False),
    ({"coverage": [None]}, False),
    ({"coverage": "a"}, False),
    ({"coverage": {}}, False),
    ({"coverage": None}, False),
    ({"context": None}, False),
    ({"context": "A" * 64}, False),
    ({"action": None}, False),
    ({"v": 3}, False),
    ({"v": True}, False),
    ({"v": "2"}, False),
    ({"outcome": "delayed"}, False),
    ({"actionKind": "wire"}, False),
    ({"refersTo": "019cadfe-7748-7803-8dd3-688c86a677bd"}, False),
]


@pytest.mark.parametrize(("changes", "holds"), CHECKS)
def test_a_check_of_version_2_has_its_form(changes: Dict[str, Any], holds: bool) -> None:
    one = check(shown={"action": None, "context": None})
    one["event"].update(changes)
    assert first_problem(one) == (None if holds else "leaf-invalid")


@pytest.mark.parametrize("violation", ["rule_denied", "limit_exceeded", "rule_error", "constructor", "x" * 64])
def test_a_violation_is_any_name(violation: str) -> None:
    context = {**CONTEXT, "effect": "deny"}
    denied = check(context=context, outcome="denied", violation_type=violation)
    assert first_problem(judged(denied, leaf_v2.REFUSED)) is None
    for wrong in (f"{violation}{'x' * 64}", violation.upper(), f"{violation}\n", f"9{violation}"[:64], ""):
        assert first_problem(check(context=context, outcome="denied", violation_type=wrong)) == "leaf-invalid"


def test_the_number_of_members_is_that_of_the_version() -> None:
    for one in (check(), check(v=1)):
        for name in ("context", "coverage", "payload"):
            changed = copy.deepcopy(one)
            if name in changed["event"]:
                del changed["event"][name]
            else:
                changed["event"][name] = None
            assert first_problem(changed) == "leaf-invalid"


HASH = "0" * 64
TYPES: List[Tuple[str, Dict[str, Any], bool]] = [
    ("a.b", {}, True),
    ("limit.reached.again_", {"coverage": [], "allowed": True, "outcome": "x", "severity": "P3"}, True),
    ("a.b", {"outcome": "Not a name"}, False),
    ("a.b", {"allowed": 1}, False),
    ("a.b", {"coverage": ["b", "a"]}, False),
    ("a." + "b" * 62, {}, True),
    ("a." + "b" * 63, {}, False),
    ("ab", {}, False),
    ("a.", {}, False),
    (".a", {}, False),
    ("a_b.c", {}, False),
    ("a.b1", {}, False),
    ("a.b\n", {}, False),
    ("A.b", {}, False),
    ("approval.requested", {"action": HASH}, True),
    ("approval.consumed", {"action": HASH, "outcome": "granted", "context": HASH, "payload": HASH}, True),
    ("approval.decided", {}, False),
    ("approval.decided", {"action": HASH, "allowed": True}, False),
    ("approval.expired", {"action": HASH, "coverage": []}, False),
    ("approval.expired", {"action": HASH, "outcome": "No"}, False),
    ("approval.revoked", {"coverage": []}, True),
    ("action.unanswered", {"refersTo": "019cadfe-7748-7803-8dd3-688c86a677bd", "context": HASH}, True),
    ("action.unanswered", {"context": HASH}, False),
    ("agent.updated", {"action": HASH}, True),
    ("agent.updated", {"action": HASH, "coverage": []}, False),
    ("agent.updated", {"action": HASH, "outcome": "done"}, False),
]


@pytest.mark.parametrize(("kind", "changes", "holds"), TYPES)
def test_a_type_has_its_members(kind: str, changes: Dict[str, Any], holds: bool) -> None:
    status = leaf_v2.UNANSWERED if kind == "action.unanswered" else leaf_v2.SATISFIED
    one = entry(leaf_v2.event(kind, {}, **changes), {}, status)
    assert first_problem(one) == (None if holds else "leaf-invalid")
    if kind not in ("agent.updated", "action.unanswered"):
        first = entry({**leaf_v2.event(kind, {}, v=1), **without(changes, "context", "coverage")}, {}, status)
        assert first_problem(first) == "leaf-invalid"


def test_an_allowed_check_without_coverage_is_ungoverned() -> None:
    statuses = {"coverage": leaf_v2.SATISFIED, "none": leaf_v2.UNGOVERNED}
    for name, coverage in (("coverage", ["a"]), ("none", [])):
        for claimed, status in statuses.items():
            one = judged(check(coverage=coverage), status)
            assert first_problem(one) == (None if claimed == name else "status-differs")
    denied = check(context={**CONTEXT, "effect": "deny"}, outcome="denied", violation_type="rule_denied", coverage=[])
    assert first_problem(judged(denied, leaf_v2.REFUSED)) is None
    assert first_problem(judged(denied, leaf_v2.UNGOVERNED)) == "status-differs"
    observed = check(context={**CONTEXT, "effect": "observe"}, violation_type="rule_denied", coverage=[])
    assert first_problem(judged(observed, leaf_v2.OBSERVED)) is None
    assert first_problem(judged(check(coverage=[]), leaf_v2.UNANSWERED)) is None
    assert first_problem(judged(check(v=1), leaf_v2.UNGOVERNED)) == "status-differs"


SCOPES: List[Tuple[Any, Any, List[Tuple[str, Optional[str]]]]] = [
    ({"dataScope": "orders"}, ["dataScope"], [leaf_v2.SATISFIED]),
    ({"dataScope": ""}, ["dataScope"], [leaf_v2.NO_SCOPE]),
    ({"dataScope": None}, ["dataScope"], [leaf_v2.NO_SCOPE]),
    ({"dataScope": "orders"}, ["type"], [leaf_v2.SATISFIED, leaf_v2.NO_SCOPE]),
    ({"dataScope": ""}, ["type"], [leaf_v2.SATISFIED, leaf_v2.NO_SCOPE]),
    ({}, ["type", "url"], [leaf_v2.NO_SCOPE]),
    ({}, None, [leaf_v2.SATISFIED, leaf_v2.NO_SCOPE]),
]


@pytest.mark.parametrize(("scope", "shown", "possible"), SCOPES)
def test_a_data_scope_that_is_withheld_is_unknown(scope: Any, shown: Any, possible: List[Any]) -> None:
    action = {"type": "data_access", "url": "https://a.example", **scope}
    opening = None if shown is None else part("action", action, shown)
    for status in (leaf_v2.SATISFIED, leaf_v2.NO_SCOPE, leaf_v2.UNGOVERNED):
        one = judged(check(action=action, actionKind="data_access", shown={"action": opening}), status)
        assert first_problem(one) == (None if status in possible else "status-differs")
    ungoverned = check(action=action, actionKind="data_access", coverage=[], shown={"action": opening})
    for status in (leaf_v2.NO_SCOPE, leaf_v2.UNGOVERNED):
        expected = leaf_v2.SATISFIED if status == leaf_v2.UNGOVERNED else status
        assert first_problem(judged(ungoverned, status)) == (None if expected in possible else "status-differs")
