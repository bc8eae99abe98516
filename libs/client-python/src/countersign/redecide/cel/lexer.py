"""The tokens of an expression (CEL language definition, "Syntax")."""

from __future__ import annotations

import re
from typing import Any, List, NamedTuple

from .syntax import Refused


class Token(NamedTuple):
    """``kind``: ``name``, ``int``, ``double``, ``string``, ``sign`` or ``end``."""

    kind: str
    value: Any


_TOKEN = re.compile(
    r"""
    (?P<space> (?:[\t\n\f\r\ ]|//[^\n]*)+ )
  | (?P<text> [rR]?(?:\"\"\"(?s:\\.|[^\\])*?\"\"\"|'''(?s:\\.|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*') )
  | (?P<double> [0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+ )
  | (?P<hex> 0[xX][0-9a-fA-F]+ )
  | (?P<int> [0-9]+ )
  | (?P<name> [A-Za-z_][A-Za-z0-9_]* )
  | (?P<sign> &&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}] )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.S
)
_SINGLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SAME = "\\?\"'`"


def tokens_of(text: str) -> List[Token]:
    """All tokens, ``end`` last. :raises Refused: for a text that has others"""
    tokens: List[Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Refused("it has a character that no expression has")
        at, kind, written = found.end(), found.lastgroup, found.group()
        if kind == "text":
            tokens.append(Token("string", _text_of(written)))
        elif kind == "double":
            tokens.append(Token("double", float(written)))
        elif kind in ("int", "hex"):
            if text[at : at + 1] in ("u", "U"):
                raise Refused("the dialect has no unsigned integers")
            tokens.append(Token("int", int(written, 16 if kind == "hex" else 10)))
        elif kind != "space":
            tokens.append(Token(str(kind), written))
        if (
            kind == "name"
            and written in ("b", "B", "br", "bR", "Br", "BR", "rb", "rB")
            and text[at : at + 1] in ("'", '"')
        ):
            raise Refused("the dialect has no bytes")
    return [*tokens, Token("end", "")]


def _text_of(written: str) -> str:
    raw = written[0] in "rR"
    if raw:
        written = written[1:]
    quotes = 3 if written[:3] in ('"""', "'''") and len(written) >= 6 else 1
    inner = written[quotes:-quotes]
    return inner if raw else _ESCAPE.sub(lambda found: _unescaped(*found.groups()), inner)


def _unescaped(*groups: Any) -> str:
    *digits, octal, single = groups
    for hexadecimal in digits:
        if hexadecimal is not None:
            return _character(int(hexadecimal, 16))
    if octal is not None:
        return _character(int(octal, 8))
    if single in _SINGLE:
        return _SINGLE[single]
    if single in _SAME:
        return str(single)
    raise Refused("a string has an escape that CEL does not have")


def _character(code: int) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise Refused("a string has a code that is no character")
    return chr(code)
