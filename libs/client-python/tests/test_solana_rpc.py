"""The handling of a node's answers."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Optional, Sequence

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from countersign.verify.chain import Transaction
from countersign.verify.solana_rpc import SolanaRpc, bytes_of_base58
from countersign.verify.solana_transaction import base58_of_bytes, read_signed

_SIGNATURE = "1" * 64


def _asked(*answers: Any, addresses: Optional[int] = None) -> SolanaRpc:
    """One address for each answer by default, asked in this order."""
    left: List[Any] = list(answers)
    rpc = SolanaRpc([f"http://node-{n}.example" for n in range(addresses or len(answers))])
    rpc._http.close()
    rpc._http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=left.pop(0))))
    return rpc


_FAILED = {"jsonrpc": "2.0", "id": 1, "result": None, "error": {"code": -32005, "message": "Node is behind"}}
_NOTHING = {"jsonrpc": "2.0", "id": 1, "result": None}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((_NOTHING,), "not-found"),
        (({**_NOTHING, "error": None},), "not-found"),
        ((_FAILED,), "unavailable"),
        ((_FAILED, _NOTHING), "not-found"),
    ],
)
def test_a_node_that_failed_has_not_said_that_there_is_nothing(answers: Any, said: str) -> None:
    with _asked(*answers) as rpc:
        assert rpc.look_up(_SIGNATURE) == said


_MEMO_PROGRAM = bytes_of_base58("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr") or b""
_PAYER, _AUTHORITY = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
_KEYS = [one.public_key().public_bytes_raw() for one in (_PAYER, _AUTHORITY)]
_MEMO = b"what both signed"


def _message(version: bytes = b"", memo: bytes = _MEMO) -> bytes:
    """A memo with two required signers."""
    instruction = bytes([2, 1, 1, len(memo)]) + memo
    tables = b"\x00" if version else b""
    keys = b"".join([*_KEYS, _MEMO_PROGRAM])
    return version + bytes([2, 1, 1, 3]) + keys + bytes([7]) * 32 + b"\x01" + instruction + tables


def _signed(message: bytes) -> List[bytes]:
    return [_PAYER.sign(message), _AUTHORITY.sign(message)]


def _wire(message: bytes, signatures: Sequence[bytes]) -> bytes:
    return bytes([len(signatures)]) + b"".join(signatures) + message


def _shown(wire: bytes) -> Dict[str, Any]:
    transaction = [base64.b64encode(wire).decode(), "base64"]
    return {"jsonrpc": "2.0", "result": {"slot": 5, "blockTime": 60, "meta": {"err": None}, "transaction": transaction}}


_BLOCK = {"jsonrpc": "2.0", "result": {"blockHeight": 4}}


@pytest.mark.parametrize("version", [b"", b"\x80"], ids=["legacy", "version 0"])
def test_a_transaction_that_several_had_to_sign_has_them_for_signers(version: bytes) -> None:
    message = _message(version)
    wire = _wire(message, _signed(message))
    # One address is asked twice: for the transaction, then for its block.
    with _asked(_shown(wire), _BLOCK) as rpc:
        found = rpc.look_up(base58_of_bytes(_signed(message)[0]))
    assert isinstance(found, Transaction)
    assert list(found.signers) == [base58_of_bytes(key) for key in _KEYS]
    assert (list(found.memos), found.block_height, found.succeeded) == ([_MEMO.decode()], 4, True)
    assert found.block_time == "1970-01-01T00:01:00.000Z"


def test_a_transaction_is_missing_only_where_no_address_has_it() -> None:
    message = _message()
    wire, signature = _wire(message, _signed(message)), base58_of_bytes(_signed(message)[0])
    # The first has pruned that history; the block is requested from the first again.
    with _asked(_NOTHING, _shown(wire), _BLOCK) as rpc:
        assert isinstance(rpc.look_up(signature), Transaction)
    with _asked(_NOTHING, _FAILED, _NOTHING) as rpc:
        assert rpc.look_up(signature) == "not-found"


def test_a_node_of_another_network_is_not_asked() -> None:
    ours, other = ({**_NOTHING, "result": f"genesis of {name}"} for name in ("one", "another"))
    with _asked(_FAILED, ours, other, _NOTHING, addresses=3) as rpc:
        assert rpc.network() == "solana:localnet"
        # Of three addresses one is left, and one answer.
        assert rpc.look_up(_SIGNATURE) == "not-found"


_WHOLE = _message()
_FIRST, _SECOND = _signed(_WHOLE)
_LIES = {
    "one did not sign": _wire(_WHOLE, [_FIRST, bytes(64)]),
    "one is said to have signed with the signature of another": _wire(_WHOLE, [_FIRST, _FIRST]),
    "not all signatures are shown": _wire(_WHOLE, [_FIRST]),
    "more signatures are shown": _wire(_WHOLE, [_FIRST, _SECOND, _SECOND]),
    "the first is not the one that was asked for": _wire(_WHOLE, [_SECOND, _FIRST]),
    "none is shown": _wire(_WHOLE, []),
    "another memo is shown": _wire(_message(memo=b"what was not signed"), [_FIRST, _SECOND]),
    "it is sound, and another": _wire(_message(memo=b"x"), _signed(_message(memo=b"x"))),
    "it is cut off": _wire(_WHOLE, [_FIRST, _SECOND])[:-1],
    "more follows it": _wire(_WHOLE, [_FIRST, _SECOND]) + b"\x00",
    "it is nothing": b"",
}


@pytest.mark.parametrize("wire", list(_LIES.values()), ids=list(_LIES))
def test_a_node_is_not_believed_where(wire: bytes) -> None:
    with _asked(_shown(wire), _BLOCK) as rpc:
        assert rpc.look_up(base58_of_bytes(_FIRST)) == "unavailable"


@pytest.mark.parametrize("count", [b"\x80\x00", b"\xff\xff\x7f", b"\x80\x80\x80\x01"])
def test_a_count_has_one_form(count: bytes) -> None:
    with pytest.raises(ValueError, match="shortest"):
        read_signed(count + bytes(2000))
