"""Expressions as syntax trees (CEL language definition, "Syntax")."""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

from .lexer import Token, tokens_of
from .syntax import Node, Refused

MACROS = ("all", "exists", "exists_one", "map", "filter")
_LITERALS = {"true": True, "false": False, "null": None}
_RESERVED = frozenset(
    "as break const continue else for function if import in let loop package namespace return var void while".split()
)
_MAX_DEPTH = 100


def parse(text: str) -> Node:
    """The syntax tree of an expression.

    :raises Refused: for a text that is no expression of ``cel/1``
    """
    parser = _Parser(tokens_of(text))
    root = parser.expression()
    parser.take("end", "")
    return root


class _Parser:
    def __init__(self, tokens: List[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def take(self, kind: str, value: str) -> None:
        if not self._accept(value, kind):
            raise Refused("it is not CEL")

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Refused("it is nested too deeply")
        test = self._or()
        if self._accept("?"):
            yes = self._or()
            self.take("sign", ":")
            test = Node("if", [test, yes, self.expression()])
        self._depth -= 1
        return test

    def _or(self) -> Node:
        return self._junction("||", "or", self._and)

    def _and(self) -> Node:
        return self._junction("&&", "and", self._relation)

    def _junction(self, sign: str, op: str, inner: Callable[[], Node]) -> Node:
        node = inner()
        while self._accept(sign):
            node = Node(op, [node, inner()])
        return node

    def _relation(self) -> Node:
        return self._chain(("<", "<=", ">", ">=", "==", "!=", "in"), self._sum)

    def _sum(self) -> Node:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._chain(("*", "/", "%"), self._unary)

    def _chain(self, signs: Tuple[str, ...], inner: Callable[[], Node]) -> Node:
        node = inner()
        while True:
            kind, sign = self._tokens[self._at]
            if sign not in signs or kind not in ("sign", "name"):
                return node
            self._at += 1
            node = Node("binary", [node, inner()], name=str(sign))

    def _unary(self) -> Node:
        if self._accept("!"):
            return Node("not", [self._unary()])
        if not self._accept("-"):
            return self._member()
        of = self._unary()
        if of.op == "literal" and type(of.value) is float:
            return Node("literal", value=-of.value)
        if of.op == "literal" and type(of.value) is int and of.value >= 0:
            return Node("literal", value=-of.value)
        return Node("negate", [of])

    def _member(self) -> Node:
        node = self._primary()
        while True:
            if self._accept("."):
                name = self._name()
                node = self._call(name, node) if self._accept("(") else Node("member", [node], name=name)
            elif self._accept("["):
                key = self.expression()
                self.take("sign", "]")
                is_name = key.op == "literal" and isinstance(key.value, str)
                node = Node("member", [node], name=key.value) if is_name else Node("index", [node, key])
            else:
                return node

    def _primary(self) -> Node:
        kind, value = self._tokens[self._at]
        if kind in ("int", "double", "string"):
            self._at += 1
            return Node("literal", value=value)
        if self._accept("("):
            node = self.expression()
            self.take("sign", ")")
            return node
        if self._accept("["):
            return Node("list", self._list("]"))
        if self._accept("{"):
            return Node("map", self._entries())
        if kind == "name" and value in _LITERALS:
            self._at += 1
            return Node("literal", value=_LITERALS[str(value)])
        if kind == "name" and value in _RESERVED:
            raise Refused("it is not CEL")
        name = self._name()
        return self._call(name, None) if self._accept("(") else Node("variable", name=name)

    def _call(self, name: str, receiver: Optional[Node]) -> Node:
        args = self._list(")")
        if receiver is None and name == "has":
            if len(args) != 1 or args[0].op != "member":
                raise Refused("has is called without a member")
            return Node("has", args[0].parts, name=args[0].name)
        if receiver is not None and name in MACROS:
            item, bodies = (args[0], args[1:]) if args else (None, [])
            if item is None or item.op != "variable" or not 1 <= len(bodies) <= (2 if name == "map" else 1):
                raise Refused(f"{name} is called with other arguments than a name and an expression")
            return Node("macro", [receiver, *bodies], name=name, value=item.name)
        return Node("call", args if receiver is None else [receiver, *args], name=name, method=receiver is not None)

    def _list(self, end: str) -> List[Node]:
        items: List[Node] = []
        while not self._accept(end):
            items.append(self.expression())
            if not self._accept(","):
                self.take("sign", end)
                return items
            if end == ")":
                continue
        return items

    def _entries(self) -> List[Node]:
        parts: List[Node] = []
        while not self._accept("}"):
            parts.append(self.expression())
            self.take("sign", ":")
            parts.append(self.expression())
            if not self._accept(","):
                self.take("sign", "}")
                return parts
        return parts

    def _name(self) -> str:
        kind, value = self._tokens[self._at]
        if kind != "name":
            raise Refused("it is not CEL")
        self._at += 1
        return str(value)

    def _accept(self, value: str, kind: str = "sign") -> bool:
        if self._tokens[self._at] != (kind, value):
            return False
        self._at += 1
        return True
