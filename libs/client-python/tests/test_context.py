"""The context of a check: the form of its members, and its agreement with the event."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import leaf_v2
import pytest
from leaf_v2 import CONTEXT, check, entry, first_problem, judged, members, part, whole, without

_DECIMALS = ("0", "007", "1.5", "12.000000001")
_NO_DECIMALS = ("", "-1", "+1", "1.", ".5", "1.0000000001", "1e3", "1\n", "\u0661", 1, None)


def _seen(**changes: Any) -> Dict[str, Any]:
    return {**CONTEXT["seen"], **changes}


def _plan(**changes: Any) -> Dict[str, Any]:
    return _seen(plan={**CONTEXT["seen"]["plan"], **changes})


FORMS: Dict[str, Tuple[List[Any], List[Any]]] = {
    "request_time": (
        [{"seconds": 0, "offsets": {}}, {"seconds": 1, "offsets": {"UTC": 0, "A": -1440, "B": 1440}}],
        [
            0,
            {"seconds": 1},
            {"seconds": -1, "offsets": {}},
            {"seconds": 1.5, "offsets": {}},
            {"seconds": 1, "offsets": {"A": 1441}},
            {"seconds": 1, "offsets": {"A": -1441}},
            {"seconds": 1, "offsets": {"A": 0.5}},
            {"seconds": 1, "offsets": {"A": True}},
            {"seconds": 1, "offsets": []},
            {"seconds": 1, "offsets": {}, "zone": "UTC"},
        ],
    ),
    "engine": (
        [{"engine": "", "detectors": ""}],
        [{}, {"engine": "1"}, {"engine": 1, "detectors": ""}, {"engine": "", "detectors": "", "more": ""}],
    ),
    "seen": (
        [
            _seen(rate=None, limits={}, more=1),
            _plan(cap=None, expires="2026-03-02T10:00:00.000Z", more=1),
            _seen(spent={"day": 0, "month": 0, "year": 1}),
            *(_seen(limits={"a": decimal}) for decimal in _DECIMALS),
        ],
        [
            *(without(CONTEXT["seen"], name) for name in CONTEXT["seen"]),
            *(_seen(plan=without(CONTEXT["seen"]["plan"], name)) for name in CONTEXT["seen"]["plan"]),
            *(_seen(limits={"a": decimal}) for decimal in _NO_DECIMALS),
            _seen(order=0),
            _seen(frozen=0),
            _seen(rate=-1),
            _seen(rate=1.5),
            _seen(limits=None),
            _seen(spent={"day": 0}),
            _seen(spent={"day": 0.5, "month": 1}),
            _seen(spent={"day": -1, "month": 1}),
            _plan(used=None),
            _plan(cap="1"),
            _plan(expires="2026-03-02"),
        ],
    ),
    "facts": (
        [[], ["a"], ["a", "b"], ["\U0001f600", "\ufb33"]],
        [["b", "a"], ["a", "a"], [1], [""], "a", ["\ufb33", "\U0001f600"]],
    ),
    "principal": (["x", "x" * 200, "\U0001f600" * 200], ["", "x" * 201, "\U0001f600" * 201, 1, None]),
    "session": (["x", "x" * 200], ["", "x" * 201, {}, None]),
    "trace": (
        ["ff-" + "0" * 32 + "-" + "0" * 16 + "-00"],
        ["", CONTEXT["trace"] + "\n", CONTEXT["trace"].upper(), CONTEXT["trace"] + "-00", None],
    ),
    "actors": (
        [[{"id": "a"}], [{"id": "a"}] * 16, [{"id": "x" * 200, "act": {}}]],
        [[], [{"id": "a"}] * 17, [{"id": ""}], [{"id": "x" * 201}], [{}], ["a"], {"id": "a"}, None],
    ),
    "approval": (
        [{"id": CONTEXT["parent"], "by": "user-1"}],
        [{}, {"id": CONTEXT["parent"].upper()}, CONTEXT["parent"], None],
    ),
    "parent": ([leaf_v2.AGENT], [leaf_v2.AGENT.upper(), "", None]),
    "effect": (["allow"], ["", "deny", "approve", "observe", "modify", "defer", "block", None, ["allow"]]),
    "more": ([None, 1, {}], []),
    "More": ([], [1]),
    "more-": ([], [1]),
    "x" * 64: ([1], []),
    "x" * 65: ([], [1]),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_context_has_its_form(name: str) -> None:
    possible, wrong = FORMS[name]
    for value, code in [(one, None) for one in possible] + [(one, "opening-inconsistent") for one in wrong]:
        context = {**CONTEXT, name: value}
        assert first_problem(check(context=context)) == code, value
        assert first_problem(check(context=context, shown={"context": part("context", context, [name])})) == code, value
        others = part("context", context, CONTEXT.keys() - {name})
        assert first_problem(check(context=context, shown={"context": others})) is None
        assert first_problem(check(context=context, shown={"context": None})) is None


@pytest.mark.parametrize("name", list(CONTEXT))
def test_four_members_are_in_every_context(name: str) -> None:
    context = without(CONTEXT, name)
    needed = name in ("request_time", "effect", "engine", "seen")
    assert first_problem(check(context=context)) == ("opening-inconsistent" if needed else None)
    all_shown = {"context": part("context", context, context)}
    assert first_problem(check(context=context, shown=all_shown)) == ("opening-inconsistent" if needed else None)
    in_part = {"context": part("context", context, list(context)[:-1])}
    assert first_problem(check(context=context, shown=in_part)) is None


@pytest.mark.parametrize("context", [{}, [], "text", None, members(33)])
@pytest.mark.parametrize("kind", ["action.checked", "a.b"])
def test_a_context_is_an_object(kind: str, context: Any) -> None:
    one = check(context=context)
    if kind == "a.b":
        one = entry(leaf_v2.event(kind, {"context": context}), {"context": whole("context", context)})
    assert first_problem(one) == "opening-inconsistent"


@pytest.mark.parametrize("kind", ["agent.updated", "approval.requested", "a.b"])
def test_only_the_context_of_a_check_has_members_of_a_known_form(kind: str) -> None:
    for name, code in (("note", None), ("Note", "opening-inconsistent"), ("", "opening-inconsistent")):
        context = {name: 1, "effect": "whatever"}
        leaf = leaf_v2.event(kind, {"action": 1, "context": context})
        assert first_problem(entry(leaf, {"context": whole("context", context)})) == code
        assert first_problem(entry(leaf, {"context": part("context", context, [name])})) == code
        assert first_problem(entry(leaf, {"context": part("context", context, ["effect"])})) is None


EFFECTS: List[Tuple[str, Optional[str], List[str]]] = [
    ("allowed", None, ["allow"]),
    ("allowed", "rule_denied", ["observe"]),
    ("allowed", "approval_required", ["observe"]),
    ("denied", "rule_denied", ["deny", "modify", "defer"]),
    ("denied", "approval_required", ["approve"]),
    ("frozen", None, ["deny", "modify", "defer"]),
    ("action_cap", None, ["deny", "modify", "defer"]),
]


@pytest.mark.parametrize(("outcome", "violation", "possible"), EFFECTS)
def test_an_effect_agrees_with_the_event(outcome: str, violation: Optional[str], possible: List[str]) -> None:
    status = leaf_v2.REFUSED if outcome != "allowed" else leaf_v2.OBSERVED if violation else leaf_v2.SATISFIED
    for effect in ("allow", "observe", "deny", "approve", "modify", "defer"):
        context = {**CONTEXT, "effect": effect}
        one = check(context=context, outcome=outcome, violation_type=violation)
        expected = None if effect in possible else "opening-inconsistent"
        assert first_problem(judged(one, status)) == expected, effect
        withheld = check(
            context=context,
            outcome=outcome,
            violation_type=violation,
            shown={"context": part("context", context, ["seen"])},
        )
        assert first_problem(judged(withheld, status)) is None
