"""The signs ``+ - * / %`` on two values of one kind, on times, and on texts and lists."""

from __future__ import annotations

import math
from typing import Any, Union

from .values import (
    DIVISION_BY_ZERO,
    MAX_ELEMENTS,
    MAX_TEXT,
    OVERFLOW,
    TEXT_TOO_LONG,
    TOO_MANY_ELEMENTS,
    WRONG_TYPE,
    Duration,
    Fault,
    Timestamp,
    units,
)

_FIRST_NANOS = -62_135_596_800 * 10**9
_LAST_NANOS = 253_402_300_800 * 10**9 - 1


def whole(value: int) -> Union[int, Fault]:
    """An integer of 64 bits, or a fault."""
    return value if -(2**63) <= value < 2**63 else OVERFLOW


def timestamp(nanos: int) -> Union[Timestamp, Fault]:
    """A time of the years 1 to 9999, or a fault."""
    return Timestamp(nanos) if _FIRST_NANOS <= nanos <= _LAST_NANOS else OVERFLOW


def duration(nanos: int) -> Union[Duration, Fault]:
    return OVERFLOW if isinstance(whole(nanos), Fault) else Duration(nanos)


def arithmetic(sign: str, left: Any, right: Any) -> Any:
    if type(left) is float and type(right) is float:
        return _of_doubles(sign, left, right)
    if type(left) is int and type(right) is int:
        return _of_integers(sign, left, right)
    if isinstance(left, Fault):
        return left
    if isinstance(right, Fault):
        return right
    if sign == "+":
        return _sum(left, right)
    return _difference(left, right) if sign == "-" else WRONG_TYPE


def _of_doubles(sign: str, left: float, right: float) -> Any:
    if sign == "/" and right == 0:
        if left == 0 or left != left:
            return math.nan
        return math.copysign(math.inf, left) * math.copysign(1.0, right)
    if sign == "%":
        return WRONG_TYPE
    return {"+": left + right, "-": left - right, "*": left * right}.get(sign) if sign != "/" else left / right


def _of_integers(sign: str, left: int, right: int) -> Any:
    if sign in ("/", "%"):
        if right == 0:
            return DIVISION_BY_ZERO
        # Integers of CEL are divided towards zero.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return whole(quotient if sign == "/" else left - quotient * right)
    return whole({"+": left + right, "-": left - right, "*": left * right}[sign])


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return TEXT_TOO_LONG if units(left) + units(right) > MAX_TEXT else left + right
    if isinstance(left, list) and isinstance(right, list):
        return TOO_MANY_ELEMENTS if len(left) + len(right) > MAX_ELEMENTS else left + right
    if isinstance(left, Timestamp) and isinstance(right, Duration):
        return timestamp(left.nanos + right.nanos)
    if isinstance(left, Duration) and isinstance(right, Timestamp):
        return timestamp(left.nanos + right.nanos)
    if isinstance(left, Duration) and isinstance(right, Duration):
        return duration(left.nanos + right.nanos)
    return WRONG_TYPE


def _difference(left: Any, right: Any) -> Any:
    if isinstance(left, Timestamp) and isinstance(right, Timestamp):
        return duration(left.nanos - right.nanos)
    if isinstance(left, Timestamp) and isinstance(right, Duration):
        return timestamp(left.nanos - right.nanos)
    if isinstance(left, Duration) and isinstance(right, Duration):
        return duration(left.nanos - right.nanos)
    return WRONG_TYPE
