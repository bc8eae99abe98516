"""Ed25519 with a guard against encodings that verifiers disagree about, and key ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .forms import bytes_of_base64
from .strict_json import sha256_hex

_FIELD = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_Y_OF_ORDER_EIGHT = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL_ORDER_Y = frozenset({0, 1, _FIELD - 1, _Y_OF_ORDER_EIGHT, _FIELD - _Y_OF_ORDER_EIGHT})
_SIGN_BIT = 2**255
# DER of SubjectPublicKeyInfo up to the key itself (RFC 8410, section 4).
_SPKI = bytes.fromhex("302a300506032b6570032100")
_PEM = re.compile(
    r"[\t\n\r ]*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n-----END PUBLIC KEY-----[\t\n\r ]*"
)


@dataclass(frozen=True)
class VerificationKey:
    """A public key that the verifier has from an own source.

    ``valid_from`` and ``valid_to`` (ISO 8601, or ``None`` for open) are judged by the block time of the report's
    anchor; a key with the status ``revoked`` verifies nothing.
    """

    public_key: bytes
    status: str = "active"
    valid_from: Optional[str] = None
    valid_to: Optional[str] = None

    @property
    def key_id(self) -> str:
        return key_id_of(self.public_key)

    @staticmethod
    def from_pem(
        pem: str, status: str = "active", valid_from: Optional[str] = None, valid_to: Optional[str] = None
    ) -> VerificationKey:
        """:raises ValueError: the text is not an Ed25519 public key in PEM"""
        found = _PEM.fullmatch(pem)
        der = None if found is None else bytes_of_base64(re.sub(r"[\r\n]", "", found.group(1)))
        if der is None or len(der) != len(_SPKI) + 32 or not der.startswith(_SPKI):
            raise ValueError("not an Ed25519 public key in PEM")
        return VerificationKey(der[len(_SPKI) :], status, valid_from, valid_to)


def key_id_of(public_key: bytes) -> str:
    """``key_`` and the first 16 hex digits of SHA-256 of the raw public key."""
    return f"key_{sha256_hex(public_key)[:16]}"


def signature_holds(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """RFC 8032, without a y at or above 2^255 - 19, a point of small order, or an S at or above the group order."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    if not _is_sound_point(public_key) or not _is_sound_point(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= _ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_sound_point(encoded: bytes) -> bool:
    y = int.from_bytes(encoded, "little") % _SIGN_BIT
    return y < _FIELD and y not in _SMALL_ORDER_Y
