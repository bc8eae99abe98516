"""JSON that has exactly one canonical form, and RFC 8785's canonical bytes."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, Dict, List, Tuple

import rfc8785

from .forms import MAX_SAFE_INTEGER

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 64


class JsonRefused(ValueError):
    """JSON text that has no canonical form, or goes beyond the limits. The message quotes no content."""


class NotCanonical(ValueError):
    """A value without an RFC 8785 form: a lone surrogate, a number that is no finite double, a type outside of JSON."""


def parse_json_strict(data: bytes, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """Reads UTF-8 JSON into dicts, lists, str, bool, None, and numbers as IEEE 754 doubles.

    Whole numbers up to 2^53 - 1 become ``int``, all others a double.

    :raises JsonRefused: invalid UTF-8, a byte-order mark, a repeated key, a lone surrogate, a number that is not a
        finite double, more than ``max_depth`` levels or ``max_bytes`` bytes, anything that RFC 8259 does not allow
    """
    if len(data) > max_bytes:
        raise JsonRefused("the JSON is too large")
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonRefused("the JSON begins with a byte-order mark")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise JsonRefused("the JSON is not UTF-8") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object_of,
            parse_int=_number_of,
            parse_float=_number_of,
            parse_constant=_refuse_constant,
        )
    except JsonRefused:
        raise
    except RecursionError:
        raise JsonRefused(f"the JSON is nested deeper than {max_depth} levels") from None
    except ValueError:
        raise JsonRefused("the text is not JSON") from None
    _check_depth_and_text(value, max_depth)
    return value


def canonical_bytes(value: Any) -> bytes:
    """RFC 8785 in UTF-8.

    :raises NotCanonical: the value has none
    """
    try:
        return rfc8785.dumps(value)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from None


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _object_of(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonRefused("an object repeats a key")
    return members


def _number_of(text: str) -> Any:
    if not text.isascii():
        raise JsonRefused("a number is written in digits other than ASCII")
    number = float(text)
    if not math.isfinite(number):
        raise JsonRefused("a number is no finite double")
    whole = number.is_integer() and abs(number) <= MAX_SAFE_INTEGER
    return int(number) if whole else number


def _refuse_constant(name: str) -> Any:
    raise JsonRefused("a number is no finite double")


def _check_depth_and_text(value: Any, max_depth: int) -> None:
    level: List[Any] = [value]
    depth = 0
    while level:
        below: List[Any] = []
        for item in level:
            if isinstance(item, str):
                _check_text(item)
            elif isinstance(item, dict):
                for key in item:
                    _check_text(key)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if any(isinstance(item, (dict, list)) for item in level):
            depth += 1
        if depth > max_depth:
            raise JsonRefused(f"the JSON is nested deeper than {max_depth} levels")
        level = below


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise JsonRefused("a string holds a lone surrogate") from None
