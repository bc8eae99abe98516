"""Values of expressions: their order and equality, errors, and the bounds of an evaluation.

A number of JSON is a ``float``, an integer of CEL an ``int``; objects are ``dict``, a map of an expression is a
:class:`CelMap`.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

MAX_ELEMENTS = 1000
MAX_TEXT = 65_536
_MAX_SEARCHED = 262_144
_MAX_SAFE = 2**53 - 1
_MAX_DEPTH = 64
_SHORT = 64


class Fault:
    """An expression has no value. ``code`` is what ``detail`` of a ``rule_error`` says."""

    def __init__(self, code: str) -> None:
        self.code = code


class Unknown(Fault):
    """A value that this verifier cannot know, because it is withheld or because it does not compute such values."""

    def __init__(self, reason: str, withheld: bool = False) -> None:
        super().__init__("unknown")
        self.reason = reason
        self.withheld = withheld


ABSENT = Fault("absent")
WRONG_TYPE = Fault("wrong_type")
OVERFLOW = Fault("overflow")
DIVISION_BY_ZERO = Fault("division_by_zero")
NUMBER_TOO_LARGE = Fault("number_too_large")
TOO_MANY_ELEMENTS = Fault("too_many_elements")
TEXT_TOO_LONG = Fault("text_too_long")
NOT_CONVERTIBLE = Fault("not_convertible")
ZONE_UNKNOWN = Fault("zone_unknown")
TOO_COSTLY = Fault("too_costly")


class Timestamp(NamedTuple):
    """Nanoseconds since 1970."""

    nanos: int


class Duration(NamedTuple):
    nanos: int


class CelMap:
    """A map of an expression, whose keys keep their types: ``1`` and ``true`` are two keys."""

    def __init__(self, entries: Iterable[Tuple[Any, Any]]) -> None:
        self._values: Dict[Tuple[type, Any], Any] = {(type(key), key): value for key, value in entries}

    def get(self, key: Any) -> Any:
        return self._values.get((type(key), key), ABSENT)

    def keys(self) -> List[Any]:
        return [key for _, key in self._values]


class PartialObject:
    """An object of which some members are withheld: ``gaps`` are the places, by the names on both sides of each."""

    def __init__(self, members: Dict[str, Any], gaps: List[Tuple[Optional[str], Optional[str]]]) -> None:
        self.members = members
        self._gaps = gaps

    def get(self, name: str) -> Any:
        """A member, ``ABSENT``, or :class:`Unknown` where it may be one of those that are withheld."""
        if name in self.members:
            return self.members[name]
        own = order_key(name)
        for before, after in self._gaps:
            if (before is None or order_key(before) < own) and (after is None or own < order_key(after)):
                return Unknown(f"the member {name} may be withheld", withheld=True)
        return ABSENT

    def with_member(self, name: str, value: Any) -> PartialObject:
        return PartialObject({**self.members, name: value}, self._gaps)


def order_key(name: str) -> bytes:
    """Names ascend by UTF-16 code units (RFC 8785)."""
    return name.encode("utf-16-be", "surrogatepass")


class Fuel:
    """Work that one evaluation may still do: each operation takes its share first."""

    def __init__(self) -> None:
        self._elements = 10 * MAX_ELEMENTS
        self._characters = MAX_TEXT
        self._searched = _MAX_SEARCHED

    def elements(self, count: int) -> bool:
        self._elements -= count
        return self._elements >= 0

    def characters(self, count: int) -> bool:
        self._characters -= count
        return self._characters >= 0

    def searched(self, count: int) -> bool:
        self._searched -= count
        return self._searched >= 0


def units(text: str) -> int:
    """The length of a text in UTF-16 code units, in which the bounds are counted."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def is_inexact(value: Any) -> bool:
    """True for a number of JSON that may stand for others than the one received."""
    return type(value) is float and not abs(value) <= _MAX_SAFE


def member_of(of: Any, name: Any) -> Any:
    """A member of an object or map, or a fault."""
    if isinstance(of, dict):
        return of.get(name, ABSENT) if isinstance(name, str) else ABSENT
    if isinstance(of, PartialObject):
        return of.get(name) if isinstance(name, str) else ABSENT
    if isinstance(of, CelMap):
        return of.get(name)
    return of if isinstance(of, Fault) else WRONG_TYPE


