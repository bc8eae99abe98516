"""The action after the change that a denial asks for."""

from __future__ import annotations

from typing import Any, List

import pytest

from countersign import modified_action


@pytest.mark.parametrize(
    ("patch", "payload"),
    [
        ([{"op": "replace", "path": "/payload/amount", "value": 100}], {"amount": 100, "to": ["a", "b"]}),
        ([{"op": "remove", "path": "/payload/to/0"}], {"amount": 820, "to": ["b"]}),
        ([{"op": "add", "path": "/payload/to/-", "value": "c"}], {"amount": 820, "to": ["a", "b", "c"]}),
        ([{"op": "add", "path": "/payload/x~1y", "value": None}], {"amount": 820, "to": ["a", "b"], "x/y": None}),
    ],
)
def test_the_change_is_made_in_a_copy(patch: List[Any], payload: Any) -> None:
    action = {"action_type": "tool_use", "tool_name": "refund", "payload": {"amount": 820, "to": ["a", "b"]}}
    before = repr(action)
    assert modified_action(action, patch) == {**action, "payload": payload}
    assert repr(action) == before


def test_names_of_members_are_those_of_the_service() -> None:
    patch = [{"op": "replace", "path": "/estimatedCost", "value": 5}]
    action = {"action_type": "pay", "estimated_cost": 50}
    assert modified_action(action, patch) == {"action_type": "pay", "estimated_cost": 5}


@pytest.mark.parametrize("path", ["/payload/other", "/payload/amount/0", "/metadata/x"])
def test_a_patch_that_does_not_fit_is_an_error(path: str) -> None:
    with pytest.raises(ValueError, match="the action has no member for remove"):
        modified_action({"action_type": "pay", "payload": {"amount": 1}}, [{"op": "remove", "path": path}])
