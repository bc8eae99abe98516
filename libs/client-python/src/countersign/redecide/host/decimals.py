"""Decimals in whole units of 10^-9, and the text of a number."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Optional, Union

_PLACES = 9
_MAX_LENGTH = 40
_DECIMAL = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?")


def number_text(value: Union[int, float]) -> str:
    """The shortest text that gives the same double (ECMA-262, Number::toString); an integer in its digits."""
    if type(value) is int:
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    _, figures, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, figures))
    point = len(digits) + int(exponent)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def nanos_of(value: Union[str, int, float]) -> Optional[int]:
    """``"12.50"`` is 12500000000.

    ``None`` for a text that is no decimal, more than nine places that are not zero, and magnitudes of 10^9 and more.
    """
    text = value if isinstance(value, str) else number_text(value)
    found = _DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None:
        return None
    sign, whole, fraction, exponent = found.groups()
    shift = int(exponent or "0")
    if abs(shift) > _MAX_LENGTH:
        return None
    digits = whole + (fraction or "")
    missing = _PLACES - (len(fraction or "") - shift)
    if missing < 0 and digits[missing:].strip("0"):
        return None
    nanos = int(digits[:missing] or "0") if missing < 0 else int(digits + "0" * missing)
    if nanos >= 10 ** (2 * _PLACES):
        return None
    return -nanos if sign == "-" else nanos
