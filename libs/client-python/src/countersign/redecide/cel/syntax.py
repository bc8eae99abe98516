"""The syntax tree of ``cel/1``, and the refusal of an expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, NamedTuple, Optional


class Refused(Exception):
    """An expression that is not one of ``cel/1``. A profile with one cannot have been saved."""


class Type(NamedTuple):
    """The knowledge of a value before it is computed.

    ``kind``: ``int``, ``double``, ``string``, ``bool``, ``null``, ``timestamp``, ``duration``, ``list``, ``map``;
    ``json`` for a value of the action, whose numbers are doubles; ``dyn`` for any value.
    """

    kind: str
    item: Optional[Any] = None


DYN = Type("dyn")


@dataclass(eq=False)
class Node:
    """One part of an expression.

    ``op``: ``literal`` (``value``), ``variable`` (``name``), ``member`` and ``has`` (of ``parts[0]``, ``name``),
    ``index`` (list or map, key), ``call`` (``name``, its receiver is the first of ``parts``), ``not``, ``negate``,
    ``and``, ``or``, ``binary`` (``name`` is the sign), ``if`` (test, yes, no), ``list``, ``map`` (keys and values in
    turn), ``macro`` (``name``; ``value`` is the name of the item; ``parts`` are the list, a filter of ``map`` with
    three arguments, and the body).
    """

    op: str
    parts: List[Node] = field(default_factory=list)
    name: str = ""
    value: Any = None
    method: bool = False
    type: Type = DYN
    # A whole literal that stands for a double, because it is added to a number of JSON.
    double: bool = False

    def is_json(self) -> bool:
        """True if its value, or an item of it, is a number of JSON or may be one."""
        return self.type.kind == "json" or (self.type.item is not None and self.type.item.kind == "json")


def path_of(node: Node) -> Optional[List[str]]:
    """The members that a node reads one from another, a variable first; ``None`` for any other node."""
    if node.op == "variable":
        return [node.name]
    if node.op != "member":
        return None
    of = path_of(node.parts[0])
    return None if of is None else [*of, node.name]
