"""Parses a Solana transaction, and verifies all required signatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

from .ed25519 import signature_holds

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_VERSIONED = 0x80


@dataclass(frozen=True)
class SignedTransaction:
    """``instructions``: the address of the program, base58, and its data."""

    signatures: List[bytes]
    signers: List[str]
    instructions: List[Tuple[str, bytes]]


def read_signed(wire: bytes) -> SignedTransaction:
    """A legacy transaction, or one of version 0.

    :raises ValueError: it is malformed, or lacks a valid required signature
    """
    reader = _Reader(wire)
    signatures = [reader.take(64) for _ in range(reader.count())]
    message = _Reader(reader.rest())
    version = message.byte()
    if version & _VERSIONED:
        if version != _VERSIONED:
            raise ValueError("a version that is not known")
        required = message.byte()
    else:
        required = version
    message.take(2)
    keys = [message.take(32) for _ in range(message.count())]
    message.take(32)
    instructions = [_instruction(message, keys) for _ in range(message.count())]
    for _ in range(message.count() if version & _VERSIONED else 0):
        message.take(32)
        message.take(message.count())
        message.take(message.count())
    if message.rest():
        raise ValueError("there is more than a transaction")
    if not 1 <= required <= len(keys) or len(signatures) != required:
        raise ValueError("not as many signatures as there have to be")
    signed = message.all
    if not all(signature_holds(key, signature, signed) for key, signature in zip(keys, signatures)):
        raise ValueError("a signature does not hold")
    return SignedTransaction(signatures, [base58_of_bytes(key) for key in keys[:required]], instructions)


def base58_of_bytes(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _BASE58[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\x00"))) + text


def _instruction(message: _Reader, keys: List[bytes]) -> Tuple[str, bytes]:
    program = message.byte()
    message.take(message.count())
    data = message.take(message.count())
    if program >= len(keys):
        raise ValueError("a program that is not named")
    return base58_of_bytes(keys[program]), data


class _Reader:
    """:raises ValueError: by each method, at the end of the bytes"""

    def __init__(self, data: bytes) -> None:
        self.all = data
        self._at = 0

    def take(self, length: int) -> bytes:
        taken = self.all[self._at : self._at + length]
        if len(taken) != length:
            raise ValueError("it ends early")
        self._at += length
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def count(self) -> int:
        """A number of the form "compact-u16", in its shortest form."""
        number = 0
        for position in range(3):
            byte = self.byte()
            number |= (byte & 0x7F) << (7 * position)
            if byte & 0x80 == 0:
                if (position > 0 and byte == 0) or number > 0xFFFF:
                    break
                return number
        raise ValueError("a count that is not in its shortest form")

    def rest(self) -> bytes:
        return self.all[self._at :]
