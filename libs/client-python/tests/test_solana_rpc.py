"""What is made of a node's answer."""

from __future__ import annotations

from typing import Any, List

import httpx
import pytest

from countersign.verify.solana_rpc import SolanaRpc

_SIGNATURE = "1" * 64


def _asked(*answers: Any) -> SolanaRpc:
    """One address for each answer, asked in this order."""
    left: List[Any] = list(answers)
    rpc = SolanaRpc([f"http://node-{n}.example" for n in range(len(answers))])
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
