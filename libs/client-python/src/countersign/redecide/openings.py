"""The shown parts of an action, its payload and its context, as values of which parts may be unknown."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..verify.forms import milliseconds
from .cel.values import ABSENT, PartialObject, Unknown
from .check import Opened, values_of_json


def opened_check(entry: Mapping[str, Any]) -> Opened:
    """The openings of an entry of ``events``, an ``action.checked``."""
    event, opened = entry["event"], entry["opened"]
    payload = ABSENT if event["payload"] is None else shown(opened.get("payload"), "payload")
    context = ABSENT if event.get("context") is None else _shown(opened.get("context"), "context", False)
    at_ms = milliseconds(event["occurredAt"])
    action = shown(opened.get("action"), "action")
    return Opened(
        _with_payload(action, payload),
        payload if isinstance(payload, (dict, PartialObject, Unknown)) else {},
        context,
        event["agentId"],
        0 if at_ms is None else at_ms,
        action,
        payload,
    )


def shown(opening: Optional[Mapping[str, Any]], kind: str) -> Any:
    """The value of an opening, with numbers as doubles; a partial object where members are withheld."""
    return _shown(opening, kind, True)


def _shown(opening: Optional[Mapping[str, Any]], kind: str, as_doubles: bool) -> Any:
    convert = values_of_json if as_doubles else (lambda value: value)
    if opening is not None and "members" in opening:
        members, gaps = _parts(opening["members"])
        own = {name: convert(value) for name, value in members.items()}
        return PartialObject(own, gaps) if gaps else own
    if opening is None or "value" not in opening:
        return Unknown(f"the {kind} is withheld", withheld=True)
    return convert(opening["value"])


def _parts(entries: List[Any]) -> Tuple[Dict[str, Any], List[Tuple[Optional[str], Optional[str]]]]:
    """The members that are shown, and the places of the others by the names on both sides."""
    members: Dict[str, Any] = {}
    gaps: List[Tuple[Optional[str], Optional[str]]] = []
    before: Optional[str] = None
    hidden = False
    for entry in entries:
        if isinstance(entry, str):
            hidden = True
            continue
        if hidden:
            gaps.append((before, entry["name"]))
            hidden = False
        before = entry["name"]
        members[entry["name"]] = entry["value"]
    return members, [*gaps, (before, None)] if hidden else gaps


def _with_payload(action: Any, payload: Any) -> Any:
    """The action as it was received: its payload is committed apart."""
    if payload is ABSENT or isinstance(action, Unknown):
        return action
    if isinstance(action, PartialObject):
        return action.with_member("payload", payload)
    return {**action, "payload": payload} if isinstance(action, dict) else action
