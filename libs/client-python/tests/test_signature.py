"""Ed25519: encodings that verifiers disagree about are refused."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from countersign.verify import VerificationKey, key_id_of, signature_holds

FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
MESSAGE = b"what was signed"

SECRET = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = SECRET.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
SIGNATURE = SECRET.sign(MESSAGE)


def small_order_points() -> list[bytes]:
    """Every encoding, canonical or not, of the y of a point of small order, found by doubling on the curve."""
    d = -121665 * pow(121666, FIELD - 2, FIELD) % FIELD
    ys = {0, 1, FIELD - 1}
    for root in _roots_of_order_eight(d):
        ys |= {root, FIELD - root}
    encodings = [y + add for y in ys for add in (0, FIELD) if y + add < 2**255]
    return [(y | sign << 255).to_bytes(32, "little") for y in encodings for sign in (0, 1)]


def _roots_of_order_eight(d: int) -> list[int]:
    """The y of points whose double has the y 0.

    On -x^2 + y^2 = 1 + d x^2 y^2 doubling gives y' = (y^2 + x^2) / (1 - d x^2 y^2), which is 0 if x^2 = -y^2. Then
    2 y^2 = 1 - d y^4: a square in t = y^2.
    """
    found = []
    for sign in (1, -1):
        root = _square_root((1 + d) % FIELD)
        if root is None:
            continue
        t = (-1 + sign * root) * pow(d, FIELD - 2, FIELD) % FIELD
        y = _square_root(t)
        if y is not None:
            found.append(y)
    return found


def _square_root(value: int) -> int | None:
    root = pow(value, (FIELD + 3) // 8, FIELD)
    for candidate in (root, root * pow(2, (FIELD - 1) // 4, FIELD) % FIELD):
        if candidate * candidate % FIELD == value % FIELD:
            return candidate
    return None


def test_a_sound_signature_holds() -> None:
    assert signature_holds(PUBLIC, SIGNATURE, MESSAGE)
    assert not signature_holds(PUBLIC, SIGNATURE, MESSAGE + b".")


def test_the_points_of_small_order_are_found() -> None:
    """Five values of y, those of 0 and 1 also with 2^255 - 19 added, each with both signs."""
    assert len(small_order_points()) == 14


@pytest.mark.parametrize("point", small_order_points(), ids=lambda point: point.hex()[:8] + point.hex()[-2:])
def test_a_point_of_small_order_is_neither_key_nor_r(point: bytes) -> None:
    for key in (point, PUBLIC):
        for s in (b"\x00" * 32, SIGNATURE[32:]):
            assert not signature_holds(key, point + s, MESSAGE)
    assert not signature_holds(point, SIGNATURE, MESSAGE)


def test_an_s_at_or_above_the_order_is_refused() -> None:
    s = int.from_bytes(SIGNATURE[32:], "little")
    for forged in (s + ORDER, ORDER, 2**256 - 1):
        assert not signature_holds(PUBLIC, SIGNATURE[:32] + forged.to_bytes(32, "little"), MESSAGE)


def test_a_y_at_or_above_the_field_is_refused() -> None:
    for y in (FIELD, FIELD + 3, 2**255 - 1):
        assert not signature_holds(y.to_bytes(32, "little"), SIGNATURE, MESSAGE)
        assert not signature_holds(PUBLIC, y.to_bytes(32, "little") + SIGNATURE[32:], MESSAGE)


@pytest.mark.parametrize(("key", "signature"), [(PUBLIC[:31], SIGNATURE), (PUBLIC, SIGNATURE[:63]), (b"", b"")])
def test_another_length_is_refused(key: bytes, signature: bytes) -> None:
    assert not signature_holds(key, signature, MESSAGE)


def test_a_key_is_named_by_its_hash() -> None:
    pem = SECRET.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert VerificationKey.from_pem(pem).key_id == key_id_of(PUBLIC)
    assert key_id_of(PUBLIC).startswith("key_")


def test_a_key_of_another_kind_is_refused() -> None:
    other = generate_private_key(SECP256R1()).public_key()
    for pem in (other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(), "no key", ""):
        with pytest.raises(ValueError, match="not an Ed25519 public key"):
            VerificationKey.from_pem(pem)
