"""What an agent is about to do, as the caller says it and as the service wants it."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional, Union

#: What can be given for an action: its ``action_type`` alone, or all its members by name.
Action = Union[str, Mapping[str, Any]]

_NAMES = {
    "action_type": "type",
    "tool_name": "toolName",
    # A rule of the service on either name holds.
    "qualified_tool_name": "tool_name",
    "data_scope": "dataScope",
    "estimated_cost": "estimatedCost",
}
_OWN_NAMES = {wire_name: name for name, wire_name in _NAMES.items()}


def members_of(action: Optional[Action], more: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of ``action`` in a check's body: ``action_type`` becomes ``type``, what is not known is kept.

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


def told_of(members: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of an action by the names of this client, however they were given."""
    return {_OWN_NAMES.get(name, name): value for name, value in members.items()}


def body_of(members: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8.

    :raises TypeError: a value is of no type that JSON has
    :raises ValueError: a number is not finite, or a text holds a lone surrogate
    """
    return json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
