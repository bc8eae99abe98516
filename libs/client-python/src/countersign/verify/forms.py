"""The forms of single values in FORMAT.md: hashes, times, ids, salts, base64, counts."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime, timedelta, timezone
from typing import Any, List, Optional

_HASH = re.compile(r"[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID_V7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_SALT = re.compile(r"[A-Za-z0-9_-]{22}")
_MEMBER_SALT = re.compile(r"[0-9a-f]{32}")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]{1,128}")
_TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)

MAX_SAFE_INTEGER = 2**53 - 1


def is_text(value: Any) -> bool:
    return type(value) is str


def is_well_formed_text(value: Any) -> bool:
    """A string without lone surrogates."""
    try:
        return is_text(value) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def is_count(value: Any, least: int = 0) -> bool:
    """An integer from ``least`` to 2^53 - 1; JSON's ``7.0`` is one, ``true`` is none."""
    return type(value) is int and least <= value <= MAX_SAFE_INTEGER


def is_hash(value: Any) -> bool:
    """SHA-256 as 64 lower-case hex digits."""
    return is_text(value) and _HASH.fullmatch(value) is not None


def is_uuid(value: Any) -> bool:
    return is_text(value) and _UUID.fullmatch(value) is not None


def is_event_id(value: Any) -> bool:
    """UUID v7 in lower case."""
    return is_text(value) and _UUID_V7.fullmatch(value) is not None


def is_salt(value: Any) -> bool:
    """16 bytes in base64url without padding, unused bits zero."""
    return is_text(value) and _SALT.fullmatch(value) is not None and value[-1] in "AQgw"


def is_member_salt(value: Any) -> bool:
    """The salt of a single member of a committed object: 16 bytes as 32 lower-case hex digits."""
    return is_text(value) and _MEMBER_SALT.fullmatch(value) is not None


def is_identifier(value: Any) -> bool:
    """1 to 64 lower-case letters, digits and underscores, of which the first is a letter."""
    return is_text(value) and _IDENTIFIER.fullmatch(value) is not None


def utf16_order(text: str) -> bytes:
    """A key that orders texts by UTF-16 code units, as RFC 8785 orders the members of an object."""
    return text.encode("utf-16-be", "surrogatepass")


def ascends(texts: List[str]) -> bool:
    """True for a list in ascending order of UTF-16 code units, without repetition."""
    order = [utf16_order(text) for text in texts]
    return all(before < after for before, after in zip(order, order[1:]))


def is_base58(value: Any) -> bool:
    """A Solana address or transaction signature: 1 to 128 characters of base58."""
    return is_text(value) and _BASE58.fullmatch(value) is not None


def is_name(value: Any) -> bool:
    """A non-empty string."""
    return is_text(value) and value != ""


def milliseconds(value: Any) -> Optional[int]:
    """Milliseconds since 1970 of ``2026-03-02T10:00:00.000Z``; ``None`` for anything else, also for earlier times."""
    found = _TIME.fullmatch(value) if is_text(value) else None
    if found is None:
        return None
    year, month, day, hour, minute, second, thousandth = (int(part) for part in found.groups())
    if year < _EPOCH.year:
        return None
    try:
        instant = datetime(year, month, day, hour, minute, second, thousandth * 1000, tzinfo=timezone.utc)
    except ValueError:
        return None
    return (instant - _EPOCH) // _MILLISECOND


def is_time(value: Any) -> bool:
    return milliseconds(value) is not None


def bytes_of_base64(value: Any) -> Optional[bytes]:
    """The bytes of RFC 4648 base64 with padding and zero unused bits; ``None`` for anything else."""
    if not is_text(value):
        return None
    try:
        decoded = base64.b64decode(value.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return decoded if base64.b64encode(decoded).decode("ascii") == value else None
