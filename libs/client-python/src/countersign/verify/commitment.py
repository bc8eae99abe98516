"""Commitments of a leaf event: salted hashes, from version 2 on of each member by itself (FORMAT.md, Commitments)."""

from __future__ import annotations

from typing import Any, List

from .forms import is_salt, utf16_order
from .strict_json import canonical_bytes, sha256_hex

COMMITMENTS = ("action", "payload", "context")
MAX_MEMBERS = 32


def commitment_of(kind: str, salt: str, value: Any, version: int = 2) -> str:
    """The commitment to a value, as 64 hex digits.

    :param kind: ``action``, ``payload`` or ``context``
    :param salt: 16 bytes in base64url without padding
    :param version: that of the leaf event, 1 or 2
    :raises ValueError: another kind, salt or version, or a value without a canonical form (:class:`NotCanonical`)
    """
    if kind not in COMMITMENTS or not is_salt(salt) or version not in (1, 2):
        raise ValueError("kind, salt or version has not its form")
    if version == 1 or not has_members(value):
        return sha256_hex(canonical_bytes([kind, salt, value]))
    names = sorted(value, key=utf16_order)
    salts = member_salts(kind, salt, len(names))
    digests = [member_digest(kind, name, own, value[name]) for name, own in zip(names, salts)]
    return commitment_of_digests(kind, digests)


def member_digest(kind: str, name: str, salt: str, value: Any) -> str:
    """The digest of one member of a committed object, as 64 hex digits; ``salt`` is the member's, 32 hex digits."""
    return sha256_hex(canonical_bytes([kind, name, salt, value]))


def member_salts(kind: str, salt: str, count: int) -> List[str]:
    """The salts of an object's members in their order, 32 hex digits each, derived from the salt of the whole."""
    blocks = [sha256_hex(canonical_bytes(["salts", kind, salt, block])) for block in range((count + 1) // 2)]
    return [blocks[index // 2][32 * (index % 2) :][:32] for index in range(count)]


def commitment_of_digests(kind: str, digests: List[str]) -> str:
    """The commitment to an object, from the digests of all its members in their order."""
    return sha256_hex(canonical_bytes([kind, digests]))


def has_members(value: Any) -> bool:
    """True for an object with 1 to 32 members, which a leaf of version 2 commits to member by member."""
    return isinstance(value, dict) and 1 <= len(value) <= MAX_MEMBERS
