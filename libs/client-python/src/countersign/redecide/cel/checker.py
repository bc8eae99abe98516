"""Types of the parts of an expression, as far as its evaluation depends on them."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .functions import FUNCTIONS, Function
from .syntax import DYN, Node, Refused, Type, path_of

JSON, BOOL = Type("json"), Type("bool")
_MAX_INT = 2**63 - 1
_OPEN = ("json", "dyn")


class Variable(NamedTuple):
    """A variable or member: of a ``type``, or a record with exactly these ``members``.

    ``sure`` are the members of a value of JSON that are texts in every action.
    """

    type: Type = Type("json")
    members: Optional[Dict[str, Any]] = None
    sure: Tuple[str, ...] = ()


def check(root: Node, variables: Dict[str, Variable]) -> None:
    """Sets the types of all nodes, and marks the whole literals that are doubles.

    :raises Refused: for an unknown name, and for operands that no value makes valid
    """
    _Checker(variables).type_of(root)


class _Checker:
    def __init__(self, variables: Dict[str, Variable]) -> None:
        self._variables = variables
        self._item: Optional[Tuple[str, Type]] = None

    def type_of(self, node: Node) -> Type:
        node.type = self._type_of(node)
        return node.type

    def _type_of(self, node: Node) -> Type:
        op, parts = node.op, node.parts
        if op == "literal":
            return _literal(node)
        if op in ("variable", "member", "has"):
            read = self._read(node)
            return BOOL if op == "has" else read
        if op == "index":
            return self._index(node)
        if op == "call":
            return self._call(node)
        if op in ("not", "and", "or"):
            for part in parts:
                self._accept(self.type_of(part), "bool")
            return BOOL
        if op == "negate":
            of = self.type_of(parts[0])
            self._accept(of, "int", "double")
            return of
        if op == "binary":
            return self._binary(node)
        if op == "if":
            self._accept(self.type_of(parts[0]), "bool")
            return _joined(self.type_of(parts[1]), self.type_of(parts[2]))
        if op == "list":
            return Type("list", _joined_all([self.type_of(part) for part in parts]))
        if op == "map":
            for key in parts[::2]:
                self._accept(self.type_of(key), "string", "int", "bool")
            return Type("map", _joined_all([self.type_of(value) for value in parts[1::2]]))
        return self._macro(node)

    def _read(self, node: Node) -> Type:
        member = Node("member", node.parts, name=node.name) if node.op == "has" else node
        path = path_of(member)
        if path is not None and (self._item is None or path[0] != self._item[0]):
            return self._declared(path)
        if member.op == "variable":
            return self._item[1] if self._item is not None else DYN
        of = self.type_of(member.parts[0])
        if of.kind == "map":
            return of.item or DYN
        if of.kind in _OPEN:
            return of
        raise Refused("it reads a member of a value that has none")

    def _declared(self, path: List[str]) -> Type:
        known = self._variables
        for at, name in enumerate(path):
            if name not in known:
                raise Refused(f"it reads {'.'.join(path[: at + 1])}, which does not exist")
            variable = known[name]
            if variable.members is not None:
                known = variable.members
                continue
            if variable.type.kind == "json":
                sure = at + 2 == len(path) and path[at + 1] in variable.sure
                return Type("string") if sure else JSON
            if at + 1 < len(path):
                raise Refused("it reads a member of a value that has none")
            return variable.type
        raise Refused(f"it uses {'.'.join(path)} as a whole")

    def _index(self, node: Node) -> Type:
        of, key = self.type_of(node.parts[0]), self.type_of(node.parts[1])
        self._accept(of, "list", "map")
        if of.kind == "list":
            self._accept(key, "int", "double")
        return (of.item or DYN) if of.kind in ("list", "map") else of

    def _call(self, node: Node) -> Type:
        called = FUNCTIONS.get(node.name)
        if called is None:
            raise Refused(f"it calls {node.name}, which the dialect does not have")
        if called.form != "either" and node.method != (called.form == "method"):
            raise Refused(f"it calls {node.name} as a {'method' if node.method else 'function'}")
        if len(node.parts) != len(called.params):
            raise Refused(f"it calls {node.name} with {len(node.parts)} arguments")
        self._arguments(node, called)
        return called.result

    def _arguments(self, node: Node, called: Function) -> None:
        for at, (part, kinds) in enumerate(zip(node.parts, called.params)):
            self._accept(self.type_of(part), *kinds)
            if at in called.literals and not _is_written(part):
                raise Refused(f"it calls {node.name} with a pattern or list that is not written out")

    def _macro(self, node: Node) -> Type:
        over, *conditions, body = node.parts
        if self._item is not None:
            raise Refused("it has a loop in a loop")
        if node.value in self._variables:
            raise Refused("the item of a loop has the name of a variable")
        of = self.type_of(over)
        self._accept(of, "list", "map")
        item = (of.item or DYN) if of.kind == "list" else DYN if of.kind == "map" else of
        self._item = (node.value, item)
        for condition in conditions:
            self._accept(self.type_of(condition), "bool")
        result = self.type_of(body)
        self._item = None
        if node.name == "map":
            return Type("list", result)
        self._accept(result, "bool")
        return Type("list", item) if node.name == "filter" else BOOL

    def _binary(self, node: Node) -> Type:
        sign = node.name
        left, right = self.type_of(node.parts[0]), self.type_of(node.parts[1])
        if sign == "in":
            self._accept(right, "list", "map")
            return BOOL
        if sign in ("==", "!="):
            if not _comparable(left, right) and "null" not in (left.kind, right.kind):
                raise Refused("it compares values of different kinds")
            return BOOL
        if sign in ("<", "<=", ">", ">="):
            if not _comparable(left, right) or {left.kind, right.kind} & {"list", "map", "null"}:
                raise Refused("it compares values that have no order")
            return BOOL
        return self._arithmetic(node, left, right)

    def _arithmetic(self, node: Node, left: Type, right: Type) -> Type:
        doubles = ("json", "double")
        if node.name == "%" and (left.kind in doubles or right.kind in doubles):
            raise Refused("it takes the remainder of a number of JSON")
        if left.kind in doubles and right.kind == "int":
            right = _as_double(node.parts[1])
        if right.kind in doubles and left.kind == "int":
            left = _as_double(node.parts[0])
        result = _result_of(node.name, left, right)
        if result is None:
            raise Refused(f"it applies {node.name} to values that do not have it")
        return result

    def _accept(self, of: Type, *kinds: str) -> None:
        if of.kind not in _OPEN and of.kind not in kinds:
            raise Refused("it uses a value of the wrong kind")


def _literal(node: Node) -> Type:
    value = node.value
    if value is None:
        return Type("null")
    if type(value) is int and not -_MAX_INT - 1 <= value <= _MAX_INT:
        raise Refused("it has an integer of more than 64 bits")
    return Type({bool: "bool", int: "int", float: "double"}.get(type(value), "string"))


def _as_double(node: Node) -> Type:
    """The whole literals of a sum or product next to a number of JSON are doubles."""
    if node.op == "literal":
        node.double = True
    elif node.op == "negate" or (node.op == "binary" and node.name in ("+", "-", "*")):
        for part in node.parts:
            _as_double(part)
    else:
        raise Refused("it mixes an integer with a number of JSON")
    node.type = Type("double")
    return node.type


def _joined(left: Type, right: Type) -> Type:
    if left.kind != right.kind:
        return DYN
    return left if left.item is None or right.item is None else Type(left.kind, _joined(left.item, right.item))


def _joined_all(types: List[Type]) -> Type:
    joined: Optional[Type] = None
    for one in types:
        joined = one if joined is None else _joined(joined, one)
    return DYN if joined is None else joined


def _comparable(left: Type, right: Type) -> bool:
    numbers = ("int", "double")
    return (
        left.kind in _OPEN
        or right.kind in _OPEN
        or left.kind == right.kind
        or (left.kind in numbers and right.kind in numbers)
    )


def _result_of(sign: str, left: Type, right: Type) -> Optional[Type]:
    kinds = (left.kind, right.kind)
    if left.kind in _OPEN and right.kind in _OPEN:
        return left if left.kind == right.kind else DYN
    if left.kind in _OPEN or right.kind in _OPEN:
        known = right if left.kind in _OPEN else left
        return DYN if known.kind in ("timestamp", "duration") else _result_of(sign, known, known)
    if left.kind == right.kind:
        if left.kind in ("int", "double"):
            return None if sign == "%" and left.kind == "double" else left
        if sign == "+" and left.kind in ("string", "list"):
            return _joined(left, right)
        if left.kind == "duration":
            return left if sign in ("+", "-") else None
        return Type("duration") if left.kind == "timestamp" and sign == "-" else None
    if kinds == ("timestamp", "duration"):
        return left if sign in ("+", "-") else None
    return right if kinds == ("duration", "timestamp") and sign == "+" else None


def _is_written(node: Node) -> bool:
    return node.op == "literal" or (node.op == "list" and all(part.op == "literal" for part in node.parts))
