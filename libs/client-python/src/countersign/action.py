"""Actions: from the form of the caller to that of the service."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple, Union

#: An action: its ``action_type`` alone, or all its members by name.
Action = Union[str, Mapping[str, Any]]

_NAMES = {
    "action_type": "type",
    "tool_name": "toolName",
    # A rule of the service applies to either name.
    "qualified_tool_name": "tool_name",
    "data_scope": "dataScope",
    "estimated_cost": "estimatedCost",
}
_OWN_NAMES = {wire_name: name for name, wire_name in _NAMES.items()}


def members_of(action: Optional[Action], more: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of ``action`` in a check's body: ``action_type`` becomes ``type``, unknown members are kept.

    :raises TypeError: there is no ``action_type``, or a member is given twice
    """
    if not isinstance(action, (str, Mapping, type(None))):
        raise TypeError(f"an action is its action_type, or a mapping of its members, and no {type(action).__name__}")
    given: Dict[str, Any] = {"action_type": action} if isinstance(action, str) else dict(action or {})
    members: Dict[str, Any] = {}
    for name, value in [*given.items(), *more.items()]:
        wire_name = _NAMES.get(name, name)
        if wire_name in members:
            raise TypeError(f"{name} is given twice")
        members[wire_name] = value
    if not isinstance(members.get("type"), str) or members["type"] == "":
        raise TypeError('an action has an action_type, such as "tool_use"')
    return members


def named_members(members: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of an action by this client's names, in whatever form they were given."""
    return {_OWN_NAMES.get(name, name): value for name, value in members.items()}


def body_of(members: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8. A ``Decimal``, such as an amount of money, becomes a number.

    :raises TypeError: a value has a type without a JSON form; the message names it
    :raises ValueError: a number is not finite, a ``Decimal`` has more digits than the numbers of the service, or a text
        holds a lone surrogate
    """
    try:
        text = json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_json_of)
    except (TypeError, _NoNumber) as error:
        found = _first_without_form(members)
        if found is None:
            raise
        raise type(error)(f"{found[0]}: {error if isinstance(error, _NoNumber) else _not_json(found[1])}") from error
    return text.encode("utf-8")


class _NoNumber(ValueError):
    """A ``Decimal`` that no number of the service equals."""


def _json_of(value: Any) -> Any:
    if not isinstance(value, Decimal):
        raise TypeError(_not_json(value))
    number = float(value)
    if not value.is_finite() or Decimal(repr(number)) != value:
        raise _NoNumber(f"{value} has more digits than a number of the service: round it")
    return number


def _not_json(value: Any) -> str:
    return f"a {type(value).__name__} is not JSON serializable: give it as text, or as a type that JSON has"


def _first_without_form(members: Any) -> Optional[Tuple[str, Any]]:
    """Path of the first value without a JSON form, and the value."""
    left: List[Tuple[str, Any]] = [("", members)]
    seen: Set[int] = set()
    while left:
        path, value = left.pop()
        if isinstance(value, (dict, list, tuple)):
            if id(value) in seen:
                continue
            seen.add(id(value))
        if isinstance(value, dict):
            left += [(f"{path}.{name}" if path else str(name), one) for name, one in reversed(list(value.items()))]
        elif isinstance(value, (list, tuple)):
            left += [(f"{path}[{index}]", one) for index, one in reversed(list(enumerate(value)))]
        elif value is not None and not isinstance(value, (str, int, float)):
            try:
                _json_of(value)
            except (TypeError, ValueError):
                own = path[len("action.") :] if path.startswith("action.") else path
                return _OWN_NAMES.get(own, own), value
    return None
