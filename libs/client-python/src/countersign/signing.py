"""Signs checks by HTTP Message Signatures (RFC 9421). Needs the package ``cryptography``: ``countersign[sign]``."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Union

#: Headers that change what is judged: the service requires that a signature covers each that is sent.
_COVERED = (
    "idempotency-key",
    "x-approval-id",
    "x-countersign-agent",
    "x-countersign-principal",
    "x-countersign-session",
)
_KEY_ID = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,200}")
_UNREADABLE = "signing_key: an Ed25519 key as a JWK with d, or as PEM that begins with BEGIN PRIVATE KEY"


@dataclass(frozen=True)
class SigningKey:
    """A key with which the agent signs its checks; ``POST /v1/agents/{id}/signing-keys`` registers its public part.

    :param private_key: Ed25519: a JWK (RFC 8037) with ``d``, as a dict or as JSON; or PKCS #8 as PEM
    :param key_id: default: the thumbprint of the key (RFC 7638), which is the id that the service gives it
    :raises TypeError, ValueError: the key is not one that can sign
    """

    private_key: Union[str, Mapping[str, str]] = field(repr=False)
    key_id: Optional[str] = None

    def __post_init__(self) -> None:
        if self.key_id is not None and _KEY_ID.fullmatch(self.key_id) is None:
            raise ValueError("key_id: 1 to 200 visible ASCII characters, without quotes and backslashes")
        _load(self.private_key)


class Signer:
    """Signs requests with one key."""

    def __init__(self, given: SigningKey) -> None:
        self._key = _load(given.private_key)
        self._key_id = given.key_id or _thumbprint(self._key)

    def headers_for(
        self,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        created: Optional[int] = None,
        nonce: Optional[str] = None,
    ) -> Dict[str, str]:
        """The headers that sign a POST request, each time with another nonce.

        :param path: as the service sees it
        :param headers: of the request, their names in lower case
        :param created: seconds since 1970; given, with ``nonce``, only where a signature is to be repeated exactly
        """
        created = int(time.time()) if created is None else created
        nonce = str(uuid.uuid4()) if nonce is None else nonce
        digest = f"sha-256=:{_base64(hashlib.sha256(body).digest())}:"
        values = {"@method": "POST", "@path": path, "content-digest": digest}
        values.update((name, headers[name]) for name in _COVERED if name in headers)
        covered = " ".join(f'"{name}"' for name in values)
        given = f'({covered});created={created};nonce="{nonce}";keyid="{self._key_id}";alg="ed25519"'
        base = "\n".join([*(f'"{name}": {value}' for name, value in values.items()), f'"@signature-params": {given}'])
        signature: bytes = self._key.sign(base.encode())
        return {
            "content-digest": digest,
            "signature-input": f"sig1={given}",
            "signature": f"sig1=:{_base64(signature)}:",
        }


def _load(private_key: object) -> Any:
    """:raises TypeError, ValueError: it is no private key of Ed25519, or ``cryptography`` is not installed"""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise TypeError('signing_key: needs the package cryptography: pip install "countersign[sign]"') from error
    if isinstance(private_key, str) and private_key.lstrip().startswith("-----BEGIN"):
        try:
            key = load_pem_private_key(private_key.encode(), password=None)
        except ValueError as error:
            raise ValueError(_UNREADABLE) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(_UNREADABLE)
        return key
    try:
        jwk = json.loads(private_key) if isinstance(private_key, str) else private_key
        if not isinstance(jwk, Mapping) or (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
            raise ValueError(_UNREADABLE)
        return Ed25519PrivateKey.from_private_bytes(_bytes(jwk["d"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(_UNREADABLE) from error


def _thumbprint(key: Any) -> str:
    """RFC 7638 section 3, of an OKP key (RFC 8037 section 2)."""
    x = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()
    members = f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'
    return base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
