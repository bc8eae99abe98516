"""Signed checks, by the vector that both clients reproduce."""

import json
from pathlib import Path
from typing import Any, List

import httpx
import pytest

from countersign import Countersign, SigningKey
from countersign.signing import Signer

VECTOR = json.loads((Path(__file__).parents[2] / "client-js" / "signed-check.json").read_text(encoding="utf-8"))
JWK = VECTOR["privateKey"]


@pytest.mark.parametrize("private_key", [JWK, json.dumps(JWK), VECTOR["pem"]])
def test_the_vector_is_reproduced_byte_for_byte(private_key: Any) -> None:
    signer = Signer(SigningKey(private_key))
    moment = {"created": VECTOR["created"], "nonce": VECTOR["nonce"]}
    body = VECTOR["body"].encode()
    assert signer.headers_for(VECTOR["path"], VECTOR["headers"], body, **moment) == VECTOR["signed"]


def test_each_attempt_is_signed_with_another_nonce_and_nothing_but_checks() -> None:
    sent: List[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        if len(sent) == 1:
            return httpx.Response(503, json={"allowed": False, "reason": "r", "code": "unavailable"})
        return httpx.Response(200, json={"allowed": True})

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        key = SigningKey(JWK, "k1")
        client = Countersign("k", "a", "https://example.com/prefix", signing_key=key, http_client=http)
        assert client.check("a", session="s").allowed
        client.scan("text")
    inputs = [request.headers.get("signature-input") for request in sent]
    assert inputs[2] is None
    assert inputs[0] != inputs[1]
    assert '"idempotency-key" "x-countersign-session");created=' in inputs[1]
    assert 'keyid="k1"' in inputs[1]
    request = sent[1]
    parameters = dict(part.split("=", 1) for part in inputs[1].split(";")[1:])
    again = Signer(key).headers_for(
        "/v1/check",
        request.headers,
        request.content,
        created=int(parameters["created"]),
        nonce=parameters["nonce"].strip('"'),
    )
    assert again["signature"] == request.headers["signature"]


@pytest.mark.parametrize(
    "private_key", [{}, {**JWK, "crv": "X25519"}, {**JWK, "d": "AA"}, "secret", "-----BEGIN PRIVATE KEY-----", 7]
)
def test_a_key_that_cannot_sign_is_refused_at_once(private_key: Any) -> None:
    with pytest.raises(ValueError, match="signing_key"):
        SigningKey(private_key)
    assert JWK["d"] not in repr(SigningKey(JWK))


def test_other_options_are_refused() -> None:
    with pytest.raises(ValueError, match="key_id"):
        SigningKey(JWK, 'a"b')
    with pytest.raises(TypeError, match="signing_key"):
        Countersign("k", "a", signing_key=JWK)