def keys_of(value: Any) -> Union[List[Any], Fault]:
    """The keys of an object or map, or a fault."""
    if isinstance(value, CelMap):
        return value.keys()
    if isinstance(value, PartialObject):
        return Unknown("some members of the object are withheld", withheld=True)
    if not isinstance(value, dict):
        return value if isinstance(value, Fault) else WRONG_TYPE
    return TOO_MANY_ELEMENTS if len(value) > MAX_ELEMENTS else list(value)


def order(a: Any, b: Any) -> Any:
    """Negative, zero, positive, ``nan`` for numbers without an order, or a fault. Texts are ordered by code points."""
    if isinstance(a, Fault):
        return a
    if is_number(a) and is_number(b):
        # Python compares integers and doubles by their mathematical value.
        return math.nan if a != a or b != b else (a > b) - (a < b)
    if type(a) is type(b) and isinstance(a, (str, bool, Timestamp, Duration)):
        return (a > b) - (a < b)
    return b if isinstance(b, Fault) else WRONG_TYPE


def equal(a: Any, b: Any, fuel: Fuel, exact: bool, depth: int = 0) -> Union[bool, Fault]:
    """Equality of CEL. :param exact: numbers of JSON beyond 2^53 are refused"""
    if isinstance(a, Fault):
        return a
    if isinstance(b, Fault):
        return b
    if is_number(a) and is_number(b):
        return NUMBER_TOO_LARGE if exact and (is_inexact(a) or is_inexact(b)) else a == b
    if not _is_structure(a) or not _is_structure(b):
        if isinstance(a, str) and isinstance(b, str):
            size = units(a)
            if size > _SHORT and size == units(b) and not fuel.searched(size):
                return TEXT_TOO_LONG
        return type(a) is type(b) and a == b
    if depth >= _MAX_DEPTH:
        return TOO_COSTLY
    if isinstance(a, (Timestamp, Duration)) or isinstance(b, (Timestamp, Duration)):
        return type(a) is type(b) and a == b
    if isinstance(a, list) or isinstance(b, list):
        both = isinstance(a, list) and isinstance(b, list)
        return _equal_lists(a, b, fuel, exact, depth + 1) if both else False
    return _equal_maps(a, b, fuel, exact, depth + 1)


def _is_structure(value: Any) -> bool:
    return isinstance(value, (list, dict, CelMap, PartialObject, Timestamp, Duration))


def _equal_lists(a: List[Any], b: List[Any], fuel: Fuel, exact: bool, depth: int) -> Union[bool, Fault]:
    if len(a) != len(b):
        return False
    if len(a) > MAX_ELEMENTS:
        return TOO_MANY_ELEMENTS
    if not fuel.elements(len(a)):
        return TOO_COSTLY
    for one, other in zip(a, b):
        same = equal(one, other, fuel, exact, depth)
        if same is not True:
            return same
    return True


def _equal_maps(a: Any, b: Any, fuel: Fuel, exact: bool, depth: int) -> Union[bool, Fault]:
    names = keys_of(a)
    if isinstance(names, Fault):
        return names
    others = keys_of(b)
    if isinstance(others, Fault):
        return others
    if len(names) != len(others):
        return False
    if not fuel.elements(len(names)):
        return TOO_COSTLY
    for name in names:
        other = member_of(b, name)
        if other is ABSENT:
            return False
        same = equal(member_of(a, name), other, fuel, exact, depth)
        if same is not True:
            return same
    return True


def is_in(value: Any, of: Any, fuel: Fuel, exact: bool) -> Union[bool, Fault]:
    """Membership in a list, or among the keys of a map."""
    if isinstance(value, Fault):
        return value
    if isinstance(of, Fault):
        return of
    if not isinstance(of, list):
        if value is None or _is_structure(value):
            return WRONG_TYPE
        found = member_of(of, value)
        return (False if found is ABSENT else found) if isinstance(found, Fault) else True
    if len(of) > MAX_ELEMENTS:
        return TOO_MANY_ELEMENTS
    if not fuel.elements(len(of)):
        return TOO_COSTLY
    fault: Optional[Fault] = None
    for item in of:
        same = equal(value, item, fuel, exact)
        if same is True:
            return True
        if isinstance(same, Fault):
            fault = worse(fault, same)
    return False if fault is None else fault


def worse(known: Optional[Fault], found: Fault) -> Fault:
    """The first of several faults, or the first that is unknown: what is unknown may have been any value."""
    if known is None or (isinstance(found, Unknown) and not isinstance(known, Unknown)):
        return found
    return known
