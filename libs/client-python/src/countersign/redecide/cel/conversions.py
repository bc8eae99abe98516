"""Conversions between the kinds of ``cel/1``."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Tuple

from ..host.decimals import number_text
from .arithmetic import duration, timestamp, whole
from .values import NOT_CONVERTIBLE, OVERFLOW, WRONG_TYPE, Duration, Timestamp, units

_NANOS = 10**9
_MAX_LENGTH = 64
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_UNITS = {"h": 3600 * _NANOS, "m": 60 * _NANOS, "s": _NANOS, "ms": 10**6, "us": 1000, "ns": 1}
_SPAN = re.compile(r"-?(?:[0-9]{1,15}(?:\.[0-9]{1,9})?(?:h|ms|m|s|us|ns))+")
_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?(h|ms|m|s|us|ns)")


def _to_int(value: Any) -> Any:
    if type(value) is int:
        return value
    if type(value) is float:
        return OVERFLOW if not math.isfinite(value) or abs(value) >= 2**63 else whole(int(value))
    if isinstance(value, str):
        return whole(int(value)) if _INTEGER.fullmatch(value) else NOT_CONVERTIBLE
    return value.nanos // _NANOS if isinstance(value, Timestamp) else WRONG_TYPE


def _to_double(value: Any) -> Any:
    if type(value) in (int, float):
        return float(value)
    if not isinstance(value, str):
        return WRONG_TYPE
    return float(value) if len(value) <= _MAX_LENGTH and _NUMBER.fullmatch(value) else NOT_CONVERTIBLE


def _to_text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if type(value) in (int, float) else WRONG_TYPE


def _to_bool(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return WRONG_TYPE
    if value in ("1", "t", "true", "TRUE", "True"):
        return True
    return False if value in ("0", "f", "false", "FALSE", "False") else NOT_CONVERTIBLE


def _to_timestamp(value: Any) -> Any:
    if isinstance(value, Timestamp):
        return value
    if type(value) is int:
        return timestamp(value * _NANOS)
    return _time_of(value) if isinstance(value, str) else WRONG_TYPE


def _time_of(text: str) -> Any:
    """A text of RFC 3339, section 5.6."""
    found = _TIME.fullmatch(text) if units(text) <= _MAX_LENGTH else None
    if found is None:
        return NOT_CONVERTIBLE
    *parts, fraction, sign, hours, minutes = found.groups()
    if parts[0] == "0000":
        # Python has no year 0, of which some days are in year 1 elsewhere.
        return OVERFLOW
    try:
        local = datetime(*map(int, parts), tzinfo=timezone.utc)  # type: ignore[misc,arg-type]
    except ValueError:
        return NOT_CONVERTIBLE
    seconds = (local - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(seconds=1)
    offset = 0 if sign is None else (-1 if sign == "-" else 1) * (int(hours) * 60 + int(minutes))
    return timestamp((seconds - offset * 60) * _NANOS + int((fraction or "").ljust(9, "0")))


def _to_duration(value: Any) -> Any:
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        return WRONG_TYPE
    if len(value) > _MAX_LENGTH or not _SPAN.fullmatch(value):
        return NOT_CONVERTIBLE
    nanos = 0
    for whole_part, fraction, unit in _PART.findall(value):
        size = _UNITS[unit]
        nanos += int(whole_part) * size + int(fraction.ljust(9, "0")) * size // _NANOS
    return duration(-nanos if value.startswith("-") else nanos)


_ALL = ("int", "double", "string", "bool", "null", "timestamp", "duration", "list", "map")

CONVERSIONS: Dict[str, Tuple[Tuple[str, ...], str, Callable[[Any], Any]]] = {
    "int": (("int", "double", "string", "timestamp"), "int", _to_int),
    "double": (("int", "double", "string"), "double", _to_double),
    "string": (("int", "double", "string", "bool"), "string", _to_text),
    "bool": (("string", "bool"), "bool", _to_bool),
    "timestamp": (("timestamp", "string", "int"), "timestamp", _to_timestamp),
    "duration": (("duration", "string"), "duration", _to_duration),
    "dyn": (_ALL, "dyn", lambda value: value),
}
