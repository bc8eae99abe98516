"""A check that needs an approval: the request in its result, and waiting for a person."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List, Optional, Tuple, Union

import httpx
import pytest

from countersign import AsyncCountersign, CheckResult, Countersign

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
PENDING: Dict[str, Any] = {
    "allowed": False,
    "reason": "a person has to approve this",
    "severity": "P2",
    "violation_type": "approval_required",
    "rule": "rules:night",
    "decision": "step_up",
    "code": "approval_pending",
    "next_action": "retry",
    "approval_id": "apr_1",
    "approval_url": "https://console.example/#/approvals/apr_1",
    "expires_at": "2026-11-26T12:00:00.000Z",
}
ALLOWED = {"allowed": True}

Reply = Union[Exception, Tuple[int, Dict[str, Any]]]


class Played:
    """Answers checks and questions for the approval in the given order; the last answer of each repeats."""

    def __init__(self, checks: List[Dict[str, Any]], states: List[Reply]) -> None:
        self.asked: List[httpx.Request] = []
        self._checks, self._states = list(checks), list(states)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if request.url.path == "/v1/check":
            answer = self._checks.pop(0) if len(self._checks) > 1 else self._checks[0]
            return httpx.Response(200, json=answer, headers={"retry-after": "5"})
        reply = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        if isinstance(reply, Exception):
            raise reply
        return httpx.Response(reply[0], json=reply[1])

    def keys(self) -> List[str]:
        return [one.headers["idempotency-key"] for one in self.asked if one.method == "POST"]


def check(played: Played, kind: str, wait: Optional[float], key: Optional[str] = None) -> CheckResult:
    options: Dict[str, Any] = {"retries": 0}
    call: Dict[str, Any] = {"idempotency_key": key, "wait_for_approval": wait}
    transport = httpx.MockTransport(played)
    if kind == "sync":
        with httpx.Client(transport=transport) as http:
            return Countersign("k", AGENT, http_client=http, **options).check("pay", amount=5000, **call)

    async def run() -> CheckResult:
        async with httpx.AsyncClient(transport=transport) as http:
            return await AsyncCountersign("k", AGENT, http_client=http, **options).check("pay", amount=5000, **call)

    return asyncio.run(run())


both = pytest.mark.parametrize("kind", ["sync", "async"])


@both
def test_the_request_is_in_the_result_and_nothing_waits_by_default(kind: str) -> None:
    played = Played([PENDING], [])
    result = check(played, kind, None)
    assert (result.decision, result.code, result.next_action) == ("step_up", "approval_pending", "retry")
    assert (result.approval_id, result.approval_url) == ("apr_1", PENDING["approval_url"])
    assert (result.expires_at, result.retry_after, len(played.asked)) == (PENDING["expires_at"], 5.0, 1)


@both
def test_the_same_action_is_checked_again_under_another_key_once_it_is_approved(kind: str) -> None:
    states: List[Reply] = [httpx.ConnectError("reset"), (503, {"reason": "no log"}), (200, {"state": "approved"})]
    played = Played([PENDING, PENDING, ALLOWED], states)
    assert check(played, kind, 20, "refund-7").allowed
    paths = [f"{one.method} {one.url.raw_path.decode()}" for one in played.asked]
    assert paths[:2] == ["POST /v1/check", "GET /v1/approvals/apr_1?wait=20"]
    assert paths[-2:] == ["POST /v1/check", "POST /v1/check"]
    assert len(paths) == 6
    assert played.keys() == ["refund-7", "apr_1.1.refund-7", "apr_1.2.refund-7"]
    assert {json.dumps(json.loads(one.content)) for one in played.asked if one.method == "POST"} == {
        json.dumps(json.loads(played.asked[0].content))
    }
    assert played.asked[1].content == b""
    assert "x-approval-id" not in played.asked[0].headers
    assert played.asked[-1].headers["x-approval-id"] == "apr_1"


@both
@pytest.mark.parametrize(("state", "next_action"), [("denied", "none"), ("expired", "request")])
def test_an_approval_that_is_over_is_named_and_nothing_is_checked_again(
    kind: str, state: str, next_action: str
) -> None:
    played = Played([PENDING], [(200, {"state": state})])
    result = check(played, kind, 5)
    assert (result.allowed, result.code, result.next_action) == (False, f"approval_{state}", next_action)
    assert (result.retry_after, len(played.asked)) == (None, 2)


@both
def test_the_answer_of_its_own_check_is_given_again_where_that_has_used_the_approval(kind: str) -> None:
    played = Played([PENDING, ALLOWED], [(200, {"state": "consumed"})])
    assert check(played, kind, 5, "refund-7").allowed
    assert played.keys() == ["refund-7", "apr_1.1.refund-7"]


@both
def test_the_wait_ends_with_its_time_and_asks_in_no_loop(kind: str) -> None:
    played = Played([PENDING], [(200, {"state": "pending"})])
    assert check(played, kind, 0.9).code == "approval_pending"
    assert len(played.asked) <= 4


@both
@pytest.mark.parametrize("status", [401, 404])
def test_nothing_waits_where_the_service_refuses_to_say_the_state(kind: str, status: int) -> None:
    played = Played([PENDING], [(status, {"error": "no such approval"})])
    assert check(played, kind, 5).code == "approval_pending"
    assert len(played.asked) == 2


@pytest.mark.parametrize("answer", [{"state": "granted"}, {}, {"state": ["approved"]}])
def test_an_unknown_state_is_never_an_approval(answer: Dict[str, Any]) -> None:
    played = Played([PENDING, ALLOWED], [(200, answer)])
    assert not check(played, "sync", 0.3).allowed
    assert len(played.keys()) == 1


@pytest.mark.parametrize("wait", [-1, float("nan")])
def test_a_wait_is_a_time(wait: float) -> None:
    with pytest.raises(ValueError, match="wait_for_approval"):
        check(Played([PENDING], []), "sync", wait)
    with pytest.raises(ValueError, match="wait_for_approval"):
        Countersign("k", AGENT, wait_for_approval=wait)


def test_a_guarded_function_waits_as_its_client_does() -> None:
    played = Played([PENDING, ALLOWED], [(200, {"state": "approved"})])
    with httpx.Client(transport=httpx.MockTransport(played)) as http:
        client = Countersign("k", AGENT, http_client=http, wait_for_approval=1)
        assert client.guard({"action_type": "pay"}, lambda: "paid") == "paid"
