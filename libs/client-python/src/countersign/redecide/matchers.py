"""Matchers of ``args`` and ``hours`` as expressions of ``cel/1`` (``libs/rules``, README)."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from .cel.syntax import Node, Refused

_CONDITIONS = (
    "max",
    "min",
    "one_of",
    "not_one_of",
    "prefix",
    "under",
    "host_in",
    "domain_in",
    "read_only_sql",
    "max_length",
)
_MAX_SAFE = 2**53 - 1


def matchers_of(rule: Mapping[str, Any]) -> Optional[Node]:
    """The conditions of ``args`` and ``hours`` of a rule, all of which must hold; ``None`` where it has none.

    :raises Refused: for a matcher that ``cel/1`` does not have
    """
    conditions: List[Node] = []
    for key, matcher in (rule.get("args") or {}).items():
        conditions += _conditions_of(["args", *key.split(".")], matcher, rule["effect"])
    if "hours" in rule:
        conditions.append(_hours(rule["hours"]))
    return _all(conditions) if conditions else None


def _conditions_of(path: List[str], matcher: Mapping[str, Any], effect: str) -> List[Node]:
    unknown = set(matcher) - {*_CONDITIONS, "absent", "present"}
    if unknown:
        raise Refused(f"it has a matcher that is not known: {sorted(unknown)[0]}")
    nodes: List[Node] = []
    if matcher.get("present") is True:
        nodes.append(_presence(path))
    if matcher.get("absent") is True:
        nodes.append(Node("not", [_presence(path)]))
    may_be_absent = matcher.get("absent") == "allow"
    for name in _CONDITIONS:
        if name in matcher:
            nodes.append(_guarded(path, _condition_on(path, name, matcher[name]), effect, may_be_absent))
    return nodes


def _guarded(path: List[str], condition: Node, effect: str, may_be_absent: bool) -> Node:
    """A missing member proves nothing for ``deny_unless``, and is an error for other effects."""
    if effect == "deny_unless":
        if may_be_absent:
            return Node("or", [Node("not", [_presence(path)]), condition])
        return Node("and", [_presence(path), condition])
    return Node("and", [_presence(path), condition]) if may_be_absent else condition


def _presence(path: List[str]) -> Node:
    return _all([Node("has", [_read(path[:end])], name=path[end]) for end in range(1, len(path))])


def _condition_on(path: List[str], name: str, value: Any) -> Node:
    if name != "domain_in" or path[-1] != "to":
        return _condition(_read(path), name, value)
    # A condition on `to` applies to `cc` and `bcc` of the same object, which may be absent or empty.
    nodes = [_condition(_read(path), name, value)]
    for copy in ("cc", "bcc"):
        own = [*path[:-1], copy]
        empty = Node("list", [_literal(None), _literal(""), Node("list")])
        is_empty = Node("binary", [_read(own), empty], name="in")
        absent = Node("not", [Node("has", [_read(own[:-1])], name=copy)])
        nodes.append(Node("or", [Node("or", [absent, is_empty]), _condition(_read(own), name, value)]))
    return _all(nodes)


def _condition(read: Node, name: str, value: Any) -> Node:
    if name in ("max", "min"):
        return Node("binary", [read, _literal(value)], name="<=" if name == "max" else ">=")
    if name == "max_length":
        return Node("binary", [_call("size", read), _literal(value)], name="<=")
    if name in ("one_of", "not_one_of"):
        found = Node("binary", [read, _literals(value)], name="in")
        return found if name == "one_of" else Node("not", [found])
    if name == "prefix":
        return Node("call", [read, _literal(value)], name="startsWith", method=True)
    if name == "read_only_sql":
        return _call(name, read)
    return _call(name, read, _literals(value))


def _hours(hours: Mapping[str, Any]) -> Node:
    time = Node("member", [Node("variable", name="request")], name="time")

    def inside(times: str) -> Node:
        return _call("hours", time, _literal(hours["zone"]), _literal(hours.get("days", "daily")), _literal(times))

    if "inside" in hours:
        return inside(hours["inside"])
    return Node("not", [inside(hours.get("outside", "00:00-24:00"))])


def _call(name: str, *args: Node) -> Node:
    return Node("call", list(args), name=name)


def _read(path: List[str]) -> Node:
    node = Node("variable", name=path[0])
    for name in path[1:]:
        node = Node("member", [node], name=name)
    return node


def _literal(value: Any) -> Node:
    """A number of JSON: one that is whole, and exact, is an integer of CEL."""
    if type(value) in (int, float) and not (float(value).is_integer() and abs(value) <= _MAX_SAFE):
        return Node("literal", value=float(value))
    return Node("literal", value=int(value) if type(value) is float else value)


def _literals(values: List[Any]) -> Node:
    return Node("list", [_literal(value) for value in values])


def _all(nodes: List[Node]) -> Node:
    node = nodes[0]
    for other in nodes[1:]:
        node = Node("and", [node, other])
    return node
