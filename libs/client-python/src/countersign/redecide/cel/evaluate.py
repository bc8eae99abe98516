"""The value of an expression. It never raises: an expression without a value has a :class:`Fault`."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from .arithmetic import arithmetic, whole
from .functions import FUNCTIONS, Run, Surroundings
from .syntax import Node
from .values import (
    ABSENT,
    MAX_ELEMENTS,
    NUMBER_TOO_LARGE,
    TEXT_TOO_LONG,
    TOO_COSTLY,
    TOO_MANY_ELEMENTS,
    WRONG_TYPE,
    CelMap,
    Fault,
    Fuel,
    Unknown,
    equal,
    is_in,
    is_inexact,
    is_number,
    keys_of,
    member_of,
    order,
    units,
    worse,
)

_MAX_SAFE = 2**53 - 1
_ORDERS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}


def evaluate(root: Node, values: Mapping[str, Any], offsets: Mapping[str, int]) -> Any:
    """The value of a checked expression, or a fault.

    :param values: of the variables by name
    :param offsets: minutes east of UTC by time zone
    """
    return _Evaluation(values, offsets).value(root)


class _Evaluation:
    def __init__(self, values: Mapping[str, Any], offsets: Mapping[str, int]) -> None:
        self._values = values
        self._around = Surroundings(Fuel(), offsets)
        self._fuel = self._around.fuel
        self._items: Dict[str, Any] = {}

    def value(self, node: Node) -> Any:
        return getattr(self, f"_{node.op}")(node)

    def _literal(self, node: Node) -> Any:
        return float(node.value) if node.double else node.value

    def _variable(self, node: Node) -> Any:
        if node.name in self._items:
            return self._items[node.name]
        return self._values.get(node.name, ABSENT)

    def _member(self, node: Node) -> Any:
        return member_of(self.value(node.parts[0]), node.name)

    def _has(self, node: Node) -> Any:
        of = self.value(node.parts[0])
        if isinstance(of, Fault):
            return of
        found = member_of(of, node.name)
        return (False if found is ABSENT else found) if isinstance(found, Fault) else True

    def _index(self, node: Node) -> Any:
        of, key = self.value(node.parts[0]), self.value(node.parts[1])
        if isinstance(of, Fault):
            return of
        if isinstance(key, Fault):
            return key
        if not isinstance(of, list):
            return member_of(of, key)
        if not is_number(key):
            return WRONG_TYPE
        return of[int(key)] if key == key and 0 <= key < len(of) and key == int(key) else ABSENT

    def _call(self, node: Node) -> Any:
        called = FUNCTIONS[node.name]
        run: Optional[Run] = node.value
        if run is None:
            written = {at: _written(node.parts[at]) for at in called.literals}
            run = node.value = called.compile(written)
        args: List[Any] = []
        for at, part in enumerate(node.parts):
            if at in called.literals:
                args.append(None)
                continue
            value = self.value(part)
            if isinstance(value, Fault):
                return value
            args.append(value)
        lossy = node.name in ("int", "double", "string") and node.parts[0].is_json()
        return NUMBER_TOO_LARGE if lossy and is_inexact(args[0]) else run(args, self._around)

    def _not(self, node: Node) -> Any:
        return _negation(self.value(node.parts[0]))

    def _negate(self, node: Node) -> Any:
        value = self.value(node.parts[0])
        if type(value) is float:
            return NUMBER_TOO_LARGE if node.parts[0].is_json() and is_inexact(value) else -value
        if type(value) is int:
            return whole(-value)
        return value if isinstance(value, Fault) else WRONG_TYPE

    def _and(self, node: Node) -> Any:
        return self._junction(node, False)

    def _or(self, node: Node) -> Any:
        return self._junction(node, True)

    def _junction(self, node: Node, decides: bool) -> Any:
        """The value that decides wins over an error on either side."""
        fault: Optional[Fault] = None
        for part in node.parts:
            value = self.value(part)
            if value is decides:
                return decides
            if value is not (not decides):
                fault = worse(fault, value if isinstance(value, Fault) else WRONG_TYPE)
        return (not decides) if fault is None else fault

    def _if(self, node: Node) -> Any:
        test = self.value(node.parts[0])
        if type(test) is bool:
            return self.value(node.parts[1 if test else 2])
        return test if isinstance(test, Fault) else WRONG_TYPE

    def _list(self, node: Node) -> Any:
        items: List[Any] = []
        for part in node.parts:
            value = self.value(part)
            if isinstance(value, Fault):
                return value
            items.append(value)
        return items

    def _map(self, node: Node) -> Any:
        entries = self._list(node)
        if isinstance(entries, Fault):
            return entries
        built = CelMap(zip(entries[::2], entries[1::2]))
        return built if 2 * len(built.keys()) == len(entries) else WRONG_TYPE

    def _binary(self, node: Node) -> Any:
        sign = node.name
        exact = node.parts[0].is_json() or node.parts[1].is_json()
        left, right = self._operand(node.parts[0], exact), self._operand(node.parts[1], exact)
        if sign == "==":
            return equal(left, right, self._fuel, exact)
        if sign == "!=":
            return _negation(equal(left, right, self._fuel, exact))
        if sign == "in":
            return is_in(left, right, self._fuel, exact)
        if exact and (is_inexact(left) or is_inexact(right)):
            return NUMBER_TOO_LARGE
        if sign in _ORDERS:
            return self._compare(sign, left, right)
        result = arithmetic(sign, left, right)
        if isinstance(result, str) and not self._fuel.characters(units(result)):
            return TEXT_TOO_LONG
        return TOO_COSTLY if isinstance(result, list) and not self._fuel.elements(len(result)) else result

    def _operand(self, node: Node, exact: bool) -> Any:
        whole_literal = node.op == "literal" and type(node.value) is int
        return float(node.value) if exact and whole_literal and abs(node.value) <= _MAX_SAFE else self.value(node)

    def _compare(self, sign: str, left: Any, right: Any) -> Any:
        are_texts = isinstance(left, str) and isinstance(right, str)
        if are_texts and not self._fuel.characters(min(units(left), units(right))):
            return TEXT_TOO_LONG
        by = order(left, right)
        return by if isinstance(by, Fault) else by in _ORDERS[sign]

    def _macro(self, node: Node) -> Any:
        over = self.value(node.parts[0])
        items = over if isinstance(over, list) else keys_of(over)
        if isinstance(items, Fault):
            return items
        if len(items) > MAX_ELEMENTS:
            return TOO_MANY_ELEMENTS
        if not self._fuel.elements(len(items)):
            return TOO_COSTLY
        try:
            if node.name in ("all", "exists"):
                return self._quantified(node, items, node.name == "exists")
            return self._selected(node, items)
        finally:
            self._items.pop(node.value, None)

    def _quantified(self, node: Node, items: List[Any], decides: bool) -> Any:
        fault: Optional[Fault] = None
        for item in items:
            self._items[node.value] = item
            value = self.value(node.parts[1])
            if value is decides:
                return decides
            if value is not (not decides):
                fault = worse(fault, value if isinstance(value, Fault) else WRONG_TYPE)
        return (not decides) if fault is None else fault

    def _selected(self, node: Node, items: List[Any]) -> Any:
        """``map``, ``filter`` and ``exists_one``: the first error is the result."""
        test = node.parts[1] if node.name != "map" or len(node.parts) == 3 else None
        kept: List[Any] = []
        for item in items:
            self._items[node.value] = item
            keep = True if test is None else self.value(test)
            if type(keep) is not bool:
                return keep if isinstance(keep, Fault) else WRONG_TYPE
            if not keep:
                continue
            value = self.value(node.parts[-1]) if node.name == "map" else item
            if isinstance(value, Fault):
                return value
            kept.append(value)
        return len(kept) == 1 if node.name == "exists_one" else kept


def _negation(value: Any) -> Any:
    if type(value) is bool:
        return not value
    return value if isinstance(value, Fault) else WRONG_TYPE


def _written(node: Node) -> Any:
    return node.value if node.op == "literal" else [part.value for part in node.parts]


__all__ = ["Unknown", "evaluate"]
